// The mask registers of the vector unit, and what calls of vector instructions share. On a cube core calls
// that set them do nothing.
//
// Count forms ("n"): counter mode, n, the instruction, then normal mode and all lanes on: so they leave the
// mask. Mask forms: `mask` is a number of leading elements of a repeat, or bits; with isSetMask it is written
// to the registers (in counter mode: as the number of all elements), without it they stand as they are.
#pragma once

#include <cstdint>
#include <exception>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"
#include "sim/isa/vector_work.h"
#include "sim/isa/whole_run.h"

namespace AscendC {

namespace simulator {

template <class T>
constexpr int64_t LanesOf() {
  return tilesim::isa::kRepeatBytes * 8 / tilesim::isa::ElementBits(VectorTypeOf<T>());
}

// Elements of a repeat: 256 bytes of the wider type.
template <class T, class U>
constexpr int64_t LanesOfBoth() {
  return LanesOf<T>() < LanesOf<U>() ? LanesOf<T>() : LanesOf<U>();
}

// Strides of the operands, in data blocks. Count forms: of a side narrower than the other, only the repeats'.
struct LaneStrides {
  int64_t dst_block = 1;
  int64_t src0_block = 1;
  int64_t src1_block = 1;
  int64_t dst_repeat = 8;
  int64_t src0_repeat = 8;
  int64_t src1_repeat = 8;

  LaneStrides(const BinaryRepeatParams& params)
      : dst_block(params.dstBlkStride),
        src0_block(params.src0BlkStride),
        src1_block(params.src1BlkStride),
        dst_repeat(params.dstRepStride),
        src0_repeat(params.src0RepStride),
        src1_repeat(params.src1RepStride) {}
  LaneStrides(const UnaryRepeatParams& params)
      : dst_block(params.dstBlkStride),
        src0_block(params.srcBlkStride),
        dst_repeat(params.dstRepStride),
        src0_repeat(params.srcRepStride) {}
  LaneStrides(const CopyRepeatParams& params)
      : dst_block(params.dstStride),
        src0_block(params.srcStride),
        dst_repeat(params.dstRepeatSize),
        src0_repeat(params.srcRepeatSize) {}
  // Of repeats that lie one behind the other.
  template <class T, class U>
  static LaneStrides Contiguous() {
    constexpr int64_t kLanes = LanesOfBoth<T, U>();
    LaneStrides strides{UnaryRepeatParams()};
    strides.dst_repeat = 8 * kLanes / LanesOf<T>();
    strides.src0_repeat = strides.src1_repeat = 8 * kLanes / LanesOf<U>();
    return strides;
  }
};

template <class T>
tilesim::isa::VectorOperand LanesIn(tilesim::Core& core, const LocalTensor<T>& tensor, const char* operand,
                                    int64_t block_stride = 1, int64_t repeat_stride = 8) {
  return {.at = Of(core, tensor, operand),
          .element_bits = tilesim::isa::ElementBits(VectorTypeOf<T>()),
          .block_stride = block_stride,
          .repeat_stride = repeat_stride};
}

// The same in one look: nothing of a tensor that may not be used or is not in UB.
template <class T>
[[gnu::always_inline]] inline tilesim::isa::WholeOperand WholeIn(tilesim::Core& core,
                                                                 const LocalTensor<T>& tensor,
                                                                 int64_t block_stride = 1,
                                                                 int64_t repeat_stride = 8) {
  return {.memory = IsUsable(core, tensor) ? tensor.memory() : tilesim::Memory::kGm,
          .begin = tensor.GetPhyAddr(),
          .limit = tensor.limit(),
          .block_stride = block_stride,
          .step_bytes = repeat_stride * ONE_BLK_SIZE};
}
// Runs an instruction at once where the core may, and issues it where that is not to be.
template <class Op>
void RunOrIssue(tilesim::Core& core, const Op& op, SourceLine where) {
  if (core.at_once() && op.RunAtOnce(core)) {
    return core.CountOne(op.pipe());
  }
  core.Issue(op, where);
}

// A write of a mask register takes the scalar unit an issue.
inline void SpendOnMask(tilesim::Core& core, int64_t writes) {
  core.RecordScalar(writes * core.soc().scalar_issue_cycles);
}

inline void WriteMask(tilesim::Core& core, uint64_t high, uint64_t low) {
  tilesim::VectorRegisters& registers = core.registers().vector;
  registers.mask_high = high;
  registers.mask_low = low;
  SpendOnMask(core, 1);
}

inline void WriteMask(tilesim::Core& core, const tilesim::isa::LaneMask& lanes) {
  WriteMask(core, lanes.words[1], lanes.words[0]);
}

inline void WriteMaskMode(tilesim::Core& core, bool counter) {
  core.registers().vector.counter = counter;
  SpendOnMask(core, 1);
}

// The number of leading elements, as bits of one repeat; in counter mode as it is.
inline void WriteMaskLength(tilesim::Core& core, int64_t lanes, uint64_t length) {
  if (core.registers().vector.counter) {
    WriteMask(core, 0, length);
    return;
  }
  tilesim::isa::RequireRange(core, "mask", static_cast<int64_t>(length), 0, lanes,
                             "a repeat holds 256 bytes; use more repeats, or the form with a count");
  WriteMask(core, tilesim::isa::LaneMask::First(static_cast<int64_t>(length)));
}
template <class Given>
concept MaskLike = std::is_integral_v<Given> || std::is_pointer_v<Given>;

template <bool kSetMask, MaskLike Mask>
void WriteMaskOfForm(tilesim::Core& core, int64_t lanes, Mask mask) {
  if constexpr (kSetMask && std::is_pointer_v<Mask>) {
    WriteMask(core, lanes > 64 ? mask[1] : 0, mask[0]);  // 32-bit types: the array may hold one word only
  } else if constexpr (kSetMask) {
    WriteMaskLength(core, lanes, static_cast<uint64_t>(mask));
  }
}
// A fault where counter mode would take more elements from the mask register than there may be.
inline void RequireCountInMask(tilesim::Core& core) {
  const tilesim::VectorRegisters& registers = core.registers().vector;
  if (registers.counter && registers.mask_low > INT32_MAX) [[unlikely]] {
    tilesim::isa::RefuseCountInMask(core);
  }
}
// The work of a mask form whose mask is written.
inline tilesim::isa::VectorWork WorkOfRegisters(tilesim::Core& core, int64_t lanes, int64_t repeats) {
  RequireCountInMask(core);
  return tilesim::isa::WorkOf(core.registers().vector, lanes, repeats);
}
template <bool kSetMask, MaskLike Mask>
tilesim::isa::VectorWork WorkOfMaskForm(tilesim::Core& core, int64_t lanes, Mask mask, int64_t repeats) {
  WriteMaskOfForm<kSetMask>(core, lanes, mask);
  return WorkOfRegisters(core, lanes, repeats);
}

// The count form of an instruction, from its mask writes before it to those after it.
class CountForm {
 public:
  CountForm(tilesim::Core& core, int64_t lanes, int64_t count)
      : core_(Written(core, count)), work_(tilesim::isa::WorkOfCount(lanes, count)) {}
  // Throws where these instructions cannot be issued. Where an exception passes through the kernel is over.
  ~CountForm() noexcept(false) {
    if (std::uncaught_exceptions() == 0) {
      WriteMaskMode(core_, false);
      WriteMask(core_, ~uint64_t{0}, ~uint64_t{0});
    }
  }
  CountForm(const CountForm&) = delete;
  CountForm& operator=(const CountForm&) = delete;
  const tilesim::isa::VectorWork& work() const { return work_; }

 private:
  static tilesim::Core& Written(tilesim::Core& core, int64_t count) {
    tilesim::isa::RequireRange(core, "count", count, 0, INT32_MAX, "give a number of elements");
    WriteMaskMode(core, true);
    WriteMask(core, 0, static_cast<uint64_t>(count));
    return core;
  }

  tilesim::Core& core_;
  tilesim::isa::VectorWork work_;
};

// An instruction of a count form has run at once: it is counted, and leaves the registers as CountForm does.
inline void EndCountForm(tilesim::Core& core) {
  core.CountOne(tilesim::Pipe::kV);
  core.registers().vector.counter = false;
  core.registers().vector.mask_low = ~uint64_t{0};
  core.registers().vector.mask_high = ~uint64_t{0};
}

// The core in hand, named for messages; nullptr on a cube core, where vector calls do nothing.
inline tilesim::Core* VectorCore(const char* name, SourceLine where, tilesim::Pipe pipe = tilesim::Pipe::kV) {
  tilesim::Core& core = ThisCore();
  if (OnCube(core)) {
    core.NoteForOthers(name, where);
    return nullptr;
  }
  core.At(name, pipe, where);
  return &core;
}
// The same for calls that only set registers of vector cores up.
inline tilesim::Core* VectorRegistersCore(const char* name, SourceLine where) {
  return OnCube(ThisCore()) ? nullptr : VectorCore(name, where, tilesim::Pipe::kS);
}

// The forms of an instruction. `call`: kName; kLanes, of a repeat; Issue(core, work, where); and, of one that
// may run at once (Core::at_once), AtOnce(core, lanes): false, with nothing computed, where it may not.
template <class Call>
concept RunsAtOnce = requires(const Call& call, tilesim::Core& core) {
  call.AtOnce(core, tilesim::isa::WholeLanes());
};

template <class Call>
[[gnu::always_inline]] inline void RunCountForm(const Call& call, int64_t count, SourceLine where) {
  tilesim::Core* const core = VectorCore(Call::kName, where);
  if (core == nullptr) {
    return;
  }
  if constexpr (RunsAtOnce<Call>) {
    if (core->at_once() && call.AtOnce(*core, tilesim::isa::WholeLanes::OfCount(count))) {
      return EndCountForm(*core);
    }
  }
  const CountForm form(*core, Call::kLanes, count);
  call.Issue(*core, form.work(), where);
}
// A mask form whose mask is written, on the core that VectorCore has named the call to.
template <class Call>
[[gnu::always_inline]] inline void RunMasked(tilesim::Core& core, const Call& call, int64_t repeats,
                                             SourceLine where) {
  if constexpr (RunsAtOnce<Call>) {
    if (core.at_once() &&
        call.AtOnce(core, tilesim::isa::WholeLanes::Of(core.registers().vector, Call::kLanes, repeats))) {
      return core.CountOne(tilesim::Pipe::kV);
    }
  }
  call.Issue(core, WorkOfRegisters(core, Call::kLanes, repeats), where);
}
template <bool kSetMask, class Call, MaskLike Mask>
[[gnu::always_inline]] inline void RunMaskForm(const Call& call, Mask mask, int64_t repeats,
                                               SourceLine where) {
  if (tilesim::Core* const core = VectorCore(Call::kName, where)) {
    WriteMaskOfForm<kSetMask>(*core, Call::kLanes, mask);
    RunMasked(*core, call, repeats, where);
  }
}

}  // namespace simulator

inline void SetMaskCount(SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorRegistersCore("SetMaskCount", where)) {
    simulator::WriteMaskMode(*core, true);
  }
}
inline void SetMaskNorm(SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorRegistersCore("SetMaskNorm", where)) {
    simulator::WriteMaskMode(*core, false);
  }
}
inline void ResetMask(SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorRegistersCore("ResetMask", where)) {
    simulator::WriteMask(*core, ~uint64_t{0}, ~uint64_t{0});
  }
}

// The registers as they are to be: bits of a repeat, or (0, number of elements) in counter mode.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorRegistersCore("SetVectorMask", where)) {
    simulator::WriteMask(*core, maskHigh, maskLow);
  }
}
// NORMAL: the leading `len` elements of a repeat. COUNTER: `len` elements in all.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len, SourceLine where = SourceLine::Here()) {
  tilesim::Core* const core = simulator::VectorRegistersCore("SetVectorMask", where);
  if (core == nullptr) {
    return;
  }
  const int64_t lanes = simulator::LanesOf<T>();
  if constexpr (mode == MaskMode::COUNTER) {
    tilesim::isa::RequireRange(*core, "len", len, 0, INT32_MAX, "give a number of elements");
    simulator::WriteMask(*core, 0, static_cast<uint64_t>(len));
  } else {
    tilesim::isa::RequireRange(*core, "len", len, 0, lanes, "a repeat holds 256 bytes");
    simulator::WriteMask(*core, tilesim::isa::LaneMask::First(len));
  }
}

}  // namespace AscendC
