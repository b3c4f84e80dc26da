// dst = a + b and the like: an operator makes an object that holds its operands, and assigning it to a tensor
// is the call. So one operator an assignment, and none with a scalar.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_select.h"

namespace AscendC {

// What a op b stands for. The number of elements is that of dst when it is assigned.
template <class T, simulator::TensorOperator kOperator>
class SymbolOverride {
 public:
  SymbolOverride(const LocalTensor<T>& a, const LocalTensor<T>& b) : a_(a), b_(b) {}
  void Into(const LocalTensor<T>& dst, SourceLine where) const {
    using enum simulator::TensorOperator;
    const auto count = static_cast<int32_t>(dst.GetSize());
    if constexpr (kOperator == kAdd) {
      Add(dst, a_, b_, count, where);
    } else if constexpr (kOperator == kSub) {
      Sub(dst, a_, b_, count, where);
    } else if constexpr (kOperator == kMul) {
      Mul(dst, a_, b_, count, where);
    } else if constexpr (kOperator == kDiv) {
      Div(dst, a_, b_, count, where);
    } else {  // these count lanes of 16 bits
      static_assert(std::is_integral_v<T>, "& and | are of tensors of whole numbers");
      const auto lanes = static_cast<int32_t>(count * static_cast<int64_t>(sizeof(T)) / 2);
      kOperator == kAnd ? And(dst, a_, b_, lanes, where) : Or(dst, a_, b_, lanes, where);
    }
  }

 private:
  LocalTensor<T> a_;
  LocalTensor<T> b_;
};

// What a < b and the like stand for: a bit for each of a's elements; half, float.
template <class T>
class SymbolOverrideCompare {
 public:
  SymbolOverrideCompare(const LocalTensor<T>& a, const LocalTensor<T>& b, CMPMODE mode)
      : a_(a), b_(b), mode_(mode) {}
  template <class U>
  void Into(const LocalTensor<U>& dst, SourceLine where) const {
    static_assert(sizeof(U) == 1, "the bits of a comparison go to a tensor of int8_t or uint8_t");
    Compare(dst, a_, b_, mode_, a_.GetSize(), where);
  }

 private:
  LocalTensor<T> a_;
  LocalTensor<T> b_;
  CMPMODE mode_;
};

}  // namespace AscendC
