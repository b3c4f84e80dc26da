// What the scalar unit does beside single elements of tensors: barriers, accesses that pass its cache by,
// requests to its caches, marks for traces.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// DataSyncBarrier. Of GM it takes what a store to GM takes to be complete, of UB no more than its issue.
// Assumed: there is no measurement.
struct ScalarBarrier {
  static constexpr const char* kName = "DataSyncBarrier";
  bool of_gm = true;

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& /*core*/) const {}
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const;
};

// ReadGmByPassDCache. Without values, `bits` stays as it is.
struct UncachedRead {
  static constexpr const char* kName = "ReadGmByPassDCache";
  uint64_t address = 0;
  int64_t element_bytes = 4;
  uint64_t* bits = nullptr;  // gets the element

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// WriteGmByPassDCache.
struct UncachedWrite {
  static constexpr const char* kName = "WriteGmByPassDCache";
  uint64_t address = 0;
  int64_t element_bytes = 4;
  uint64_t bits = 0;

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// DataCachePreload: asks for a line and does not wait. Its bytes are not looked at, and GetValue of them
// later costs what it costs without: assumed.
struct CachePreload {
  static constexpr const char* kName = "DataCachePreload";
  uint64_t address = 0;

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& /*core*/) const { return {}; }
};

// ICachePreLoad, in units of 2 KiB of instructions.
struct InstructionPreload {
  static constexpr const char* kName = "ICachePreLoad";
  int64_t units = 0;

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& /*core*/) const { return {}; }
};

// A register that the scalar unit reads or writes, or a mark that only traces show.
struct ScalarStep {
  const char* name = "";  // of the call
  SourceLine where = {};

  static constexpr const char* kName = "scalar";
  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& /*core*/) const { return {}; }
};

}  // namespace tilesim::isa
