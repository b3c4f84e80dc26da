// The element types of vector instructions: names and sizes. More than tensors of the host have (DType).
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "formats/error.h"

namespace tilesim {
class Core;
}  // namespace tilesim

namespace tilesim::isa {

enum class VectorType : uint8_t {
  kInt4,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kFp16,
  kBf16,
  kInt32,
  kUint32,
  kFp32,
  kInt64,
  kUint64
};
inline constexpr int kNumVectorTypes = 12;

constexpr std::string_view Name(VectorType type) {
  constexpr std::string_view kNames[] = {"int4", "int8",  "uint8",  "int16", "uint16", "fp16",
                                         "bf16", "int32", "uint32", "fp32",  "int64",  "uint64"};
  return kNames[static_cast<size_t>(type)];
}

constexpr int64_t ElementBits(VectorType type) {
  constexpr int64_t kBits[] = {4, 8, 8, 16, 16, 16, 16, 32, 32, 32, 64, 64};
  return kBits[static_cast<size_t>(type)];
}

// Elements of a repeat of 256 bytes. Asked of every instruction, so that nothing is divided.
constexpr int64_t LanesOfRepeat(VectorType type) {
  return int64_t{2048} >> std::countr_zero(static_cast<uint32_t>(ElementBits(type)));
}

class TypeSet {
 public:
  constexpr TypeSet(std::initializer_list<VectorType> types) {
    for (const VectorType type : types) {
      Add(type);
    }
  }
  constexpr void Add(VectorType type) { bits_ |= 1U << static_cast<uint32_t>(type); }
  constexpr bool Has(VectorType type) const { return (bits_ >> static_cast<uint32_t>(type) & 1U) != 0; }
  std::string Names() const {
    std::string names;
    for (int t = 0; t < kNumVectorTypes; ++t) {
      if (Has(static_cast<VectorType>(t))) {
        names += Say(names.empty() ? "" : ", ", Name(static_cast<VectorType>(t)));
      }
    }
    return names;
  }

 private:
  uint32_t bits_ = 0;
};

inline constexpr TypeSet k16And32BitTypes = {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16,
                                             VectorType::kBf16,  VectorType::kInt32,  VectorType::kUint32,
                                             VectorType::kFp32};

// Refuses an element type that the instruction in hand does not take on this part.
[[noreturn]] void RefuseType(Core& core, VectorType type, const TypeSet& allowed);
inline void RequireType(Core& core, VectorType type, const TypeSet& allowed) {
  if (!allowed.Has(type)) [[unlikely]] {
    RefuseType(core, type, allowed);
  }
}

}  // namespace tilesim::isa
