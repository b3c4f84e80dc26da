// Single elements of UB and GM, read and written by the scalar unit, and its data cache.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// GetValue. Without values, `bits` stays as it is.
struct ScalarRead {
  static constexpr const char* kName = "GetValue";
  Operand src;  // UB or GM
  int64_t element_bytes = 4;
  uint64_t* bits = nullptr;  // gets the element

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// SetValue. What goes to GM stays in the cache until it is cleaned.
struct ScalarWrite {
  static constexpr const char* kName = "SetValue";
  Operand dst;  // UB or GM
  int64_t element_bytes = 4;
  uint64_t bits = 0;
  std::optional<ResultRegister> carries = {};  // the bits are this register's, with or without a value

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// DataCacheCleanAndInvalid: writes back a line of 64 bytes, or all of them.
struct ScalarCacheClean {
  static constexpr const char* kName = "DataCacheCleanAndInvalid";
  uint64_t address = 0;  // in GM, of the line
  bool all = true;

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
