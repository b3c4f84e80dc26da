// Duplicate, Copy, Brcb, ArithProgression, TransDataTo5HD; pipe V. On a cube core all do nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_transpose.h"

namespace AscendC {

namespace simulator {

template <class T>
struct DuplicateCall {
  static constexpr const char* kName = "Duplicate";
  static constexpr int64_t kLanes = LanesOf<T>();
  const LocalTensor<T>& dst;
  uint32_t value_bits;
  int64_t block_stride = 1;
  int64_t repeat_stride = 8;

  [[gnu::always_inline]] bool AtOnce(tilesim::Core& core, const tilesim::isa::WholeLanes& lanes) const {
    return tilesim::isa::FillAtOnce<sizeof(T)>(
        core, VectorTypeOf<T>(), {core, lanes, WholeIn(core, dst, block_stride, repeat_stride)}, value_bits);
  }
  void Issue(tilesim::Core& core, const tilesim::isa::VectorWork& work, SourceLine where) const {
    core.Issue(tilesim::isa::VectorDuplicate{.dst = LanesIn(core, dst, "dst", block_stride, repeat_stride),
                                             .value_bits = value_bits,
                                             .type = VectorTypeOf<T>(),
                                             .work = work},
               where);
  }
};

// `Op` has rows of its own kind: operands, or places in UB.
template <class T, class Op, class Rows>
Op TransposeOf(const Rows& dst, const Rows& src, const TransDataTo5HDParams& params) {
  return {.dst = dst,
          .src = src,
          .type = VectorTypeOf<T>(),
          .dst_high = params.dstHighHalf,
          .src_high = params.srcHighHalf,
          .repeats = params.repeatTimes,
          .dst_repeat_stride = params.dstRepStride,
          .src_repeat_stride = params.srcRepStride};
}

template <class T>
std::array<tilesim::isa::Operand, NCHW_CONV_ADDR_LIST_SIZE> RowsOf(
    tilesim::Core& core, const LocalTensor<T> (&list)[NCHW_CONV_ADDR_LIST_SIZE], const char* name) {
  std::array<tilesim::isa::Operand, NCHW_CONV_ADDR_LIST_SIZE> rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = Of(core, list[i], name);
  }
  return rows;
}

}  // namespace simulator

// Every element becomes the value; 16- and 32-bit types.
template <class T>
void Duplicate(const LocalTensor<T>& dst, const PrimT<T>& value, const int32_t& count,
               SourceLine where = SourceLine::Here()) {
  simulator::RunCountForm(simulator::DuplicateCall<T>{dst, simulator::BitsOf(value)}, count, where);
}
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void Duplicate(const LocalTensor<T>& dst, const PrimT<T>& value, Mask mask, const uint8_t repeatTime,
               const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
               SourceLine where = SourceLine::Here()) {
  simulator::RunMaskForm<isSetMask>(
      simulator::DuplicateCall<T>{dst, simulator::BitsOf(value), dstBlockStride, dstRepeatStride}, mask,
      repeatTime, where);
}

// Element by element within UB; 16- and 32-bit types. Counter mode: the count is that of each repeat.
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const uint8_t repeatTime,
          const CopyRepeatParams& params, SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore(tilesim::isa::VectorLongCopy::kName, where);
  if (core == nullptr) {
    return;
  }
  const char* const kSplit = "copy in parts";
  tilesim::isa::RequireRange(*core, "dstRepeatSize", params.dstRepeatSize, 0, 4095, kSplit);
  tilesim::isa::RequireRange(*core, "srcRepeatSize", params.srcRepeatSize, 0, 4095, kSplit);
  const tilesim::VectorRegisters& registers = core->registers().vector;
  using Elements = simulator::ElementwiseOf<simulator::ElementwiseKind::kCopy, T>;
  simulator::WriteMaskOfForm<isSetMask>(*core, Elements::kLanes, mask);
  if (!registers.counter) {
    return simulator::RunMasked(*core, Elements{{dst, src, src, 0, params}}, repeatTime, where);
  }
  simulator::RequireCountInMask(*core);
  core->Issue(
      tilesim::isa::VectorLongCopy{
          .dst = simulator::LanesIn(*core, dst, "dst", params.dstStride, params.dstRepeatSize),
          .src = simulator::LanesIn(*core, src, "src", params.srcStride, params.srcRepeatSize),
          .type = simulator::VectorTypeOf<T>(),
          .work = {.elements = static_cast<int64_t>(registers.mask_low), .repeats = repeatTime}},
      where);
}

// A repeat spreads 8 elements of src over 8 data blocks of dst.
template <class T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
          const BrcbRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Brcb", where)) {
    core->Issue(
        tilesim::isa::VectorBroadcast{
            .dst = simulator::LanesIn(*core, dst, "dst", params.dstBlkStride, params.dstRepStride),
            .src = simulator::Of(*core, src, "src"),
            .type = simulator::VectorTypeOf<T>(),
            .repeats = repeatTime},
        where);
  }
}

// dst[i] = first + i * step; int16_t, half, int32_t, float. Leaves the mask as count forms do.
template <class T>
void ArithProgression(const LocalTensor<T>& dst, const std::type_identity_t<T> first,
                      const std::type_identity_t<T> step, const int32_t count,
                      SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("ArithProgression", where)) {
    const simulator::CountForm form(*core, simulator::LanesOf<T>(), count);
    core->Issue(tilesim::isa::ArithmeticSequence{.dst = simulator::LanesIn(*core, dst, "dst"),
                                                 .type = simulator::VectorTypeOf<T>(),
                                                 .first = static_cast<double>(first),
                                                 .step = static_cast<double>(step),
                                                 .work = form.work()},
                where);
  }
}

// 16 data blocks transposed; rows by address (GetPhyAddr), or as tensors. One repeat: leave the strides 0.
template <class T>
void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("TransDataTo5HD", where)) {
    using Rows = std::span<const uint64_t, NCHW_CONV_ADDR_LIST_SIZE>;
    simulator::RunOrIssue(
        *core,
        simulator::TransposeOf<T, tilesim::isa::VectorTransposeAt>(
            Rows(dstList, NCHW_CONV_ADDR_LIST_SIZE), Rows(srcList, NCHW_CONV_ADDR_LIST_SIZE), params),
        where);
  }
}
template <class T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("TransDataTo5HD", where)) {
    simulator::RunOrIssue(
        *core,
        simulator::TransposeOf<T, tilesim::isa::VectorTranspose>(
            simulator::RowsOf(*core, dstList, "dst"), simulator::RowsOf(*core, srcList, "src"), params),
        where);
  }
}

}  // namespace AscendC
