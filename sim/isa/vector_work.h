// Which elements a vector instruction works on: repeats, mask and strides.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "formats/units.h"
#include "sim/core/core.h"
#include "sim/core/vector_registers.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_run.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

// A bit a lane of a repeat; lane 0 in bit 0 of the first word.
struct LaneMask {
  std::array<uint64_t, 2> words{};

  // From `lane` on, as far as its word goes; that lane in bit 0.
  uint64_t From(int64_t lane) const { return words[static_cast<size_t>(lane / 64)] >> (lane % 64); }
  bool Has(int64_t lane) const { return (From(lane) & 1) != 0; }
  // The number of lanes before the first one that is off.
  int64_t Leading() const {
    const int low = std::countr_one(words[0]);
    return low < 64 ? low : 64 + std::countr_one(words[1]);
  }
  bool IsPrefix() const {
    const auto ones_end_it = [](uint64_t word) { return (word & (word + 1)) == 0; };
    return words[1] == 0 ? ones_end_it(words[0]) : words[0] == ~uint64_t{0} && ones_end_it(words[1]);
  }
  bool Empty() const { return (words[0] | words[1]) == 0; }
  static LaneMask First(int64_t lanes) {
    const auto low_bits = [](int64_t count) {
      return count >= 64 ? ~uint64_t{0} : count <= 0 ? 0 : (uint64_t{1} << count) - 1;
    };
    return {{low_bits(lanes), low_bits(lanes - 64)}};
  }
  // In registers: through memory it would take longer than all else that is asked of an instruction.
  friend bool operator==(const LaneMask& a, const LaneMask& b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
  }
};

// The lanes of each repeat. Knows no operand.
struct VectorWork {
  int64_t repeats = 0;
  int64_t lanes = 0;   // of a whole repeat: 256 bytes of the widest operand
  LaneMask mask;       // of every repeat but the last
  LaneMask last_mask;  // of the last one

  bool IsNop() const { return repeats == 0 || (mask.Empty() && last_mask.Empty()); }
  const LaneMask& MaskOf(int64_t repeat) const { return repeat + 1 == repeats ? last_mask : mask; }
  // Of leading lanes only, and of all of them in each repeat but the last: how many in all.
  std::optional<int64_t> Elements() const { return elements >= 0 ? std::optional(elements) : std::nullopt; }
  int64_t elements = -1;  // what Elements tells; -1: nothing
};

// `count` elements, as counter mode makes them: whole repeats, then what is left.
inline VectorWork WorkOfCount(int64_t lanes, int64_t count) {
  if (count <= 0) {
    return {.repeats = 0, .lanes = lanes, .mask = {}, .last_mask = {}, .elements = 0};
  }
  const int64_t repeats = (count + lanes - 1) >> std::countr_zero(Unsigned(lanes));  // a power of two
  return {.repeats = repeats,
          .lanes = lanes,
          .mask = LaneMask::First(lanes),
          .last_mask = LaneMask::First(count - (repeats - 1) * lanes),
          .elements = count};
}
// `repeats` times the lanes of `mask`, in the last one those of `last_mask`; none is beyond `lanes`.
inline VectorWork WorkOfMasks(const LaneMask& mask, const LaneMask& last_mask, int64_t lanes,
                              int64_t repeats) {
  const LaneMask all = LaneMask::First(lanes);
  const int64_t leading = last_mask == all ? lanes : last_mask.IsPrefix() ? last_mask.Leading() : -1;
  const bool in_a_row = leading >= 0 && (repeats == 1 || mask == all);
  return {.repeats = repeats,
          .lanes = lanes,
          .mask = mask,
          .last_mask = last_mask,
          .elements = in_a_row ? (repeats - 1) * lanes + leading : -1};
}
inline VectorWork WorkOfMask(const LaneMask& mask, int64_t lanes, int64_t repeats) {
  const LaneMask all = LaneMask::First(lanes);
  const LaneMask used = {{mask.words[0] & all.words[0], mask.words[1] & all.words[1]}};
  return WorkOfMasks(used, used, lanes, repeats);
}
inline VectorWork WorkOfRepeats(int64_t lanes, int64_t repeats) {
  return WorkOfMask(LaneMask::First(lanes), lanes, repeats);
}
// What the mask registers make of an instruction of `repeats` repeats.
inline VectorWork WorkOf(const VectorRegisters& registers, int64_t lanes, int64_t repeats) {
  return registers.counter ? WorkOfCount(lanes, static_cast<int64_t>(registers.mask_low))
                           : WorkOfMask({{registers.mask_low, registers.mask_high}}, lanes, repeats);
}

// Where the lanes of a repeat lie in UB.
struct VectorOperand {
  Operand at;  // UB
  int64_t element_bits = 32;
  int64_t block_stride = 1;        // data blocks from block to block of a repeat
  int64_t repeat_stride = 8;       // data blocks from repeat to repeat
  int64_t repeat_unit_bytes = 32;  // or what else repeat_stride counts

  // The byte of lane `lane` of a repeat, from the repeat's start.
  int64_t LaneBytes(int64_t lane) const {
    const uint64_t bytes = Unsigned(lane * element_bits) / 8;
    return static_cast<int64_t>(bytes / 32 * 32) * block_stride + static_cast<int64_t>(bytes % 32);
  }
  // One past the last byte of a repeat's first `lanes` lanes, from its start. Stride 0: all blocks are one.
  int64_t EndOfLanes(int64_t lanes) const {
    const int64_t apart = block_stride == 0 && lanes > BlockLanes() ? BlockLanes() : lanes;
    return apart <= 0 ? 0 : LaneBytes(apart - 1) + (element_bits + 7) / 8;
  }
  int64_t RepeatBytes() const { return repeat_stride * repeat_unit_bytes; }
  int64_t BlockLanes() const { return 32 * 8 / element_bits; }
  // Lanes beyond which the next one need not lie beside.
  int64_t ContiguousLanes(int64_t lanes) const {
    return block_stride != 1 && lanes > BlockLanes() ? BlockLanes() : lanes;
  }
  // Are the lanes of `work` one run of bytes here?
  bool IsOneRun(const VectorWork& work) const {
    return block_stride == 1 && work.elements >= 0 &&
           (work.repeats == 1 || RepeatBytes() == work.lanes * element_bits / 8);
  }
};

inline VectorOperand Behind(VectorOperand operand, int64_t bytes) {
  operand.at = Behind(operand.at, bytes);
  return operand;
}

// Runs of lanes of one mask that are contiguous in every operand.
class LaneRuns {
 public:
  struct Run {
    int16_t first = 0;
    int16_t count = 0;
  };
  // Runs end at multiples of `contiguous`.
  LaneRuns(const LaneMask& mask, int64_t lanes, int64_t contiguous);
  const Run* begin() const { return runs_.data(); }
  const Run* end() const { return runs_.data() + size_; }
  int size() const { return size_; }

 private:
  std::array<Run, 128> runs_;  // the first size_ are set
  int size_ = 0;
};

// Copies these lanes of a repeat, which starts at `from`, to their places among neighbouring lanes at `to`.
void CopyLanes(const std::byte* from, const VectorOperand& operand, const LaneRuns& runs, std::byte* to);

// ForRuns where the elements are not one run in every operand.
template <size_t kOperands, class F>
[[gnu::noinline]] void ForApartRuns(const VectorWork& work,
                                    const std::array<const VectorOperand*, kOperands>& operands,
                                    VectorRun& run, F& f) {
  std::array<uint64_t, kOperands> offsets;
  int64_t contiguous = work.lanes;
  for (size_t i = 0; i < kOperands; ++i) {
    offsets[i] = operands[i]->at.begin;
    const int64_t here = operands[i]->ContiguousLanes(work.lanes);
    contiguous = here < contiguous ? here : contiguous;
  }
  const auto go_to = [&](int64_t repeat, int64_t lane) {
    for (size_t i = 0; i < kOperands; ++i) {
      offsets[i] = operands[i]->at.begin +
                   Unsigned(repeat * operands[i]->RepeatBytes() + operands[i]->LaneBytes(lane));
    }
  };
  if (contiguous == work.lanes && work.mask.IsPrefix() && work.last_mask.IsPrefix()) {
    const bool alike = work.mask == work.last_mask;
    run.repeats = alike ? work.repeats : work.repeats - 1;
    run.count = work.mask.Leading();
    if (run.repeats > 0 && run.count > 0) {
      f(offsets, int64_t{0}, run);
    }
    if (!alike && !work.last_mask.Empty()) {
      go_to(work.repeats - 1, 0);
      run.repeats = 1;
      run.count = work.last_mask.Leading();
      f(offsets, (work.repeats - 1) * work.lanes, run);
    }
    return;
  }
  const LaneRuns runs(work.mask, work.lanes, contiguous);
  const LaneRuns last_runs(work.last_mask, work.lanes, contiguous);
  for (int64_t r = 0; r < work.repeats; ++r) {
    for (const LaneRuns::Run& lanes : r + 1 == work.repeats ? last_runs : runs) {
      go_to(r, lanes.first);
      run.count = lanes.count;
      f(offsets, r * work.lanes + lanes.first, run);
    }
  }
}

// Calls f(offsets, lane, run) for runs of contiguous elements, in order, and once for repeats of one run:
// `offsets` are the bytes in UB of its first element; `lane` counts from the first repeat's first lane.
template <size_t kOperands, class F>
void ForRuns(const VectorWork& work, const std::array<const VectorOperand*, kOperands>& operands, F&& f) {
  static_assert(kOperands <= 3);
  if (work.IsNop()) {
    return;
  }
  VectorRun run;
  std::array<uint64_t, kOperands> offsets;
  bool one_run = true;
  for (size_t i = 0; i < kOperands; ++i) {
    offsets[i] = operands[i]->at.begin;
    run.step_bytes[i] = operands[i]->RepeatBytes();
    one_run = one_run && operands[i]->IsOneRun(work);
  }
  if (one_run) {
    run.count = work.elements;
    f(offsets, int64_t{0}, run);
    return;
  }
  ForApartRuns<kOperands>(work, operands, run, f);
}

// The bytes of UB that lanes of an operand lie in. Masks of many unequal pieces: gaps of a repeat included.
void AddLanes(Operands& operands, const VectorWork& work, const VectorOperand& operand, Use use,
              const char* name);
inline void AddBytes(Operands& operands, const Operand& operand, int64_t bytes, Use use, const char* name) {
  operands.Add(RegionOf(operand, use, name, {0, Unsigned(bytes)}));
}

// Bytes [begin, end) that hold every lane of an operand.
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool Meets(const Extent& other) const { return begin < other.end && other.begin < end; }
};
inline Extent ExtentOf(const Operand& operand, int64_t bytes) {
  return {operand.begin, operand.begin + Unsigned(bytes)};
}
Extent ExtentOf(const VectorOperand& operand, int64_t repeat, const LaneRuns::Run& run);
inline Extent ExtentOf(const VectorWork& work, const VectorOperand& operand) {
  if (work.IsNop()) {
    return {};
  }
  const auto end_of = [&](int64_t repeat, const LaneMask& mask) {
    const int64_t lanes = mask.IsPrefix() ? mask.Leading() : work.lanes;
    return lanes == 0 ? 0 : repeat * operand.RepeatBytes() + operand.EndOfLanes(lanes);
  };
  const int64_t before = work.repeats == 1 ? 0 : end_of(work.repeats - 2, work.mask);
  const int64_t last = end_of(work.repeats - 1, work.last_mask);
  return {operand.at.begin, operand.at.begin + Unsigned(last > before ? last : before)};
}

// The same, of several repeats with all of their lanes, which the compiler's barriers go by (assumed).
inline Extent ExtentOfRepeats(const VectorWork& work, const VectorOperand& operand) {
  if (work.IsNop() || work.repeats == 1) {
    return ExtentOf(work, operand);
  }
  return {operand.at.begin, operand.at.begin + Unsigned((work.repeats - 1) * operand.RepeatBytes() +
                                                        operand.EndOfLanes(work.lanes))};
}

// Refuses what the rule on overlaps forbids: within a repeat, `dst` and a source are the same bytes or share
// none; no repeat reads what an earlier one wrote. `accumulates`: `src` may be dst, with repeat stride 0.
void RequireNoOverlapByLane(Core& core, const VectorWork& work, const VectorOperand& dst,
                            const VectorOperand& src, const char* name, bool accumulates);
inline void RequireNoOverlap(Core& core, const VectorWork& work, const VectorOperand& dst,
                             const VectorOperand& src, const char* name, bool accumulates = false) {
  const bool same_bytes = dst.at.begin == src.at.begin && dst.element_bits == src.element_bits &&
                          dst.IsOneRun(work) && src.IsOneRun(work);
  if (!same_bytes && ExtentOf(work, dst).Meets(ExtentOf(work, src))) {
    RequireNoOverlapByLane(core, work, dst, src, name, accumulates);
  }
}

[[noreturn]] void RefuseCountInMask(Core& core);

[[noreturn]] void RefuseUb(Core& core, const char* name, const Operand& operand);
inline void RequireUb(Core& core, const char* name, const Operand& operand) {
  if (operand.memory != Memory::kUb || operand.begin % AlignBytes(Memory::kUb) != 0) [[unlikely]] {
    RefuseUb(core, name, operand);
  }
}
inline void RequireUb(Core& core, const char* name, const VectorOperand& operand) {
  RequireUb(core, name, operand.at);
}
// Refuses what is read of what dst takes.
void RequireApart(Core& core, const char* name, const Extent& read, const Extent& dst,
                  const char* mend = "use another buffer: dst must be apart from every source");

// Limits and bytes of an instruction that makes each lane of `dst` from the same lane of `src`.
void RequireOneSource(Core& core, const VectorWork& work, const VectorOperand& dst, const VectorOperand& src);
Operands OneSource(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src);

// Repeats that hold more elements than a mask has bits, as in counter mode, where each has the whole count:
// `repeats` times `elements`, in as many data blocks as they take. Knows no addresses: operands do.
struct LongRepeats {
  int64_t elements = 0;
  int64_t repeats = 0;

  [[nodiscard]] bool IsNop() const { return elements == 0 || repeats == 0; }
  static uint64_t PlaceOf(const VectorOperand& operand, int64_t repeat, int64_t element) {
    return operand.at.begin + Unsigned(repeat * operand.RepeatBytes() + operand.LaneBytes(element));
  }
  // Of a whole vector instruction's 256 bytes, how many they take.
  [[nodiscard]] int64_t Pieces(int64_t element_bits) const {
    return repeats * CeilDiv(elements * element_bits / 8, kRepeatBytes);
  }
  [[nodiscard]] Extent ExtentOf(const VectorOperand& operand) const;
  void AddTo(Operands& operands, const VectorOperand& operand, Use use, const char* name) const;
};

}  // namespace tilesim::isa
