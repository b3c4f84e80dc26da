// What the vector API adds to the types: enumerations, repeat parameters, and int4. Strides count data blocks
// of 32 bytes: from block to block of a repeat, and from repeat to repeat.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/types.h"
#include "sim/isa/vector_type.h"

namespace AscendC {

enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// Half a byte; in tensors two of them lie in one, the first in the low bits.
struct int4b_t {
  uint8_t pair = 0;

  int4b_t() = default;
  explicit int4b_t(int32_t value) : pair(static_cast<uint8_t>(value & 0xF)) {}
  operator int8_t() const { return static_cast<int8_t>(((pair & 0xF) ^ 8) - 8); }
};

struct UnaryRepeatParams {
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
  bool halfBlock = false;

  UnaryRepeatParams() = default;
  // Which half of a data block a narrowing call fills is its template argument here: halfBlock has no effect.
  UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat,
                    bool half_block = false)
      : dstBlkStride(dst_block),
        srcBlkStride(src_block),
        dstRepStride(dst_repeat),
        srcRepStride(src_repeat),
        halfBlock(half_block) {}
};

struct BinaryRepeatParams {
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;

  BinaryRepeatParams() = default;
  BinaryRepeatParams(uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat,
                     uint8_t src0_repeat, uint8_t src1_repeat)
      : dstBlkStride(dst_block),
        src0BlkStride(src0_block),
        src1BlkStride(src1_block),
        dstRepStride(dst_repeat),
        src0RepStride(src0_repeat),
        src1RepStride(src1_repeat) {}
};

struct CopyRepeatParams {
  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = 8;  // 0..4095
  uint16_t srcRepeatSize = 8;

  CopyRepeatParams() = default;
  CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_repeat, uint16_t src_repeat)
      : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}
};

struct BrcbRepeatParams {
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = 8;

  BrcbRepeatParams() = default;
  BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

struct TransDataTo5HDParams {
  bool dstHighHalf = false;  // 8-bit types
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;

  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_repeat,
                       uint16_t src_repeat)
      : dstHighHalf(dst_high),
        srcHighHalf(src_high),
        repeatTimes(repeats),
        dstRepStride(dst_repeat),
        srcRepStride(src_repeat) {}
};

namespace simulator {

template <class T>
constexpr tilesim::isa::VectorType VectorTypeOf() {
  using enum tilesim::isa::VectorType;
  if constexpr (!std::is_same_v<T, PrimT<T>>) {
    static_assert(sizeof(T) == sizeof(PrimT<T>),
                  "calls take traits with the default layout, or one that the compiler knows");
    return VectorTypeOf<PrimT<T>>();
  } else if constexpr (std::is_same_v<T, int4b_t>) {
    return kInt4;
  } else if constexpr (std::is_same_v<T, half>) {
    return kFp16;
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return kBf16;
  } else if constexpr (std::is_same_v<T, float>) {
    return kFp32;
  } else {
    static_assert(std::is_integral_v<T>, "element type not known to vector instructions");
    constexpr bool kSigned = std::is_signed_v<T>;
    return sizeof(T) == 1   ? (kSigned ? kInt8 : kUint8)
           : sizeof(T) == 2 ? (kSigned ? kInt16 : kUint16)
           : sizeof(T) == 4 ? (kSigned ? kInt32 : kUint32)
                            : (kSigned ? kInt64 : kUint64);
  }
}

}  // namespace simulator
}  // namespace AscendC
