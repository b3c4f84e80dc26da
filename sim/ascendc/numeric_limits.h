// The ends of the element types: as values, and as tensors full of them.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/vector_fill.h"

namespace AscendC {

// T: whole numbers of 8, 16 and 32 bits, half, float. Those with a tensor fill its first `count` elements by
// Duplicate (pipe V); of 8-bit types, which that has not, as pairs, so that `count` must be even.
template <class T>
class NumericLimits {
  static constexpr bool kWhole = std::is_integral_v<T> && sizeof(T) <= 4;
  static_assert(kWhole || std::is_same_v<T, half> || std::is_same_v<T, float>,
                "NumericLimits has whole numbers of 8, 16 and 32 bits, half and float");

 public:
  static T Max() { return End(std::numeric_limits<Whole>::max(), 0x7BFF, 0x7F7FFFFF); }
  static T Lowest() { return End(std::numeric_limits<Whole>::min(), 0xFBFF, 0xFF7FFFFF); }
  static T Min() { return End(std::numeric_limits<Whole>::min(), 0x0400, 0x00800000); }
  static T Infinity() { return Real(0x7C00, 0x7F800000); }
  static T NegativeInfinity() { return Real(0xFC00, 0xFF800000); }
  static T QuietNaN() { return Real(0x7E00, 0x7FC00000); }
  static T SignalingNaN() { return Real(0x7D00, 0x7FA00000); }
  static T DeNormMin() { return Real(0x0001, 0x00000001); }

  static void Max(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, Max(), count, where);
  }
  static void Lowest(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, Lowest(), count, where);
  }
  static void Min(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, Min(), count, where);
  }
  static void Infinity(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, Infinity(), count, where);
  }
  static void NegativeInfinity(const LocalTensor<T>& dst, uint32_t count,
                               SourceLine where = SourceLine::Here()) {
    Fill(dst, NegativeInfinity(), count, where);
  }
  static void QuietNaN(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, QuietNaN(), count, where);
  }
  static void SignalingNaN(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, SignalingNaN(), count, where);
  }
  static void DeNormMin(const LocalTensor<T>& dst, uint32_t count, SourceLine where = SourceLine::Here()) {
    Fill(dst, DeNormMin(), count, where);
  }

 private:
  using Whole = std::conditional_t<kWhole, T, uint16_t>;

  static T End(Whole whole, uint16_t half_bits, uint32_t float_bits) {
    if constexpr (kWhole) {
      return whole;
    } else {
      return Real(half_bits, float_bits);
    }
  }
  static T Real(uint16_t half_bits, uint32_t float_bits) {
    static_assert(!std::is_same_v<T, bfloat16_t>);
    if constexpr (std::is_same_v<T, half>) {
      return std::bit_cast<half>(half_bits);
    } else {
      static_assert(std::is_same_v<T, float>, "whole numbers have no infinity, NaN or subnormal numbers");
      return std::bit_cast<float>(float_bits);
    }
  }
  static void Fill(const LocalTensor<T>& dst, T value, uint32_t count, SourceLine where) {
    if constexpr (sizeof(T) == 1) {
      simulator::ThisCore().At("NumericLimits", tilesim::Pipe::kV, where);
      simulator::ThisCore().Require(count % 2 == 0, tilesim::FaultKind::kLimit, "count", "is ", count,
                                    ", must be even for a type of 8 bits");
      const auto byte = static_cast<uint8_t>(value);
      Duplicate<uint16_t>(dst.template ReinterpretCast<uint16_t>(), static_cast<uint16_t>(byte * 0x0101),
                          static_cast<int32_t>(count / 2), where);
    } else if constexpr (std::is_same_v<T, float>) {  // by its bits: a signalling NaN stays one
      Duplicate<uint32_t>(dst.template ReinterpretCast<uint32_t>(), std::bit_cast<uint32_t>(value),
                          static_cast<int32_t>(count), where);
    } else {
      Duplicate<T>(dst, value, static_cast<int32_t>(count), where);
    }
  }
};

}  // namespace AscendC
