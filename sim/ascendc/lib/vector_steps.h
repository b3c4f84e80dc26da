// Basic vector calls as the steps of a function of the high-level library.
#pragma once

#include <cstdint>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_cast.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/ascendc/vector_select.h"

namespace AscendC::simulator {

// A bit an element, and 128 bytes that Select needs beside it.
struct CompareBits {
  LocalTensor<uint8_t> bits;
  LocalTensor<uint32_t> register_image;
};

class VectorSteps;

// clang-format off
// Steps of one source, of two, and of one and a number.
#define TILESIM_STEPS(ONE, TWO, SCALAR) \
  ONE(Exp) ONE(Ln) ONE(Sqrt) ONE(Abs) ONE(Relu) \
  TWO(Add) TWO(Sub) TWO(Mul) TWO(Div) TWO(Max) TWO(Min) \
  SCALAR(Adds) SCALAR(Muls) SCALAR(Maxs) SCALAR(Mins) SCALAR(ShiftLeft) SCALAR(ShiftRight)
// clang-format on

// What a step left in `dst`. Further steps work on it in its place, one after the other:
// v.Muls(y, x, 2.0F).Exp() is y = exp(2 x). It lives no longer than the statement.
template <class T, class V = VectorSteps>
struct StepsOn {
  const V& v;
  const LocalTensor<T>& dst;

#define TILESIM_STEP(NAME)                   \
  template <class... O>                      \
  StepsOn NAME(const O&... operands) const { \
    return v.NAME(dst, dst, operands...);    \
  }
  TILESIM_STEPS(TILESIM_STEP, TILESIM_STEP, TILESIM_STEP)
  TILESIM_STEP(Cast)
#undef TILESIM_STEP
};

// Each call works on the first `count` elements, is followed by the barrier of V, and bears the line of the
// kernel's own call. For vector cores only; types that a basic call does not take are its fault.
class VectorSteps {
 public:
  VectorSteps(tilesim::Core& core, uint32_t count, SourceLine where)
      : core_(core), count_(count), where_(where) {}

  uint32_t count() const { return count_; }
  SourceLine where() const { return where_; }
  tilesim::Core& core() const { return core_; }

  // For calls that are made beside these.
  void Wait() const { core_.Barrier(tilesim::Pipe::kV, where_); }

#define TILESIM_STEP_ONE(NAME)                                                  \
  template <class T>                                                            \
  StepsOn<T> NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src) const { \
    AscendC::NAME(dst, src, static_cast<int32_t>(count_), where_);              \
    return Done(dst);                                                           \
  }
#define TILESIM_STEP_TWO(NAME)                                                                               \
  template <class T>                                                                                         \
  StepsOn<T> NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1) const { \
    AscendC::NAME(dst, src0, src1, static_cast<int32_t>(count_), where_);                                    \
    return Done(dst);                                                                                        \
  }
#define TILESIM_STEP_SCALAR(NAME)                                                                       \
  template <class T>                                                                                    \
  StepsOn<T> NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::type_identity_t<T> scalar) \
      const {                                                                                           \
    AscendC::NAME<T>(dst, src, scalar, static_cast<int32_t>(count_), where_);                           \
    return Done(dst);                                                                                   \
  }
  TILESIM_STEPS(TILESIM_STEP_ONE, TILESIM_STEP_TWO, TILESIM_STEP_SCALAR)
#undef TILESIM_STEP_ONE
#undef TILESIM_STEP_TWO
#undef TILESIM_STEP_SCALAR

  template <class T>
  StepsOn<T> Duplicate(const LocalTensor<T>& dst, std::type_identity_t<T> value) const {
    AscendC::Duplicate<T>(dst, value, static_cast<int32_t>(count_), where_);
    return Done(dst);
  }
  template <class T, class U>
  StepsOn<T> Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, RoundMode mode) const {
    AscendC::Cast(dst, src, mode, count_, where_);
    return Done(dst);
  }
  // Bitwise; 32-bit elements.
#define TILESIM_STEP_BITS(NAME)                                           \
  template <class T, class... O>                                          \
  void NAME(const LocalTensor<T>& dst, const O&... src) const {           \
    AscendC::NAME(Halves(dst), Halves(src)..., HalvesCount<T>(), where_); \
    Wait();                                                               \
  }
  TILESIM_STEP_BITS(And)
  TILESIM_STEP_BITS(Or)
  TILESIM_STEP_BITS(Not)
#undef TILESIM_STEP_BITS
  // A bit an element. The operands must hold whole repeats of 256 bytes, all of which are compared.
  template <class T>
  void Compare(const CompareBits& to, const LocalTensor<T>& src0, CMPMODE mode,
               const LocalTensor<T>& src1) const {
    AscendC::Compare(to.bits, src0, src1, mode, WholeRepeats<T>(), where_);
    Wait();
  }
  template <class T>
  void Compares(const CompareBits& to, const LocalTensor<T>& src, CMPMODE mode,
                std::type_identity_t<T> scalar) const {
    AscendC::Compares(to.bits, src, scalar, mode, WholeRepeats<T>(), where_);
    Wait();
  }
  // dst = bit ? src0 : src1, by what CMPMASK holds: these leave the last 8 KiB of UB as they are.
  template <class T>
  void Select(const LocalTensor<T>& dst, const CompareBits& by, const LocalTensor<T>& src0,
              const LocalTensor<T>& src1) const {
    LoadRegister(by, static_cast<uint32_t>(by.bits.GetPhyAddr()));
    AscendC::Select<T, SELMODE::VSEL_TENSOR_TENSOR_MODE>(dst, src0, src1, 1, BinaryRepeatParams(), where_);
    EndCount();
  }
  template <class T>
  void Select(const LocalTensor<T>& dst, const CompareBits& by, const LocalTensor<T>& src0,
              std::type_identity_t<T> src1) const {
    LoadRegister(by, src1);
    AscendC::Select(dst, by.bits, src0, 1, BinaryRepeatParams(), where_);
    EndCount();
  }

 private:
  template <class T>
  StepsOn<T> Done(const LocalTensor<T>& dst) const {
    Wait();
    return {*this, dst};
  }
  // CMPMASK becomes copies of `value`; counter mode, for all elements, until EndCount.
  template <class U>
  void LoadRegister(const CompareBits& by, U value) const {
    const LocalTensor<U> image = by.register_image.template ReinterpretCast<U>();
    AscendC::Duplicate<U>(image, value, 32, where_);
    Wait();
    SetCmpMask(image, where_);
    Wait();
    WriteMaskMode(core_, true);
    WriteMask(core_, 0, count_);
  }
  void EndCount() const {
    WriteMaskMode(core_, false);
    WriteMask(core_, ~uint64_t{0}, ~uint64_t{0});
    Wait();
  }
  template <class T>
  static LocalTensor<uint16_t> Halves(const LocalTensor<T>& tensor) {
    return tensor.template ReinterpretCast<uint16_t>();
  }
  template <class T>
  int32_t HalvesCount() const {
    return static_cast<int32_t>(count_ * (sizeof(T) / sizeof(uint16_t)));
  }
  template <class T>
  uint32_t WholeRepeats() const {
    return AlignUp(count_, static_cast<uint32_t>(LanesOf<T>()));
  }

  tilesim::Core& core_;
  uint32_t count_;
  SourceLine where_;
};

// Calls body(first element, elements) for pieces of at most `piece` elements of `count`.
template <class Body>
void ForPieces(uint32_t count, uint32_t piece, Body body) {
  for (uint32_t done = 0; done < count; done += piece) {
    body(done, count - done < piece ? count - done : piece);
  }
}

}  // namespace AscendC::simulator
