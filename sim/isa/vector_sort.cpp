#include "sim/isa/vector_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {
namespace {

constexpr TypeSet kScores = {VectorType::kFp16, VectorType::kFp32};
constexpr int64_t kRepeatOfPairs = kSortLanes * kPairBytes;
constexpr int64_t kMostPairs = 4095;

// Measured: KPP 910B1, VMRGSORT. Sort32: the same (assumed; the vendor gives both two pairs a cycle).
constexpr int64_t kMergeStartCycles = 6;
constexpr int64_t kPairsACycle = 2;
int64_t CyclesOfPairs(int64_t pairs) { return kMergeStartCycles + CeilDiv(pairs, kPairsACycle); }
// Measured: KPP 910B1, VREDUCEV2 of 16 and 32 bits, which Extract consists of.
constexpr int64_t kExtractCycles = 14;

// Grows with the score.
uint32_t RankAt(VectorType type, const std::byte* score) {
  float value = 0;
  if (type == VectorType::kFp32) {
    std::memcpy(&value, score, sizeof(value));
  } else {
    Half half;
    std::memcpy(&half.bits, score, sizeof(half.bits));
    value = float(half);
  }
  const auto bits = std::bit_cast<uint32_t>(value + 0.0F);  // -0 becomes +0
  return value != value ? ~uint32_t{0} : (bits & 0x8000'0000U) != 0 ? ~bits : bits | 0x8000'0000U;
}

// An operand that is taken in whole, from its start.
struct Bytes {
  Use use;
  const char* name;
  const Operand& operand;
  int64_t bytes;

  [[nodiscard]] Extent extent() const { return ExtentOf(operand, bytes); }
};

// What sorts and their opposite touch: dst first.
auto BytesOf(const VectorSort32& op) {
  const int64_t pairs = op.repeats * kSortLanes;
  return std::array{Bytes{Use::kWrite, "dst", op.dst, pairs * kPairBytes},
                    Bytes{Use::kRead, "src0", op.scores, pairs * ElementBits(op.type) / 8},
                    Bytes{Use::kRead, "src1", op.indices, pairs * 4}};
}
auto BytesOf(const VectorExtract& op) {
  return std::array{Bytes{Use::kWrite, op.indices ? "dstIndex" : "dstValue", op.dst,
                          op.repeats * kSortLanes * op.element_bytes()},
                    Bytes{Use::kRead, "sorted", op.src, op.repeats * kRepeatOfPairs}};
}

void CheckBytes(Core& core, const auto& op) {
  RequireType(core, op.type, kScores);
  RequireRange(core, "repeatTime", op.repeats, 0, 255, "split the call");
  const auto all = BytesOf(op);
  for (const Bytes& one : all) {
    RequireUb(core, one.name, one.operand);
  }
  for (const Bytes& src : std::span(all).subspan(1)) {
    RequireApart(core, src.name, src.extent(), all[0].extent());
  }
}

using Counts = std::array<uint16_t, kMergeQueues>;

constexpr std::array<const char*, kMergeQueues> kQueueNames = {"src1", "src2", "src3", "src4"};

// How many queues `valid_bits` names: the lowest ones.
size_t NumQueues(const VectorMergeSort& op) {
  return static_cast<size_t>(std::popcount(Unsigned(op.valid_bits)));
}
int64_t PairsOf(const VectorMergeSort& op) {
  return std::accumulate(op.lengths.begin(), op.lengths.begin() + NumQueues(op), int64_t{0});
}
int64_t SumOf(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), int64_t{0}); }

// Merges from `offset` bytes behind the starts, into `dst` if there is one; how many pairs each queue gave.
Counts Merge(const VectorMergeSort& op, const std::byte* ub, int64_t offset, std::byte* dst) {
  Counts taken{};
  std::array<const std::byte*, kMergeQueues> heads{};
  std::array<uint32_t, kMergeQueues> ranks{};
  std::array<int64_t, kMergeQueues> left{};
  const size_t queues = NumQueues(op);
  for (size_t i = 0; i < queues; ++i) {
    heads[i] = ub + op.src[i].begin + offset;
    left[i] = op.lengths[i];
    if (left[i] > 0) {
      ranks[i] = RankAt(op.type, heads[i]);
    } else if (op.stops_at_first_end) {
      return taken;
    }
  }
  for (int64_t pair = PairsOf(op); pair > 0; --pair) {
    size_t best = queues;
    for (size_t i = 0; i < queues; ++i) {
      if (left[i] > 0 && (best == queues || ranks[i] > ranks[best])) {
        best = i;
      }
    }
    if (dst != nullptr) {
      std::memcpy(dst, heads[best], kPairBytes);
      dst += kPairBytes;
    }
    ++taken[best];
    heads[best] += kPairBytes;
    if (--left[best] > 0) {
      ranks[best] = RankAt(op.type, heads[best]);
    } else if (op.stops_at_first_end) {
      break;
    }
  }
  return taken;
}

// What the queues give as long as their values are not known.
Counts CountsWithoutValues(const VectorMergeSort& op) {
  Counts counts{};
  const size_t queues = NumQueues(op);
  const int64_t shortest = *std::min_element(op.lengths.begin(), op.lengths.begin() + queues);
  for (size_t i = 0; i < queues; ++i) {
    counts[i] = static_cast<uint16_t>(op.stops_at_first_end ? shortest : op.lengths[i]);
  }
  return counts;
}

bool RepeatsTakeEffect(const VectorMergeSort& op) {
  bool alike = op.valid_bits == 15 && !op.stops_at_first_end;
  for (size_t i = 1; i < kMergeQueues; ++i) {
    alike = alike && op.lengths[i] == op.lengths[0] &&
            op.src[i].begin == op.src[i - 1].begin + Unsigned(op.lengths[0] * kPairBytes);
  }
  return alike;
}

}  // namespace

void VectorSort32::Check(Core& core) const { CheckBytes(core, *this); }

Operands VectorSort32::Footprint(Core& /*core*/) const {
  Operands operands;
  for (const Bytes& one : BytesOf(*this)) {
    AddBytes(operands, one.operand, one.bytes, one.use, one.name);
  }
  return operands;
}

void VectorSort32::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  const auto score_bytes = static_cast<size_t>(ElementBits(type) / 8);
  for (int64_t r = 0; r < repeats; ++r) {
    const std::byte* const from = ub + scores.begin + Unsigned(r * kSortLanes) * score_bytes;
    std::array<uint64_t, kSortLanes> keys;  // the rank, then the earlier place: no two are alike
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<uint64_t>(RankAt(type, from + i * score_bytes)) << 32 | (kSortLanes - 1 - i);
    }
    std::sort(keys.begin(), keys.end(), std::greater<>());
    std::byte* to = ub + dst.begin + Unsigned(r * kRepeatOfPairs);
    for (const uint64_t key : keys) {
      const uint64_t place = kSortLanes - 1 - (key & 0xffff'ffffU);
      std::memset(to, 0, 4);
      std::memcpy(to, from + place * score_bytes, score_bytes);
      std::memcpy(to + 4, ub + indices.begin + (Unsigned(r * kSortLanes) + place) * 4, 4);
      to += kPairBytes;
    }
  }
}

Cost VectorSort32::TimeOn(Core& core) const {
  const auto [to, scored, indexed] = BytesOf(*this);
  const Extent read[] = {scored.extent(), indexed.extent()};
  return repeats == 0 ? NopCost(core)
                      : VectorCost(core, CyclesOfPairs(repeats * kSortLanes), to.extent(), read);
}

void VectorMergeSort::Check(Core& core) const {
  RequireType(core, type, kScores);
  core.Require(valid_bits == 3 || valid_bits == 7 || valid_bits == 15, FaultKind::kLimit, "validBit",
               "validBit = ", valid_bits, ", must be 3, 7 or 15: the first two, three or four queues");
  RequireRange(core, "repeatTimes", repeats, 0, 255, "split the call");
  RequireUb(core, "dst", dst);
  const size_t queues = NumQueues(*this);
  for (size_t i = 0; i < queues; ++i) {
    RequireRange(core, "elementLengths", lengths[i], 0, kMostPairs, "merge shorter queues");
    RequireMemory(core, kQueueNames[i], src[i], Memory::kUb, Memory::kUb);
    core.Require(src[i].begin % kPairBytes == 0, FaultKind::kAlignment, kQueueNames[i], "its address ",
                 src[i].begin, " in UB must be a multiple of the 8 bytes of a pair");
    const int64_t others = (std::max<int64_t>(repeats, 1) - 1) * PairsOf(*this) * kPairBytes;
    RequireApart(core, kQueueNames[i], ExtentOf(src[i], others + lengths[i] * kPairBytes),
                 ExtentOf(dst, repeats * PairsOf(*this) * kPairBytes));
  }
  core.Require(repeats <= 1 || RepeatsTakeEffect(*this), FaultKind::kMisuse, "repeatTimes",
               "repeatTimes = ", repeats,
               " has no effect here: it needs four queues of one length, one directly behind the other, and "
               "no ifExhaustedSuspension; use repeatTimes 1");
  if (repeats > 0) {
    core.registers().vector.merged_pairs = CountsWithoutValues(*this);
    core.registers().vector.has_merged = true;
    core.UsesResult(ResultRegister::kMerged, Use::kWrite);
  }
}

Operands VectorMergeSort::Footprint(Core& core) const {
  Operands operands;
  if (repeats == 0) {
    return operands;
  }
  const int64_t pairs = PairsOf(*this);
  const int64_t others = (repeats - 1) * pairs * kPairBytes;
  bool fits = core.mode().values;
  for (size_t i = 0; i < NumQueues(*this); ++i) {
    const int64_t bytes = lengths[i] * kPairBytes;
    if (repeats == 1 || i == 0) {  // of several repeats: the first queue and all behind it
      Region queue = RegionOf(src[i], Use::kRead, kQueueNames[i],
                              {0, Unsigned(others + (repeats == 1 ? bytes : pairs * kPairBytes))});
      queue.align_bytes = kPairBytes;
      operands.Add(queue);
    }
    fits = fits && core.FitsUb(src[i].begin + Unsigned(bytes), src[i].limit, Use::kRead);
  }
  // How much is written, the values say; where a source does not fit, the core is about to say so.
  const bool counted = stops_at_first_end && fits;
  AddBytes(operands, dst,
           counted ? SumOf(Merge(*this, core.ub(), 0, nullptr)) * kPairBytes : others + pairs * kPairBytes,
           Use::kWrite, "dst");
  return operands;
}

void VectorMergeSort::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  for (int64_t r = 0; r < repeats; ++r) {
    const int64_t offset = r * PairsOf(*this) * kPairBytes;
    core.registers().vector.merged_pairs = Merge(*this, ub, offset, ub + dst.begin + Unsigned(offset));
  }
}

Cost VectorMergeSort::TimeOn(Core& core) const {
  if (repeats == 0) {
    return NopCost(core);
  }
  const int64_t pairs = repeats * SumOf(core.registers().vector.merged_pairs);
  std::array<Extent, kMergeQueues> read;
  const size_t queues = NumQueues(*this);
  for (size_t i = 0; i < queues; ++i) {
    read[i] =
        ExtentOf(src[i], repeats == 1 ? lengths[i] * kPairBytes : repeats * PairsOf(*this) * kPairBytes);
  }
  return VectorCost(core, CyclesOfPairs(pairs), ExtentOf(dst, pairs * kPairBytes),
                    std::span<const Extent>(read.data(), queues));
}

void ScalarReadMerged::Check(Core& core) const {
  core.Require(core.registers().vector.has_merged, FaultKind::kMisuse, "",
               "no MrgSort came before, so there is nothing to read; call it after MrgSort with "
               "ifExhaustedSuspension");
  core.UsesResult(ResultRegister::kMerged, Use::kRead);
  *pairs = core.registers().vector.merged_pairs;
}

Cost ScalarReadMerged::TimeOn(Core& core) const { return ResultReadCost(core); }

void VectorExtract::Check(Core& core) const { CheckBytes(core, *this); }

Operands VectorExtract::Footprint(Core& /*core*/) const {
  Operands operands;
  const Bytes to = BytesOf(*this)[0];
  AddBytes(operands, to.operand, to.bytes, to.use, to.name);
  Region scores = RegionOf(
      src, Use::kRead, "sorted",
      {Unsigned(indices ? 4 : 0), Unsigned(element_bytes()), Times(repeats * kSortLanes, kPairBytes)});
  scores.align_bytes = 1;  // Check has seen to the pairs
  operands.Add(scores);
  return operands;
}

void VectorExtract::Execute(Core& core) const {
  const std::byte* from = core.ub() + src.begin + (indices ? 4 : 0);
  std::byte* to = core.ub() + dst.begin;
  const auto bytes = Unsigned(element_bytes());
  for (int64_t i = 0; i < repeats * kSortLanes; ++i, from += kPairBytes, to += bytes) {
    std::memcpy(to, from, bytes);
  }
}

// The indices of fp16 scores take twice the repeats on the device, which reads and writes twice their range.
Cost VectorExtract::TimeOn(Core& core) const {
  const auto [to, from] = BytesOf(*this);
  const int64_t cycles = kExtractCycles * repeats * (indices && type == VectorType::kFp16 ? 2 : 1);
  return repeats == 0 ? NopCost(core) : VectorCost(core, cycles, to.extent(), from.extent());
}

void AddSortRows(InstructionRows& rows, const SocConfig& soc) {
  const FamilyRows family(rows, "sort");
  const std::string types = kScores.Names();
  const std::string pairs = Say(kMergeStartCycles, ", and ", kSortLanes / kPairsACycle, " for 32 pairs");
  family.Add(VectorSort32::kName, types, kRepeatForms,
             {pairs, Provenance::kAssumed, "as VMRGSORT, KPP 910B1"});
  family.AddMeasured(VectorMergeSort::kName, types, "two to four queues, repeats of four", pairs, "VMRGSORT");
  family.AddMeasured(VectorExtract::kName, types, kRepeatForms,
                     Say(kExtractCycles, " a repeat for scores, as many for indices (fp16 twice)"),
                     "VREDUCEV2");
  family.AddRead(ScalarReadMerged::kName, "", soc);
}

}  // namespace tilesim::isa
