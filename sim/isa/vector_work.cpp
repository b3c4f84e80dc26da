#include "sim/isa/vector_work.h"

#include <algorithm>
#include <cstring>

#include "formats/units.h"
#include "sim/core/interval_set.h"

namespace tilesim::isa {
namespace {

constexpr int kMostRegions =
    5;  // of one operand and mask; Operands holds those of three operands, two masks each

// Lanes may start anywhere; RequireUb has seen to the operand.
Region RegionOfRepeats(const VectorOperand& operand, Use use, const char* name, const Pattern& pattern) {
  Region region = RegionOf(operand.at, use, name, pattern);
  region.align_bytes = 1;
  return region;
}

// The lanes of one block, a power of two and 64 at most, that a mask has in any block of a repeat.
LaneMask FoldedOnABlock(const LaneMask& mask, int64_t block_lanes) {
  uint64_t lanes = mask.words[0] | mask.words[1];
  for (int64_t apart = 32; apart >= block_lanes; apart /= 2) {
    lanes |= lanes >> apart;
  }
  return {{lanes & LaneMask::First(block_lanes).words[0], 0}};
}

void AddMasked(Operands& operands, const VectorWork& work, LaneMask mask, int64_t first, int64_t repeats,
               const VectorOperand& operand, Use use, const char* name) {
  if (repeats <= 0 || mask.Empty()) {
    return;
  }
  const bool one_block = operand.block_stride == 0;
  if (one_block) {
    mask = FoldedOnABlock(mask, operand.ContiguousLanes(work.lanes));
  }
  const auto bytes_of = [&](int64_t lanes) { return CeilDiv(lanes * operand.element_bits, 8); };
  if ((one_block || operand.block_stride == 1) && mask.IsPrefix()) {  // most: one block a repeat
    return operands.Add(
        RegionOfRepeats(operand, use, name,
                        {Unsigned(first * operand.RepeatBytes()), Unsigned(bytes_of(mask.Leading())),
                         Times(repeats, operand.RepeatBytes())}));
  }
  const LaneRuns runs(mask, work.lanes, operand.ContiguousLanes(work.lanes));
  const auto add = [&](const LaneRuns::Run& run, int64_t bytes, int64_t count, int64_t stride,
                       bool with_gaps = false) {
    Region region =
        RegionOfRepeats(operand, use, name,
                        {Unsigned(first * operand.RepeatBytes() + operand.LaneBytes(run.first)),
                         Unsigned(bytes), Times(count, stride), Times(repeats, operand.RepeatBytes())});
    region.with_gaps = region.with_gaps || with_gaps;
    operands.Add(region);
  };
  const LaneRuns::Run* const head = runs.begin();
  const int64_t step =
      runs.size() > 1 ? operand.LaneBytes(head[1].first) - operand.LaneBytes(head[0].first) : 0;
  int equal = 1;  // leading runs of one length and one distance
  while (equal < runs.size() && head[equal].count == head[0].count &&
         operand.LaneBytes(head[equal].first) - operand.LaneBytes(head[equal - 1].first) == step) {
    ++equal;
  }
  if (runs.size() - equal < kMostRegions) {
    add(head[0], bytes_of(head[0].count), equal, step);
    for (int i = equal; i < runs.size(); ++i) {
      add(head[i], bytes_of(head[i].count), 1, 0);
    }
    return;
  }
  const LaneRuns::Run& tail = head[runs.size() - 1];
  add(head[0], operand.LaneBytes(tail.first) + bytes_of(tail.count) - operand.LaneBytes(head[0].first), 1, 0,
      true);
}

// Of different widths, in neighbouring blocks: does every repeat read beside and beyond what was written?
bool ReadsAhead(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src) {
  if (dst.element_bits == src.element_bits || dst.block_stride != 1 || src.block_stride != 1) {
    return false;
  }
  const int64_t written = dst.LaneBytes(work.lanes - 1) + CeilDiv(dst.element_bits, 8);
  const int64_t read = src.LaneBytes(work.lanes - 1) + CeilDiv(src.element_bits, 8);
  const auto from = [&](int64_t repeat) { return src.at.begin + Unsigned(repeat * src.RepeatBytes()); };
  const auto to = [&](int64_t repeat) { return dst.at.begin + Unsigned(repeat * dst.RepeatBytes()); };
  const auto below = [&](int64_t repeat) { return from(repeat) + Unsigned(read) <= to(repeat); };
  const auto above = [&](int64_t repeat) { return to(repeat) + Unsigned(written) <= from(repeat); };
  const auto ahead = [&](int64_t repeat) { return to(repeat - 1) + Unsigned(written) <= from(repeat); };
  const int64_t last = work.repeats - 1;  // between the first and the last they move evenly
  return ((below(0) && below(last)) || (above(0) && above(last))) &&
         (work.repeats == 1 || (ahead(1) && ahead(last)));
}

}  // namespace

LaneRuns::LaneRuns(const LaneMask& mask, int64_t lanes, int64_t contiguous) {
  int64_t lane = 0;
  while (lane < lanes) {
    const uint64_t rest = mask.From(lane);
    if (rest == 0) {
      lane = (lane / 64 + 1) * 64;
      continue;
    }
    lane += std::countr_zero(rest);
    const int64_t edge = std::min(lanes, (lane / contiguous + 1) * contiguous);
    int64_t end = lane;
    while (end < edge && mask.Has(end)) {
      end += std::min<int64_t>(std::countr_one(mask.From(end)), 64 - end % 64);
    }
    end = std::min(end, edge);
    runs_[static_cast<size_t>(size_++)] = {static_cast<int16_t>(lane), static_cast<int16_t>(end - lane)};
    lane = end;
  }
}

void CopyLanes(const std::byte* from, const VectorOperand& operand, const LaneRuns& runs, std::byte* to) {
  const int64_t element_bytes = operand.element_bits / 8;
  for (const LaneRuns::Run& run : runs) {
    std::memcpy(to + run.first * element_bytes, from + operand.LaneBytes(run.first),
                Unsigned(run.count * element_bytes));
  }
}

void AddLanes(Operands& operands, const VectorWork& work, const VectorOperand& operand, Use use,
              const char* name) {
  if (work.IsNop()) {
    return;
  }
  if (operand.IsOneRun(work)) {
    operands.Add({.memory = operand.at.memory,
                  .use = use,
                  .operand = name,
                  .begin = operand.at.begin,
                  .block_bytes = Unsigned((work.elements * operand.element_bits + 7) / 8),
                  .limit = operand.at.limit});
    return;
  }
  const bool same = work.mask == work.last_mask;
  AddMasked(operands, work, work.mask, 0, same ? work.repeats : work.repeats - 1, operand, use, name);
  AddMasked(operands, work, work.last_mask, work.repeats - 1, same ? 0 : 1, operand, use, name);
}

Extent ExtentOf(const VectorOperand& operand, int64_t repeat, const LaneRuns::Run& run) {
  const uint64_t begin =
      operand.at.begin + Unsigned(repeat * operand.RepeatBytes() + operand.LaneBytes(run.first));
  return {begin, begin + Unsigned(CeilDiv(run.count * operand.element_bits, 8))};
}

void RequireNoOverlapByLane(Core& core, const VectorWork& work, const VectorOperand& dst,
                            const VectorOperand& src, const char* name, bool accumulates) {
  const bool same_place = dst.at.begin == src.at.begin && dst.element_bits == src.element_bits &&
                          dst.block_stride == src.block_stride;
  const bool prefixes = work.mask.IsPrefix() && work.last_mask.IsPrefix();
  const int64_t lanes = prefixes ? std::max(work.mask.Leading(), work.last_mask.Leading()) : work.lanes;
  const int64_t repeat_end = dst.LaneBytes(lanes - 1) + CeilDiv(dst.element_bits, 8);
  const bool in_place =
      same_place &&
      (work.repeats == 1 || (dst.repeat_stride == src.repeat_stride && dst.RepeatBytes() >= repeat_end) ||
       (accumulates && (dst.repeat_stride == 0 || src.repeat_stride == 0)));
  if (in_place || ReadsAhead(work, dst, src)) {
    return;
  }
  const int64_t contiguous = std::min(dst.ContiguousLanes(work.lanes), src.ContiguousLanes(work.lanes));
  const std::string beyond = BeyondTensor(name, src.at, ExtentOf(work, src).end) +
                             BeyondTensor("dst", dst.at, ExtentOf(work, dst).end);
  const FaultKind kind = beyond.empty() ? FaultKind::kMisuse : FaultKind::kBounds;
  IntervalSet written;
  for (int64_t r = 0; r < work.repeats; ++r) {
    const LaneRuns runs(work.MaskOf(r), work.lanes, contiguous);
    for (const LaneRuns::Run& run : runs) {
      const Extent read = ExtentOf(src, r, run);
      core.Require(!written.Meets(read.begin, read.end), kind, name, "repeat ", r, " reads bytes [",
                   read.begin, ", ", read.end,
                   ") of UB, which an earlier repeat of the same instruction writes",
                   beyond.empty() ? "; use another dst, or the same place and strides" : beyond);
      for (const LaneRuns::Run& other : runs) {
        const Extent wrote = ExtentOf(dst, r, other);
        const bool is_read_before =  // lanes go in their order
            other.first >= run.first && wrote.begin == read.begin && wrote.end == read.end;
        core.Require(is_read_before || !wrote.Meets(read), kind, name, "overlaps dst in part: bytes [",
                     read.begin, ", ", read.end, ") are read and [", wrote.begin, ", ", wrote.end,
                     ") written by one repeat",
                     beyond.empty() ? "; they must be the same bytes or share none" : beyond);
      }
    }
    for (const LaneRuns::Run& run : runs) {
      const Extent wrote = ExtentOf(dst, r, run);
      written.Add(wrote.begin, wrote.end);
    }
  }
}

Extent LongRepeats::ExtentOf(const VectorOperand& operand) const {
  const int64_t bytes = (repeats - 1) * operand.RepeatBytes() + operand.EndOfLanes(elements);
  return IsNop() ? Extent{} : isa::ExtentOf(operand.at, bytes);
}

void LongRepeats::AddTo(Operands& operands, const VectorOperand& operand, Use use, const char* name) const {
  const int64_t bytes = elements * operand.element_bits / 8;
  const int64_t whole = bytes / kDataBlockBytes;
  const int64_t step = operand.block_stride * kDataBlockBytes;
  const auto add = [&](int64_t at, int64_t block_bytes, int64_t blocks) {
    operands.Add(RegionOf(
        operand.at, use, name,
        {Unsigned(at), Unsigned(block_bytes), Times(blocks, step), Times(repeats, operand.RepeatBytes())}));
  };
  add(0, kDataBlockBytes, whole);
  add(whole * step, bytes % kDataBlockBytes, 1);
}

void RefuseType(Core& core, VectorType type, const TypeSet& allowed) {
  core.Fail(FaultKind::kMisuse, "dst",
            Say("has elements of type ", Name(type), ", which this instruction does not take; allowed: ",
                allowed.Names(), type == VectorType::kBf16 ? "; Cast to fp32 first" : ""));
}

void RefuseCountInMask(Core& core) {
  core.Fail(FaultKind::kMisuse, "mask register",
            Say("holds ", core.registers().vector.mask_low,
                ", which counter mode takes for the number of elements; set it with SetVectorMask<T, "
                "MaskMode::COUNTER>(n), n up to ",
                INT32_MAX, ", or go back to SetMaskNorm"));
}

void RefuseUb(Core& core, const char* name, const Operand& operand) {
  RequireMemory(core, name, operand, Memory::kUb, Memory::kUb);
  constexpr uint64_t kAlign = AlignBytes(Memory::kUb);
  core.Fail(FaultKind::kAlignment, name,
            Say("its address ", operand.begin, " in UB must be a multiple of ", kAlign,
                " bytes; the nearest below is ", operand.begin / kAlign * kAlign));
}

void RequireApart(Core& core, const char* name, const Extent& read, const Extent& dst, const char* mend) {
  core.Require(!read.Meets(dst), FaultKind::kMisuse, name, "overlaps dst: bytes [", read.begin, ", ",
               read.end, ") of UB are read and [", dst.begin, ", ", dst.end, ") written; ", mend);
}

void RequireOneSource(Core& core, const VectorWork& work, const VectorOperand& dst,
                      const VectorOperand& src) {
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireNoOverlap(core, work, dst, src, "src");
}
Operands OneSource(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src) {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  AddLanes(operands, work, src, Use::kRead, "src");
  return operands;
}

}  // namespace tilesim::isa
