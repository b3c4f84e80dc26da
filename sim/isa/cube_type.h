// The element types of the cube's instructions: those of vector instructions, given as such or as the type of
// a tensor of the host.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/dtype.h"
#include "sim/core/atomic_type.h"
#include "sim/core/l0_memory.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

class CubeType {
 public:
  constexpr CubeType(VectorType type) : type_(type) {}
  constexpr CubeType(DType dtype) : type_(Of(dtype)) {}

  [[nodiscard]] constexpr VectorType type() const { return type_; }
  [[nodiscard]] constexpr int64_t bits() const { return ElementBits(type_); }
  // Elements of a data block of 32 bytes, which are a row of a fractal.
  [[nodiscard]] constexpr int64_t c0() const { return 256 / bits(); }

  friend constexpr bool operator==(CubeType a, CubeType b) { return a.type_ == b.type_; }
  friend constexpr bool operator==(CubeType a, DType b) { return a.type_ == Of(b); }
  friend constexpr bool operator==(CubeType a, VectorType b) { return a.type_ == b; }

 private:
  static constexpr VectorType Of(DType dtype) {
    constexpr VectorType kTypes[] = {VectorType::kFp16,  VectorType::kBf16,  VectorType::kFp32,
                                     VectorType::kInt32, VectorType::kInt64, VectorType::kUint8};
    return kTypes[static_cast<size_t>(dtype)];
  }

  VectorType type_;
};

constexpr std::string_view Name(CubeType type) { return Name(type.type()); }

// How L0A and L0B keep a fractal of `type`.
constexpr FractalType FractalTypeOf(CubeType type) {
  return type == VectorType::kFp16   ? FractalType::kFp16
         : type == VectorType::kBf16 ? FractalType::kBf16
         : type == VectorType::kFp32 ? FractalType::kFp32
                                     : FractalType::kBytes;
}

// The type of an atomic update of elements of `type`; int64, which there is none of, where there is none.
constexpr AtomicType AtomicTypeOf(CubeType type) {
  switch (type.type()) {
    case VectorType::kInt8:
      return AtomicType::Int8();
    case VectorType::kInt16:
      return AtomicType::Int16();
    case VectorType::kFp16:
      return DType::kFp16;
    case VectorType::kBf16:
      return DType::kBf16;
    case VectorType::kFp32:
      return DType::kFp32;
    case VectorType::kInt32:
      return DType::kInt32;
    case VectorType::kUint8:
      return DType::kUint8;
    default:
      return DType::kInt64;
  }
}

// Refuses an element type that the instruction in hand does not take for operand `name`.
[[noreturn]] void RefuseCubeType(Core& core, const char* name, CubeType type, const TypeSet& allowed);
inline void RequireCubeType(Core& core, const char* name, CubeType type, const TypeSet& allowed) {
  if (!allowed.Has(type.type())) [[unlikely]] {
    RefuseCubeType(core, name, type, allowed);
  }
}

}  // namespace tilesim::isa
