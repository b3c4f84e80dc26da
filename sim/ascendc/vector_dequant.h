// CastDequant and AddDeqRelu, and what they scale by; pipe V. On a cube core vector calls do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_cast.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/isa/vector_cast.h"

namespace AscendC {

// Parameters of CastDequant, a set for each lane of a data block of 16. Offsets: -256..255.
struct VdeqInfo {
  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};

  VdeqInfo() = default;
  VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16]) {
    for (int i = 0; i < 16; ++i) {
      vdeqScale[i] = scales[i];
      vdeqOffset[i] = offsets[i];
      vdeqSignMode[i] = signs[i];
    }
  }
};

namespace simulator {

inline void RequireOffset(tilesim::Core& core, int16_t offset) {
  tilesim::isa::RequireRange(core, "offset", offset, -256, 255, "an offset has 9 bits");
}
inline void WriteDequant(tilesim::Core& core, bool list, uint64_t value) {
  tilesim::VectorRegisters& registers = core.registers().vector;
  registers.deq_scale_set = false;
  registers.dequant_one_set = !list;
  registers.dequant_list_set = list;
  (list ? registers.dequant_list : registers.dequant_one) = value;
  SpendOnMask(core, 1);
}

// int16_t to 8 bits; int32_t to half, which is Cast by SetDeqScale(half).
template <class T, class U, bool isVecDeq, bool halfBlock>
struct DequantCall {
  static constexpr const char* kName = tilesim::isa::VectorDequant::kName;
  static constexpr int64_t kLanes = LanesOf<U>();
  const LocalTensor<T>& dst;
  const LocalTensor<U>& src;
  UnaryRepeatParams params = {1, 1, std::is_same_v<T, half> ? 4 : 8, 8};

  void Issue(tilesim::Core& core, const tilesim::isa::VectorWork& work, SourceLine where) const {
    if constexpr (std::is_same_v<T, half> && std::is_same_v<U, int32_t>) {
      CastCall<T, U>{dst, src, RoundMode::CAST_NONE, params}.Issue(core, work, where);
    } else {
      constexpr bool kTakes =
          (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>)&&std::is_same_v<U, int16_t>;
      core.Require(kTakes, tilesim::FaultKind::kMisuse, "dst", "there is no CastDequant from ",
                   tilesim::isa::Name(VectorTypeOf<U>()), " to ", tilesim::isa::Name(VectorTypeOf<T>()),
                   "; it takes int16 to int8 or uint8, and int32 to fp16");
      auto lanes = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride);
      lanes.element_bits = 16;
      core.Issue(tilesim::isa::VectorDequant{.dst = lanes,
                                             .src = LanesIn(core, src, "src", params.srcBlkStride,
                                                            params.srcRepStride),
                                             .has_sign = std::is_signed_v<T>,
                                             .by_list = isVecDeq,
                                             .upper_half = halfBlock,
                                             .work = work},
                 where);
    }
  }
};

// The last 8 KiB of UB, which the API keeps for itself.
template <class T>
LocalTensor<T> ReservedUb() {
  return LocalTensor<T>(TPosition::VECCALC, TMP_UB_OFFSET, TOTAL_UB_SIZE - TMP_UB_OFFSET, Lease());
}

// AddDeqRelu of `elements`, up to 2048. `form(strides, call)` calls each step with the arguments of its form.
template <class Form>
void DeqReluPart(tilesim::Core& core, const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                 const LocalTensor<int32_t>& src1, int32_t elements, const BinaryRepeatParams& strides,
                 const Form& form, SourceLine where) {
  const LocalTensor<int32_t> sums = ReservedUb<int32_t>();
  const LocalTensor<half> zeros = ReservedUb<half>();
  const LocalTensor<float> scaled = src0.template ReinterpretCast<float>();
  const LocalTensor<half> halves = src1.template ReinterpretCast<half>();
  const auto step = [&](const auto& params, const auto& call) {
    form(params, call);
    core.Barrier(tilesim::Pipe::kV, where);
  };
  step(BinaryRepeatParams(1, strides.src0BlkStride, strides.src1BlkStride, 8, strides.src0RepStride,
                          strides.src1RepStride),
       [&](auto... how) { Add(sums, src0, src1, how..., where); });
  step(UnaryRepeatParams(), [&](auto... how) { Cast(scaled, sums, RoundMode::CAST_NONE, how..., where); });
  for (const float factor : {0x1p-17F, core.registers().vector.deq_scale, 0x1p17F}) {
    step(UnaryRepeatParams(), [&](auto... how) { Muls(scaled, scaled, factor, how..., where); });
  }
  step(UnaryRepeatParams(1, 1, 4, 8),
       [&](auto... how) { Cast(halves, scaled, RoundMode::CAST_NONE, how..., where); });
  Duplicate(zeros, half(0.0F), elements, where);
  core.Barrier(tilesim::Pipe::kV, where);
  step(BinaryRepeatParams(strides.dstBlkStride, 1, 1, strides.dstRepStride, 4, 4),
       [&](auto... how) { Max(dst, zeros, halves, how..., where); });
}

inline tilesim::Core* DeqReluCore(SourceLine where) {
  tilesim::Core* const core = VectorCore("AddDeqRelu", where);
  if (core != nullptr) {
    core->Require(core->registers().vector.has_deq_scale, tilesim::FaultKind::kMisuse, "scale",
                  "AddDeqRelu scales by what SetDeqScale(half) set last; call it first");
  }
  return core;
}

}  // namespace simulator

// The one set of parameters of CastDequant with isVecDeq = false; signMode: int8_t, else uint8_t.
inline void SetDeqScale(float scale, int16_t offset, bool signMode, SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  core.At("SetDeqScale", tilesim::Pipe::kS, where);
  simulator::RequireOffset(core, offset);
  simulator::WriteDequant(core, false, tilesim::isa::DequantWord(scale, offset, signMode));
}
// The 16 sets of isVecDeq = true, by the scalar unit to 128 bytes of vdeq: V has to wait (S_V), vdeq to stay.
template <class T>
void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo,
                 SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<T, uint64_t>, "SetDeqScale: vdeq holds uint64_t");
  tilesim::Core* const core = simulator::VectorRegistersCore("SetDeqScale", where);
  if (core == nullptr) {
    return;
  }
  tilesim::isa::RequireUb(*core, "vdeq", simulator::Of(*core, vdeq, "vdeq"));
  for (uint32_t i = 0; i < tilesim::isa::kDequantSets; ++i) {
    simulator::RequireOffset(*core, vdeqInfo.vdeqOffset[i]);
    vdeq.SetValue(
        i, tilesim::isa::DequantWord(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]),
        where);
  }
  simulator::WriteDequant(*core, true, vdeq.GetPhyAddr());
}

// int16_t to int8_t or uint8_t, by one set of parameters or by 16 (isVecDeq), to the upper or the lower half
// (halfBlock) of data blocks: see sim/isa/vector_cast.h. int32_t to half: src * scale. After SetDeqScale.
#define TILESIM_CAST_DEQUANT(NAME)                                                                         \
  template <class T, class U, bool isVecDeq = true, bool halfBlock = true>                                 \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,                    \
            SourceLine where = SourceLine::Here()) {                                                       \
    simulator::RunCountForm(simulator::DequantCall<T, U, isVecDeq, halfBlock>{dst, src}, count, where);    \
  }                                                                                                        \
  template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true,          \
            simulator::MaskLike Mask>                                                                      \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, uint8_t repeatTime,           \
            const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {                      \
    simulator::RunMaskForm<isSetMask>(simulator::DequantCall<T, U, isVecDeq, halfBlock>{dst, src, params}, \
                                      mask, repeatTime, where);                                            \
  }

TILESIM_CAST_DEQUANT(CastDequant)
TILESIM_CAST_DEQUANT(CastDeq)
#undef TILESIM_CAST_DEQUANT

// dst = max(0, half(float(src0 + src1) * 2^-17 * scale * 2^17)), scale as SetDeqScale(half) set it last, as
// the eight instructions that the part makes of it: each product is rounded to float, and the sum wraps
// around. They use the last 8 KiB of UB, and overwrite src0 and src1 from their starts on, contiguously
// whatever the strides. Masks are of 64 elements of int32_t a repeat, in normal mode. Leaves normal mode and,
// in the forms with a count and with isSetMask = false, all lanes on. (On the device the last step of
// isSetMask = false writes all lanes; here only those of the mask.)
template <class T, class U>
void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                const int32_t& count, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>, "AddDeqRelu: int32_t to half");
  constexpr int32_t kMost = 2048;
  tilesim::Core* const core = simulator::DeqReluCore(where);
  for (int32_t at = 0; core != nullptr && at < count; at += kMost) {
    const int32_t here = count - at < kMost ? count - at : kMost;
    simulator::DeqReluPart(
        *core, dst[at], src0[at], src1[at], here, BinaryRepeatParams(),
        [here](const auto& /*strides*/, const auto& call) { call(here); }, where);
  }
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, Mask mask,
                uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>, "AddDeqRelu: int32_t to half");
  constexpr int64_t kLanes = 64;
  constexpr uint32_t kMost = 32;
  tilesim::Core* const core = simulator::DeqReluCore(where);
  if (core == nullptr || repeatTime == 0) {
    return;
  }
  core->Require(
      !core->registers().vector.counter, tilesim::FaultKind::kMisuse, "mask",
      "the mask is in counter mode, which AddDeqRelu leaves in its middle; call SetMaskNorm first, or "
      "use the form with a count");
  simulator::WriteMaskOfForm<isSetMask>(*core, kLanes, mask);
  uint64_t bits[2] = {core->registers().vector.mask_low, 0};
  for (uint32_t at = 0; at < repeatTime; at += kMost) {
    const auto repeats = static_cast<uint8_t>(repeatTime - at < kMost ? repeatTime - at : kMost);
    simulator::DeqReluPart(
        *core, dst[at * params.dstRepStride * 16], src0[at * params.src0RepStride * 8],
        src1[at * params.src1RepStride * 8], int32_t{repeats} * kLanes, params,
        [&](const auto& strides, const auto& call) { call(&bits[0], repeats, strides); }, where);
  }
  if constexpr (!isSetMask) {
    simulator::WriteMask(*core, ~uint64_t{0}, ~uint64_t{0});
  }
}
template <bool isSetMask = true, simulator::MaskLike Mask>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                const LocalTensor<int32_t>& src1, Mask mask, uint8_t repeatTime,
                const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}

}  // namespace AscendC
