// What an atomic update of GM does, and to elements of which type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/dtype.h"

namespace tilesim {

enum class AtomicOp : uint8_t { kNone, kAdd, kMax, kMin };

// The type of an atomic update: that of a tensor, or one of two that no tensor of the host has.
class AtomicType {
 public:
  constexpr AtomicType(DType dtype) : dtype_(dtype) {}
  static constexpr AtomicType Int8() { return {1, "int8"}; }
  static constexpr AtomicType Int16() { return {2, "int16"}; }

  // Nothing: a whole number of size_bytes() that is not a DType.
  [[nodiscard]] constexpr std::optional<DType> dtype() const {
    return narrow_bytes_ == 0 ? std::optional(dtype_) : std::nullopt;
  }
  [[nodiscard]] size_t size_bytes() const { return narrow_bytes_ == 0 ? SizeOf(dtype_) : narrow_bytes_; }
  [[nodiscard]] std::string_view name() const { return narrow_bytes_ == 0 ? Name(dtype_) : narrow_name_; }
  friend constexpr bool operator==(const AtomicType& a, const AtomicType& b) {
    return a.dtype_ == b.dtype_ && a.narrow_bytes_ == b.narrow_bytes_;
  }

 private:
  constexpr AtomicType(uint8_t bytes, const char* name)
      : dtype_(DType::kInt32), narrow_bytes_(bytes), narrow_name_(name) {}

  DType dtype_;
  uint8_t narrow_bytes_ = 0;
  const char* narrow_name_ = "";
};

}  // namespace tilesim
