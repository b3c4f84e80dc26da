#include "sim/isa/vector_reduce.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "sim/core/interval_set.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

int64_t ElementBytes(const VectorReduce& on) { return ElementBits(on.type) / 8; }

ReduceGroup GroupOf(const VectorReduce& on) { return GroupOf(on.call); }

int64_t LanesOf(const VectorReduce& on) {
  return GroupOf(on) == ReduceGroup::kPair    ? 2
         : GroupOf(on) == ReduceGroup::kBlock ? LanesOfRepeat(on.type) / 8
                                              : LanesOfRepeat(on.type);
}

// Of one result.
int64_t ResultBytes(const VectorReduce& on) {
  if (GroupOf(on) != ReduceGroup::kRepeat || on.op == ReduceOp::kSum || on.result == ReduceResult::kValue) {
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
    const uint64_t word = mask.words[static_cast<size_t>(lane / 64)] >> (lane % 64);
    groups.words[0] |= static_cast<uint64_t>((word & group) != 0) << (lane / group_lanes);
  }
  return groups;
}

// The results as lanes of dst.
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

// Calls f(lanes, mask, repeat) for each repeat, in order: `lanes` are its 256 bytes, those of lanes that are
// off are anything.
template <class F>
void ForRepeats(const VectorReduce& on, const std::byte* ub, F&& f) {
  const VectorOperand& src = on.src;
  const int64_t contiguous = src.ContiguousLanes(on.work.lanes);
  const LaneRuns runs(on.work.mask, on.work.lanes, contiguous);
  const LaneRuns last_runs(on.work.last_mask, on.work.lanes, contiguous);
  alignas(32) std::byte gathered[kRepeatBytes] = {};
  for (int64_t r = 0; r < on.work.repeats; ++r) {
    const bool last = r + 1 == on.work.repeats;
    const std::byte* const from = ub + src.at.begin + r * src.RepeatBytes();
    for (const LaneRuns::Run& run : last ? last_runs : runs) {
      std::memcpy(gathered + run.first * ElementBytes(on), from + src.LaneBytes(run.first),
                  Unsigned(run.count * ElementBytes(on)));
    }
    f(gathered, last ? on.work.last_mask : on.work.mask, r);
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
      return;
    }
    for (const LaneRuns::Run& run : LaneRuns(put, results.lanes, results.lanes)) {
      std::memcpy(to + run.first * ElementBytes(on), sums + run.first * ElementBytes(on),
                  Unsigned(run.count * ElementBytes(on)));
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
  const bool of_repeats = GroupOf(on) == ReduceGroup::kRepeat;
  VectorRegisters& registers = core.registers().vector;
  int32_t best_rank = kNoRank;  // so far
  ForRepeats(on, core.ub(), [&](const std::byte* lanes, const LaneMask& mask, int64_t r) {
    int32_t ranks[kMostLanes];
    RankRepeat(on.type, on.op, lanes, ranks);
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
      const int32_t rank = RankOf(on.type, on.op, on.type == VectorType::kFp16 ? value << 16 : value);
      if (rank > best_rank) {
        best_rank = rank;
        registers.reduced_best_bits = value;
        registers.reduced_best_index = static_cast<uint32_t>(r * on.work.lanes + lane);
      }
    }
  });
}

// No repeat reads what an earlier one wrote.
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
  if (work.IsNop()) {
    return NopCost(core);
  }
  const int64_t cycles = type == VectorType::kFp16 ? row().fp16_cycles : row().fp32_cycles;
  const Extent written = accumulates ? Extent{} : ExtentOf(ResultsOf(*this), DstOf(*this));
  return VectorCost(core, std::max(cycles * work.repeats, BankCycles(work, src)), written,
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
