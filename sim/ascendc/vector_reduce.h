// Reductions of fp16 and fp32; pipe V. On a cube core all do nothing.
//
// `mask` is a number of leading elements of a repeat, or a pointer to bits; lanes that are off take no part
// and are not read. `repeat` is not used in counter mode; of BlockReduce*, PairReduce*, WholeReduce*,
// RepeatReduceSum and their other names it is 255 at most. Strides of src count data blocks; those of dst
// count what the call says, all up to 65535. dst may be src: results are packed to the front.
//
// The order of sums is the same on every machine: neighbours are added, then neighbouring sums, until one is
// left; a lane that takes no part leaves its neighbour as it is. fp16 rounds every sum to nearest even, and
// saturates it where SetSaturationFlag has it so. The largest and the least are the first of equals; NaN is
// both, and of several the first; +0 is above -0. fp16 saturates them only when they are written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_reduce.h"

namespace AscendC {

enum class ReduceType : int8_t { NONE = -1, SUM, MAX, MIN };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

namespace simulator {

using tilesim::isa::ReduceCall;
using tilesim::isa::ReduceOp;

struct ReduceStrides {
  int64_t dst_repeat;
  int64_t src_block;
  int64_t src_repeat;
};

template <ReduceCall kCall, ReduceOp kOp, bool kSetMask, class T, class U, MaskLike Mask>
void Reduce(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, int32_t repeat,
            const ReduceStrides& strides, SourceLine where,
            ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  tilesim::Core* const core = VectorCore(tilesim::isa::NameOf(kCall, kOp), where);
  if (core == nullptr) {
    return;
  }
  core->Require(std::is_same_v<T, U>, tilesim::FaultKind::kMisuse, "dst",
                "has other elements than src, which this part does not take; Cast first");
  if (!core->registers().vector.counter) {
    tilesim::isa::RequireRange(*core, "repeat", repeat, 0, 255, "reduce in parts");
  }
  tilesim::isa::IssueReduce(*core,
                            {.call = kCall,
                             .op = kOp,
                             .src = LanesIn(*core, src, "src", strides.src_block, strides.src_repeat),
                             .dst = Of(*core, dst, "dst"),
                             .dst_stride = strides.dst_repeat,
                             .type = VectorTypeOf<U>(),
                             .result = static_cast<tilesim::isa::ReduceResult>(order),
                             .work = WorkOfMaskForm<kSetMask>(*core, LanesOf<U>(), mask, repeat)},
                            where);
}

template <ReduceType kType>
constexpr ReduceOp OpOf() {
  static_assert(kType != ReduceType::NONE, "a reduction is a SUM, a MAX or a MIN");
  return static_cast<ReduceOp>(kType);
}

// What ReduceSum, ReduceMax and ReduceMin work on: one element of many, made by several instructions of V
// with the barriers between them, and by the scalar unit, which waits for V and which V and MTE3 wait for.
struct ReduceSequence {
  tilesim::Core& core;
  ReduceOp op;
  tilesim::isa::VectorType type;
  tilesim::isa::Operand dst;
  tilesim::isa::VectorOperand src;
  tilesim::isa::Operand scratch;
  SourceLine where;
};
template <class T>
ReduceSequence ReduceSequenceOf(tilesim::Core& core, ReduceOp op, const LocalTensor<T>& dst,
                                const LocalTensor<T>& src, const LocalTensor<T>& scratch, SourceLine where) {
  return {.core = core,
          .op = op,
          .type = VectorTypeOf<T>(),
          .dst = Of(core, dst, "dst"),
          .src = LanesIn(core, src, "src"),
          .scratch = Of(core, scratch, "sharedTmpBuffer"),
          .where = where};
}

// Issues the sum, the largest or the least of `count` elements; a sum without `set_mask`: of the registers'.
void ReduceOfCount(const ReduceSequence& on, int64_t count, bool set_mask, bool with_index);
// The same of the registers' lanes in each of `repeats` repeats, which lie `src_stride` data blocks apart.
void ReduceOfMaskRegisters(ReduceSequence on, int64_t repeats, int64_t src_stride, bool with_index);
void RequireNormalMode(tilesim::Core& core);

template <ReduceOp kOp, class T>
void ReduceOfCount(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scratch,
                   int32_t count, bool set_mask, bool with_index, SourceLine where) {
  if (tilesim::Core* core = VectorCore(NameOf(ReduceCall::kSequence, kOp), where)) {
    ReduceOfCount(ReduceSequenceOf(*core, kOp, dst, src, scratch, where), count, set_mask, with_index);
  }
}
template <ReduceOp kOp, class T, MaskLike Mask>
void ReduceOfMask(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scratch,
                  Mask mask, int32_t repeats, int32_t src_stride, bool with_index, SourceLine where) {
  if (tilesim::Core* core = VectorCore(NameOf(ReduceCall::kSequence, kOp), where)) {
    const ReduceSequence on = ReduceSequenceOf(*core, kOp, dst, src, scratch, where);
    RequireNormalMode(*core);
    WriteMaskOfForm<true>(*core, LanesOf<T>(), mask);
    ReduceOfMaskRegisters(on, repeats, src_stride, with_index);
  }
}

using tilesim::isa::ReduceReadOut;

template <class T>
T FromBits(uint32_t bits) {
  static_assert(sizeof(T) <= sizeof(bits));
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

template <ReduceReadOut kReadOut, class T>
uint32_t SumBits(const char* name, SourceLine where) {
  uint32_t bits = 0;
  if (tilesim::Core* core = VectorCore(name, where, tilesim::Pipe::kS)) {
    core->Issue(
        tilesim::isa::ReadReduced{
            .call = kReadOut, .type = VectorTypeOf<T>(), .value_bits = &bits, .index = nullptr},
        where);
  }
  return bits;
}

// Nothing is read where it stays as it is.
template <ReduceReadOut kReadOut, class T, class To>
void ReadMaxMin(const char* name, To& value, To& index, SourceLine where) {
  if (tilesim::Core* core = VectorCore(name, where, tilesim::Pipe::kS)) {
    uint32_t value_bits = 0;
    uint32_t index_bits = 0;
    core->Issue(
        tilesim::isa::ReadReduced{
            .call = kReadOut, .type = VectorTypeOf<T>(), .value_bits = &value_bits, .index = &index_bits},
        where);
    value = FromBits<To>(value_bits);
    index = FromBits<To>(index_bits);
  }
}

}  // namespace simulator

// The calls that take the number of repeats before the mask.
#define TILESIM_REDUCE_GROUPS(NAME, CALL, OP)                                                      \
  template <class T, bool isSetMask = true, simulator::MaskLike Mask>                              \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat, Mask mask, \
            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,    \
            SourceLine where = SourceLine::Here()) {                                               \
    simulator::Reduce<simulator::ReduceCall::CALL, simulator::ReduceOp::OP, isSetMask>(            \
        dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where);                \
  }

// Each data block becomes an element, those of a repeat 8 neighbours; dstRepStride counts 8 elements. A block
// without lanes leaves its place in dst as it is. dst is aligned to 8 elements.
template <ReduceType reduceType, class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, const int32_t repeat,
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                     SourceLine where = SourceLine::Here()) {
  simulator::Reduce<simulator::ReduceCall::kReduceDataBlock, simulator::OpOf<reduceType>(), isSetMask>(
      dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where);
}
TILESIM_REDUCE_GROUPS(BlockReduceSum, kBlockReduce, kSum)
TILESIM_REDUCE_GROUPS(BlockReduceMax, kBlockReduce, kMax)
TILESIM_REDUCE_GROUPS(BlockReduceMin, kBlockReduce, kMin)

// Two neighbours become their sum, those of a repeat 128 bytes; dstRepStride counts 128 bytes. A pair without
// lanes leaves its place in dst as it is. dst is aligned to 32 bytes.
template <ReduceType reduceType, class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, const int32_t repeat,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    SourceLine where = SourceLine::Here()) {
  static_assert(reduceType == ReduceType::SUM, "ReducePairElem makes sums only: ReduceType::SUM");
  simulator::Reduce<simulator::ReduceCall::kReducePairElem, simulator::ReduceOp::kSum, isSetMask>(
      dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where);
}
TILESIM_REDUCE_GROUPS(PairReduceSum, kPairReduce, kSum)
#undef TILESIM_REDUCE_GROUPS

// Each repeat becomes its sum, or its largest or least element and where that is. dstRepStride counts
// results, and dst is aligned to one: an element, or as `order` says of MAX and MIN: value and index, two
// elements, the index as the bits of a whole number; the value; the index, a uint32. The index is the lane in
// the repeat. A repeat without lanes leaves its place in dst as it is. Of MAX and MIN,
// GetReduceRepeatMaxMinSpr tells the best of all repeats.
template <ReduceType reduceType, class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, const int32_t repeat,
                  const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                  ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, SourceLine where = SourceLine::Here()) {
  simulator::Reduce<simulator::ReduceCall::kReduceRepeat, simulator::OpOf<reduceType>(), isSetMask>(
      dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where, order);
}
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const int32_t repeat,
                    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                    SourceLine where = SourceLine::Here()) {
  simulator::Reduce<simulator::ReduceCall::kWholeReduce, simulator::ReduceOp::kSum, isSetMask>(
      dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where);
}
#define TILESIM_WHOLE_REDUCE_BEST(NAME, OP)                                                              \
  template <class T, bool isSetMask = true, simulator::MaskLike Mask>                                    \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const int32_t repeat,       \
            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,          \
            ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, SourceLine where = SourceLine::Here()) { \
    simulator::Reduce<simulator::ReduceCall::kWholeReduce, simulator::ReduceOp::OP, isSetMask>(          \
        dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where, order);               \
  }

TILESIM_WHOLE_REDUCE_BEST(WholeReduceMax, kMax)
TILESIM_WHOLE_REDUCE_BEST(WholeReduceMin, kMin)
#undef TILESIM_WHOLE_REDUCE_BEST
// dstBlkStride is not used.
template <class T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat,
                     const int32_t mask, const int32_t /*dstBlkStride*/, const int32_t srcBlkStride,
                     const int32_t dstRepStride, const int32_t srcRepStride,
                     SourceLine where = SourceLine::Here()) {
  simulator::Reduce<simulator::ReduceCall::kRepeatReduce, simulator::ReduceOp::kSum, isSetMask>(
      dst, src, mask, repeat, {dstRepStride, srcBlkStride, srcRepStride}, where);
}

// dst[0] = the sum of `count` elements: of each repeat as above, then these added in their order; no other
// element of dst is written, and sharedTmpBuffer is not used. Leaves normal mode and all lanes on; GetAccVal
// tells the sum. Without isSetMask the mask registers say which elements, and stay. dst is aligned to one.
template <class T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const int32_t count, SourceLine where = SourceLine::Here()) {
  simulator::ReduceOfCount<simulator::ReduceOp::kSum>(dst, src, sharedTmpBuffer, count, isSetMask, false,
                                                      where);
}
// dst[0] = the sum of the lanes of `repeat` repeats, 16384 of fp16, 4096 of fp32 at most: each to an element
// of sharedTmpBuffer; these as repeats again; and those. In normal mode only. Leaves the last step's mask.
template <class T, simulator::MaskLike Mask>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               Mask mask, const int32_t repeat, const int32_t srcRepStride,
               SourceLine where = SourceLine::Here()) {
  simulator::ReduceOfMask<simulator::ReduceOp::kSum>(dst, src, sharedTmpBuffer, mask, repeat, srcRepStride,
                                                     false, where);
}

// dst[0] = the largest of `count` elements; with calIndex dst[1] = its place, as the bits of a whole number,
// which fp16 has up to 65535. Whole repeats go to sharedTmpBuffer, two elements each; these as repeats again,
// until one is left (with calIndex each behind those before it, whole data blocks); a last part of a repeat
// is compared with what they give, and wins only if it is better. In normal mode only. Leaves the mask of its
// last instruction. dst is aligned to an element, with calIndex to two. The form with a mask: of the lanes of
// any number of repeats; its place counts from the first repeat's first element. ReduceMin: the least.
#define TILESIM_REDUCE_BEST(NAME, OP)                                                                       \
  template <class T>                                                                                        \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,    \
            const int32_t count, bool calIndex = false, SourceLine where = SourceLine::Here()) {            \
    simulator::ReduceOfCount<simulator::ReduceOp::OP>(dst, src, sharedTmpBuffer, count, true, calIndex,     \
                                                      where);                                               \
  }                                                                                                         \
  template <class T, simulator::MaskLike Mask>                                                              \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,    \
            Mask mask, const int32_t repeat, const int32_t srcRepStride, bool calIndex = false,             \
            SourceLine where = SourceLine::Here()) {                                                        \
    simulator::ReduceOfMask<simulator::ReduceOp::OP>(dst, src, sharedTmpBuffer, mask, repeat, srcRepStride, \
                                                     calIndex, where);                                      \
  }

TILESIM_REDUCE_BEST(ReduceMax, kMax)
TILESIM_REDUCE_BEST(ReduceMin, kMin)
#undef TILESIM_REDUCE_BEST

// The sum of the last ReduceSum of a count, or 0; V is to be waited for (V_S). Without T, its bits.
#define TILESIM_READ_SUM(NAME, READ_OUT)                                                                    \
  template <class T>                                                                                        \
  T NAME(SourceLine where = SourceLine::Here()) {                                                           \
    return simulator::FromBits<T>(simulator::SumBits<simulator::ReduceReadOut::READ_OUT, T>(#NAME, where)); \
  }                                                                                                         \
  inline int64_t NAME(SourceLine where = SourceLine::Here()) {                                              \
    return simulator::SumBits<simulator::ReduceReadOut::READ_OUT, float>(#NAME, where);                     \
  }

TILESIM_READ_SUM(GetReduceRepeatSumSpr, kRepeatSumSpr)
TILESIM_READ_SUM(GetAccVal, kAccVal)
#undef TILESIM_READ_SUM

// The largest or least element of all repeats of the last ReduceRepeat, WholeReduceMax or WholeReduceMin, or
// of the last instruction of a ReduceMax or ReduceMin, and its place: lanes, counted from the first repeat's
// first one, as the bits of a whole number. V is to be waited for (V_S). As T, or both as whole numbers.
#define TILESIM_READ_BEST(NAME, READ_OUT)                                                                 \
  template <class T>                                                                                      \
  void NAME(T& maxMinValue, T& maxMinIndex, SourceLine where = SourceLine::Here()) {                      \
    simulator::ReadMaxMin<simulator::ReduceReadOut::READ_OUT, T>(#NAME, maxMinValue, maxMinIndex, where); \
  }                                                                                                       \
  template <class T>                                                                                      \
  void NAME(uint32_t& maxMinValue, uint32_t& maxMinIndex, SourceLine where = SourceLine::Here()) {        \
    simulator::ReadMaxMin<simulator::ReduceReadOut::READ_OUT, T>(#NAME, maxMinValue, maxMinIndex, where); \
  }

TILESIM_READ_BEST(GetReduceRepeatMaxMinSpr, kRepeatMaxMinSpr)
TILESIM_READ_BEST(GetReduceMaxMinCount, kMaxMinCount)
#undef TILESIM_READ_BEST

}  // namespace AscendC
