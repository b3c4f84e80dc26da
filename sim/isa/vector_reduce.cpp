#include "sim/isa/vector_reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>

#include "formats/half.h"
#include "sim/core/interval_set.h"
#include "sim/isa/elementwise_values.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kMostLanes = 128;  // of a repeat of fp16 or fp32
constexpr uint32_t kMagnitudeOfFloat = 0x7fff'ffff;
constexpr uint32_t kInfinityOfFloat = 0x7f80'0000;
constexpr uint32_t kNanOfFloat = 0x7fc0'0000;

// The sum of two numbers of fp16 as the nearest one. It is exact where it is subnormal.
template <bool kSaturate>
float RoundToHalf(float sum) {
  constexpr uint32_t kBeyond = 0x4780'0000;  // 65536
  constexpr uint32_t kMost = 0x477f'e000;    // 65504
  const auto bits = std::bit_cast<uint32_t>(sum);
  const uint32_t exact = bits & kMagnitudeOfFloat;
  const uint32_t near = (exact + 0xfff + (exact >> 13 & 1)) & ~uint32_t{0x1fff};  // ties to even
  const uint32_t finite = near < kBeyond ? near : kSaturate ? kMost : kInfinityOfFloat;
  const uint32_t number = finite | (bits & ~kMagnitudeOfFloat);
  return std::bit_cast<float>(exact <= kInfinityOfFloat ? number : kSaturate ? 0 : kNanOfFloat);
}

// to[i] = from[2 * i] + from[2 * i + 1]; they lie apart, so that the compiler makes vectors of them.
template <class Round>
void SumPairs(const Round& round, const float* __restrict from, float* __restrict to, int64_t sums) {
  for (int64_t i = 0; i < sums; ++i) {
    to[i] = round(from[2 * i] + from[2 * i + 1]);
  }
}
template <class Round>
void SumGroupsWith(const Round& round, float* values, int64_t count, int64_t group) {
  float half_way[kMostLanes / 2];
  for (; group > 2; group /= 4, count /= 4) {
    SumPairs(round, values, half_way, count / 2);
    SumPairs(round, half_way, values, count / 4);
  }
  if (group == 2) {
    SumPairs(round, values, half_way, count / 2);
    std::memcpy(values, half_way, static_cast<size_t>(count / 2) * sizeof(float));
  }
}

constexpr int32_t kNoRank = INT32_MIN;  // below every element's
// Whole numbers that grow with the element (kMax) or fall with it (kMin), most of all of NaN; +0 is above -0.
struct Ranking {
  Ranking(VectorType type, ReduceOp op)
      : infinity(type == VectorType::kFp16 ? 0x7c00'0000 : kInfinityOfFloat),
        flipped(op == ReduceOp::kMax ? 0 : -1) {}
  // Of the bits of fp32, or of fp16 in the upper half.
  [[nodiscard]] int32_t Of(uint32_t bits) const {
    const auto signed_bits = static_cast<int32_t>(bits);
    const int32_t rank = signed_bits ^ (signed_bits >> 31 & INT32_MAX);
    return (bits & kMagnitudeOfFloat) > infinity ? INT32_MAX : rank ^ flipped;
  }
  template <class Bits>
  void OfRepeat(const std::byte* lanes, int32_t* ranks) const {
    Bits bits[kRepeatBytes / sizeof(Bits)];
    std::memcpy(bits, lanes, sizeof(bits));
    const Ranking by = *this;  // of which the compiler knows that no rank is written over it
    for (size_t i = 0; i < std::size(bits); ++i) {
      ranks[i] = by.Of(uint32_t{bits[i]} << (32 - 8 * sizeof(Bits)));
    }
  }
  uint32_t infinity;
  int32_t flipped;  // bits
};

// The casts of sums of fp16: taken once an instruction, for all of its repeats.
struct HalfCasts {
  BulkCast widen = BulkCastFor(VectorType::kFp16, VectorType::kFp32, false);
  BulkCast narrow = BulkCastFor(VectorType::kFp32, VectorType::kFp16, false);
};

void WidenRepeat(VectorType type, const HalfCasts& casts, const std::byte* lanes, float* values) {
  if (type == VectorType::kFp32) {
    std::memcpy(values, lanes, kMostLanes / 2 * sizeof(float));
  } else {
    casts.widen(lanes, reinterpret_cast<std::byte*>(values), {.count = kMostLanes});
  }
}

// Element i becomes the sum of the elements [i * group, (i + 1) * group); `count` and `group` are powers of
// two. Neighbours are added, then neighbouring sums, and so on; of fp16 each sum is rounded, and where
// `range` says so saturated, before it is added. A lane that is not to take part holds -0.
void SumGroups(VectorType type, ResultRange range, float* values, int64_t count, int64_t group) {
  if (type == VectorType::kFp32) {
    SumGroupsWith([](float sum) { return sum; }, values, count, group);
  } else if (range == ResultRange::kSaturated) {
    SumGroupsWith([](float sum) { return RoundToHalf<true>(sum); }, values, count, group);
  } else {
    SumGroupsWith([](float sum) { return RoundToHalf<false>(sum); }, values, count, group);
  }
}

// `count` sums, at most half of kMostLanes, as elements. NaN has one pattern of bits, whatever it came from.
void PutSums(VectorType type, const HalfCasts& casts, const float* sums, int64_t count, std::byte* elements) {
  float numbers[kMostLanes / 2];
  for (int64_t i = 0; i < count; ++i) {
    numbers[i] = sums[i] != sums[i] ? std::bit_cast<float>(kNanOfFloat) : sums[i];
  }
  if (type == VectorType::kFp32) {
    std::memcpy(elements, numbers, static_cast<size_t>(count) * sizeof(float));
  } else {
    casts.narrow(reinterpret_cast<const std::byte*>(numbers), elements, {.count = count});
  }
}

int64_t FirstOfBest(const int32_t* ranks, int64_t count) {
  int32_t best = ranks[0];
  for (int64_t i = 1; i < count; ++i) {
    best = ranks[i] > best ? ranks[i] : best;
  }
  int64_t first = 0;
  while (ranks[first] != best) {
    ++first;
  }
  return first;
}

// An element, saturated where `range` says so.
uint32_t BitsOfElement(VectorType type, ResultRange range, const std::byte* element) {
  uint32_t bits = 0;
  if (type == VectorType::kFp32) {
    std::memcpy(&bits, element, sizeof(bits));
    return bits;
  }
  Half half;
  std::memcpy(&half.bits, element, sizeof(half.bits));
  return range == ResultRange::kSaturated ? ToHalfSaturating(float(half)).bits : half.bits;
}

int64_t ElementBytes(const VectorReduce& on) { return ElementBits(on.type) / 8; }

int64_t LanesOf(const VectorReduce& on) {
  return GroupOf(on.call) == ReduceGroup::kPair    ? 2
         : GroupOf(on.call) == ReduceGroup::kBlock ? LanesOfRepeat(on.type) / 8
                                                   : LanesOfRepeat(on.type);
}

int64_t ResultBytes(const VectorReduce& on) {
  if (GroupOf(on.call) != ReduceGroup::kRepeat || on.op == ReduceOp::kSum ||
      on.result == ReduceResult::kValue) {
    return ElementBytes(on);
  }
  return on.result == ReduceResult::kIndex ? 4 : 2 * ElementBytes(on);
}

// The groups that have a lane, a bit each.
LaneMask GroupsWithLanes(const LaneMask& mask, int64_t lanes, int64_t group_lanes) {
  if (group_lanes > 64) {
    return LaneMask::First(mask.Empty() ? 0 : 1);
  }
  LaneMask groups;
  const uint64_t group = LaneMask::First(group_lanes).words[0];
  for (int64_t lane = 0; lane < lanes; lane += group_lanes) {
    groups.words[0] |= static_cast<uint64_t>((mask.From(lane) & group) != 0) << (lane / group_lanes);
  }
  return groups;
}

VectorWork ResultsOf(const VectorReduce& on) {
  const int64_t group_lanes = LanesOf(on);
  const auto groups = [&](const LaneMask& mask) { return GroupsWithLanes(mask, on.work.lanes, group_lanes); };
  const LaneMask mask = groups(on.work.mask);
  return WorkOfMasks(mask, on.work.mask == on.work.last_mask ? mask : groups(on.work.last_mask),
                     on.work.lanes / group_lanes, on.work.repeats);
}
VectorOperand DstOf(const VectorReduce& on) {
  const int64_t bytes = ResultBytes(on);
  return {.at = on.dst,
          .element_bits = bytes * 8,
          .block_stride = 1,
          .repeat_stride = on.dst_stride,
          .repeat_unit_bytes = on.work.lanes / LanesOf(on) * bytes};
}

// Calls f(lanes, mask, repeat) for each repeat, in order: its 256 bytes, of lanes that are off anything.
template <class F>
void ForRepeats(const VectorReduce& on, const std::byte* ub, F&& f) {
  const VectorOperand& src = on.src;
  const int64_t contiguous = src.ContiguousLanes(on.work.lanes);
  const LaneRuns runs(on.work.mask, on.work.lanes, contiguous);
  const LaneRuns last_runs(on.work.last_mask, on.work.lanes, contiguous);
  alignas(32) std::byte gathered[kRepeatBytes] = {};
  for (int64_t r = 0; r < on.work.repeats; ++r) {
    const bool last = r + 1 == on.work.repeats;
    CopyLanes(ub + src.at.begin + r * src.RepeatBytes(), src, last ? last_runs : runs, gathered);
    f(gathered, on.work.MaskOf(r), r);
  }
}

// Gives the lanes that are off a value that changes nothing.
template <class T>
void TakeOut(const LaneMask& mask, int64_t lanes, T* values, T neutral) {
  if (mask == LaneMask::First(lanes)) {
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    values[lane] = mask.Has(lane) ? values[lane] : neutral;
  }
}

void ExecuteSum(Core& core, const VectorReduce& on) {
  const ResultRange range = RangeOf(core.registers(), on.type);
  const int64_t group_lanes = LanesOf(on);
  const VectorWork results = ResultsOf(on);
  const VectorOperand dst = DstOf(on);
  const HalfCasts casts;
  float total[2] = {};  // so far, and what is added next
  ForRepeats(on, core.ub(), [&](const std::byte* lanes, const LaneMask& mask, int64_t r) {
    float values[kMostLanes];
    WidenRepeat(on.type, casts, lanes, values);
    TakeOut(mask, on.work.lanes, values, -0.0F);
    SumGroups(on.type, range, values, on.work.lanes, group_lanes);
    if (on.accumulates) {
      total[r == 0 ? 0 : 1] = values[0];
      if (r > 0) {
        SumGroups(on.type, range, total, 2, 2);
      }
      return;
    }
    alignas(32) std::byte sums[kRepeatBytes];
    PutSums(on.type, casts, values, results.lanes, sums);
    std::byte* const to = core.ub() + dst.at.begin + r * dst.RepeatBytes();
    const LaneMask& put = results.MaskOf(r);
    if (put.IsPrefix()) {
      std::memcpy(to, sums, Unsigned(put.Leading() * ElementBytes(on)));
    } else {
      CopyLanes(sums, {.at = {}, .element_bits = dst.element_bits},
                LaneRuns(put, results.lanes, results.lanes), to);
    }
  });
  if (on.accumulates) {
    uint32_t& bits = core.registers().vector.reduced_sum_bits;
    bits = 0;
    PutSums(on.type, casts, total, 1, reinterpret_cast<std::byte*>(&bits));
  }
}

// The bytes of a result; little-endian: the low ones of an index.
void PutBest(const VectorReduce& on, ReduceResult result, std::byte* to, uint32_t value, uint32_t index) {
  const auto size = Unsigned(ElementBytes(on));
  const bool index_first = result == ReduceResult::kIndex || result == ReduceResult::kIndexValue;
  std::memcpy(to, index_first ? &index : &value, result == ReduceResult::kIndex ? sizeof(index) : size);
  if (result == ReduceResult::kValueIndex || result == ReduceResult::kIndexValue) {
    std::memcpy(to + size, index_first ? &value : &index, size);
  }
}

// The best of all repeats goes to the register, with its lane counted from the first repeat's first one.
void ExecuteBest(Core& core, const VectorReduce& on) {
  const ResultRange range = RangeOf(core.registers(), on.type);
  const int64_t group_lanes = LanesOf(on);
  const VectorWork results = ResultsOf(on);
  const VectorOperand dst = DstOf(on);
  const bool of_repeats = GroupOf(on.call) == ReduceGroup::kRepeat;
  const bool is_half = on.type == VectorType::kFp16;
  const Ranking ranking(on.type, on.op);
  VectorRegisters& registers = core.registers().vector;
  int32_t best_rank = kNoRank;  // so far
  ForRepeats(on, core.ub(), [&](const std::byte* lanes, const LaneMask& mask, int64_t r) {
    int32_t ranks[kMostLanes];
    is_half ? ranking.OfRepeat<uint16_t>(lanes, ranks) : ranking.OfRepeat<uint32_t>(lanes, ranks);
    TakeOut(mask, on.work.lanes, ranks, kNoRank);
    for (int64_t i = 0; i < results.lanes; ++i) {
      if (!results.MaskOf(r).Has(i)) {
        continue;
      }
      const int32_t* const first = ranks + i * group_lanes;
      const auto lane = i * group_lanes + FirstOfBest(first, group_lanes);
      const uint32_t value = BitsOfElement(on.type, range, lanes + lane * ElementBytes(on));
      PutBest(on, of_repeats ? on.result : ReduceResult::kValue,
              core.ub() + dst.at.begin + r * dst.RepeatBytes() + i * ElementBytes(on), value,
              static_cast<uint32_t>(lane));
      if (!of_repeats) {
        continue;
      }
      const int32_t rank = ranking.Of(is_half ? value << 16 : value);
      if (rank > best_rank) {
        best_rank = rank;
        registers.reduced_best_bits = value;
        registers.reduced_best_index = static_cast<uint32_t>(r * on.work.lanes + lane);
      }
    }
  });
}

void RequireReadsAhead(Core& core, const VectorReduce& on, const VectorWork& results,
                       const VectorOperand& dst) {
  const int64_t contiguous = on.src.ContiguousLanes(on.work.lanes);
  IntervalSet written;
  for (int64_t r = 0; r < on.work.repeats; ++r) {
    for (const LaneRuns::Run& run : LaneRuns(on.work.MaskOf(r), on.work.lanes, contiguous)) {
      const Extent read = ExtentOf(on.src, r, run);
      core.Require(!written.Meets(read.begin, read.end), FaultKind::kMisuse, on.src_name, "repeat ", r,
                   " reads bytes [", read.begin, ", ", read.end,
                   ") of UB, in which an earlier repeat of the same instruction leaves its results; use "
                   "another dst, or smaller strides of dst");
    }
    for (const LaneRuns::Run& run : LaneRuns(results.MaskOf(r), results.lanes, results.lanes)) {
      const Extent wrote = ExtentOf(dst, r, run);
      written.Add(wrote.begin, wrote.end);
    }
  }
}

}  // namespace

void VectorReduce::Check(Core& core) const {
  constexpr const char* kMend = "reduce in parts";
  RequireType(core, type, kReducible);
  RequireUb(core, src_name, src);
  RequireRange(core, "srcBlkStride", src.block_stride, 0, UINT16_MAX, kMend);
  RequireRange(core, "srcRepStride", src.repeat_stride, 0, UINT16_MAX, kMend);
  if (!work.IsNop() && (accumulates || op != ReduceOp::kSum)) {
    core.UsesResult(accumulates ? ResultRegister::kSum : ResultRegister::kBest, Use::kWrite);
  }
  if (accumulates) {
    return;
  }
  RequireRange(core, "dstRepStride", dst_stride, 0, UINT16_MAX, kMend);
  core.Require(result <= ReduceResult::kIndex, FaultKind::kMisuse, "order", "is ", static_cast<int>(result),
               ", which no ReduceOrder is; use ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE or "
               "ORDER_ONLY_INDEX");
  const VectorOperand to = DstOf(*this);
  RequireMemory(core, dst_name, dst, Memory::kUb, Memory::kUb);
  const uint64_t align = Unsigned(std::min<int64_t>(to.repeat_unit_bytes, kDataBlockBytes));
  core.Require(dst.begin % align == 0, FaultKind::kAlignment, dst_name, "its address ", dst.begin,
               " in UB must be a multiple of the ", align, " bytes of ",
               row().group == ReduceGroup::kBlock  ? "a repeat's results"
               : row().group == ReduceGroup::kPair ? "a data block"
                                                   : "a result",
               "; the nearest below is ", dst.begin / align * align);
  if (work.repeats > 1) {
    const VectorWork results = ResultsOf(*this);
    if (ExtentOf(results, to).Meets(ExtentOf(work, src))) {
      RequireReadsAhead(core, *this, results, to);
    }
  }
}

Operands VectorReduce::Footprint(Core& /*core*/) const {
  Operands operands;
  if (!accumulates) {
    AddLanes(operands, ResultsOf(*this), DstOf(*this), Use::kWrite, dst_name);
  }
  AddLanes(operands, work, src, Use::kRead, src_name);
  return operands;
}

void VectorReduce::Execute(Core& core) const {
  if (!work.IsNop()) {
    op == ReduceOp::kSum ? ExecuteSum(core, *this) : ExecuteBest(core, *this);
  }
}

Cost VectorReduce::TimeOn(Core& core) const {
  const int64_t cycles = type == VectorType::kFp16 ? row().fp16_cycles : row().fp32_cycles;
  const Extent written = accumulates ? Extent{} : ExtentOf(ResultsOf(*this), DstOf(*this));
  return VectorCost(core, work, std::max(cycles * work.repeats, BankCycles(work, src)), written,
                    ExtentOfRepeats(work, src));
}

void IssueReduce(Core& core, const VectorReduce& op, SourceLine where) { core.Issue(op, where); }

const char* ReadReduced::name() const {
  constexpr const char* kNames[] = {"GetAccVal", "GetReduceRepeatSumSpr", "GetReduceMaxMinCount",
                                    "GetReduceRepeatMaxMinSpr", "ReduceSum"};
  return kNames[static_cast<size_t>(ReduceReadOut{call})];
}

void ReadReduced::Check(Core& core) const {
  RequireType(core, type, kReducible);
  core.UsesResult(is_sum() ? ResultRegister::kSum : ResultRegister::kBest, Use::kRead,
                  call == ReduceReadOut::kSequence);
}

void ReadReduced::Execute(Core& core) const {
  const VectorRegisters& registers = core.registers().vector;
  *value_bits = is_sum() ? registers.reduced_sum_bits : registers.reduced_best_bits;
  if (!is_sum()) {
    *index = registers.reduced_best_index;
  }
}

void AddReduceRows(InstructionRows& rows, const SocConfig& soc) {
  const FamilyRows family(rows, "reduction");
  for (size_t i = 0; i < 3 * kNumReduceCalls; ++i) {
    const auto call = static_cast<ReduceCall>(i / 3);
    const auto op = static_cast<ReduceOp>(i % 3);
    if (NameOf(call, op) == nullptr || call == ReduceCall::kSequence ||
        (i % 3 != 0 && std::string_view(NameOf(call, op)) == NameOf(call, ReduceOp::kSum))) {
      continue;
    }
    const ReduceRow& row = RowOf(GroupOf(call), op);
    const bool is_derived = row.group == ReduceGroup::kBlock && row.op == ReduceOp::kMin;
    family.AddMeasured(NameOf(call, op), kReducible.Names(),
                       "mask as a number or bits, repeats, strides; counter mode",
                       Say(row.fp16_cycles, " a repeat",
                           row.fp16_cycles == row.fp32_cycles ? "" : Say(", fp32 ", row.fp32_cycles)),
                       Say(row.instruction, is_derived ? "; fp32 derived from VCGMAX" : ""));
  }
  for (const auto call : {ReduceReadOut::kAccVal, ReduceReadOut::kRepeatSumSpr, ReduceReadOut::kMaxMinCount,
                          ReduceReadOut::kRepeatMaxMinSpr}) {
    family.AddRead(ReadReduced{.call = call}.name(), kReducible.Names(), soc);
  }
}

}  // namespace tilesim::isa
