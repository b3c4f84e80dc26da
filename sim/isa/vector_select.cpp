#include "sim/isa/vector_select.h"

#include <cstring>

#include "formats/units.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/whole_run.h"

namespace tilesim::isa {
namespace {

constexpr TypeSet kFloating = {VectorType::kFp16, VectorType::kFp32};
constexpr TypeSet kEquatable = {VectorType::kFp16, VectorType::kInt32, VectorType::kFp32};
constexpr int64_t kCyclesPerRepeat = 1;      // timing 2.6: 128 elements of 16 bits, 64 of 32 a cycle
constexpr int64_t kScratchBytes = 8 * 1024;  // ascendc 2.0: the end of UB, TMP_UB_OFFSET

Operand ScratchOf(Core& core) {
  return {.memory = Memory::kUb,
          .begin = Unsigned(std::max<int64_t>(0, core.soc().ub_bytes - kScratchBytes)),
          .limit = 0};
}

const TypeSet& TypesOf(CompareKind kind) { return kind == CompareKind::kEq ? kEquatable : kFloating; }

bool IsAtBlock(const Operand& operand) {
  return operand.memory == Memory::kUb && operand.begin % AlignBytes(Memory::kUb) == 0;
}

void RequireBits(Core& core, const char* name, const Operand& bits) {
  RequireUb(core, name, {.at = bits, .element_bits = 8});
}

SelectRun RunFor(const VectorSelect& op) {
  const int64_t element_bytes = op.dst.element_bits / 8;
  return op.scalar() ? SelectScalarRunFor(element_bytes) : SelectRunFor(element_bytes);
}

// Bits from repeat to repeat.
int64_t RepeatBits(const VectorSelect& op) { return op.mode == SelectMode::kCompareMask ? 0 : op.work.lanes; }

// The bits of the last repeat, into CMPMASK.
void KeepLastBits(Core& core, const VectorSelect& op) {
  const std::byte* const last_bits =
      core.ub() + op.bits.begin + Unsigned((op.work.repeats - 1) * RepeatBits(op) / 8);
  uint64_t* const kept = core.registers().vector.compare_mask.data();
  if (const int64_t bytes = std::min(op.work.lanes / 8, op.BitBytes()); bytes == sizeof(*kept)) {  // most
    std::memcpy(kept, last_bits, sizeof(*kept));
  } else {
    std::memcpy(kept, last_bits, Unsigned(bytes));
  }
}

void OverwriteScratch(Core& core) {
  const Operand scratch = ScratchOf(core);
  if (!core.UbIsCleanFrom(scratch.begin)) {
    SetAllBits(core.ub() + scratch.begin, core.soc().ub_bytes - static_cast<int64_t>(scratch.begin));
  }
}

}  // namespace

void VectorCompare::Check(Core& core) const {
  RequireType(core, type, TypesOf(kind));
  RequireBits(core, "dst", dst);
  RequireUb(core, "src0", src0);
  RequireUb(core, "src1", src1);
  const Extent written{dst.begin, dst.begin + Unsigned(repeats * lanes() / 8)};
  const VectorWork all = work();
  for (const VectorOperand* src : {&src0, &src1}) {
    core.Require(repeats == 0 || !written.Meets(ExtentOf(all, *src)), FaultKind::kMisuse, "dst",
                 "overlaps a source: bytes [", written.begin, ", ", written.end,
                 ") of UB take the bits; use another buffer");
  }
}

bool VectorCompare::RunAtOnce(Core& core) const {
  const WholeRun<2, false> whole(core, work(), {&src0, &src1});
  const uint64_t end = dst.begin + Unsigned(repeats * lanes() / 8);
  if (!whole || !TypesOf(kind).Has(type) || !IsAtBlock(dst) || whole.Meets(dst.begin, end) ||
      !core.FitsUb(end, dst.limit, Use::kWrite)) {
    return false;
  }
  std::byte* const ub = core.ub();
  CompareRunFor(kind, type)(ub + whole.at[0], ub + whole.at[1], ub + dst.begin, whole.run);
  return true;
}

Operands VectorCompare::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(repeats * lanes() / 8)}));
  const VectorWork all = work();
  AddLanes(operands, all, src0, Use::kRead, "src0");
  AddLanes(operands, all, src1, Use::kRead, "src1");
  return operands;
}

void VectorCompare::Execute(Core& core) const {
  const CompareRun run = CompareRunFor(kind, type);
  std::byte* const ub = core.ub();
  ForRuns<2>(work(), {&src0, &src1},
             [&](const std::array<uint64_t, 2>& at, int64_t lane, const VectorRun& lanes) {
               run(ub + at[0], ub + at[1], ub + dst.begin + Unsigned(lane / 8), lanes);
             });
}

Cost VectorCompare::TimeOn(Core& core) const {
  if (repeats == 0) {
    return {};
  }
  const VectorOperand srcs[] = {src0, src1};
  const VectorWork all = work();
  const Extent read[] = {ExtentOfRepeats(all, src0), ExtentOfRepeats(all, src1)};
  const int64_t bytes = repeats * lanes() / 8;
  const int64_t partial = bytes % kDataBlockBytes == 0 ? 0 : core.soc().vector_partial_block_cycles;
  const int64_t cycles = std::max(kCyclesPerRepeat * repeats, BankCycles(all, srcs)) + partial;
  return VectorCost(core, cycles, {dst.begin, dst.begin + Unsigned(repeats * lanes() / 8)}, read);
}

void VectorCompareToRegister::Check(Core& core) const {
  RequireType(core, type, kFloating);
  RequireUb(core, "src0", src0);
  RequireUb(core, "src1", src1);
}

Operands VectorCompareToRegister::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, src0, Use::kRead, "src0");
  AddLanes(operands, work, src1, Use::kRead, "src1");
  return operands;
}

// Bits go by whole bytes, masks by lanes: so what the mask has is brought together first, and nothing else
// is read.
void VectorCompareToRegister::Execute(Core& core) const {
  if (work.IsNop()) {
    return;
  }
  const VectorWork last = WorkOfMask(work.last_mask, work.lanes, 1);
  VectorOperand from[] = {src0, src1};
  for (VectorOperand& operand : from) {
    operand.at.begin += Unsigned((work.repeats - 1) * operand.RepeatBytes());
  }
  alignas(8) std::byte sources[2][kRepeatBytes] = {};
  ForRuns<2>(last, {&from[0], &from[1]},
             [&](const std::array<uint64_t, 2>& at, int64_t lane, const VectorRun& lanes) {
               for (size_t i = 0; i < at.size(); ++i) {
                 std::memcpy(sources[i] + lane * src0.element_bits / 8, core.ub() + at[i],
                             Unsigned(lanes.count * src0.element_bits / 8));
               }
             });
  std::array<uint64_t, 2> compared{};
  CompareRunFor(kind, type)(sources[0], sources[1], reinterpret_cast<std::byte*>(compared.data()),
                            {.count = work.lanes});
  for (size_t word = 0; word < compared.size(); ++word) {
    core.registers().vector.compare_mask[word] = compared[word] & work.last_mask.words[word];
  }
}

Cost VectorCompareToRegister::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return NopCost(core);
  }
  const VectorOperand srcs[] = {src0, src1};
  const Extent read[] = {ExtentOfRepeats(work, src0), ExtentOfRepeats(work, src1)};
  return VectorCost(core, BankCycles(work, srcs), Extent{}, read);
}

int64_t VectorSelect::BitBytes() const {
  if (mode != SelectMode::kCompareMask && work.elements >= 0) {
    return CeilDiv(work.elements, 8);
  }
  const int64_t lanes = mode == SelectMode::kCompareMask
                            ? work.lanes
                            : (work.repeats - 1) * work.lanes +
                                  (work.last_mask.IsPrefix() ? work.last_mask.Leading() : work.lanes);
  return CeilDiv(lanes, 8);
}

void VectorSelect::Check(Core& core) const {
  RequireType(core, type, kFloating);
  RequireUb(core, "dst", dst);
  RequireBits(core, "selMask", bits);
  RequireUb(core, "src0", src0);
  RequireNoOverlap(core, work, dst, src0, "src0");
  if (!scalar()) {
    RequireUb(core, "src1", src1);
    RequireNoOverlap(core, work, dst, src1, "src1");
  }
  if (work.IsNop()) {
    return;
  }
  const Extent to = ExtentOf(work, dst);
  const Extent mask{bits.begin, bits.begin + Unsigned(BitBytes())};
  core.Require(!to.Meets(mask), FaultKind::kMisuse, "selMask", "overlaps dst: bytes [", mask.begin, ", ",
               mask.end, ") of UB hold the bits; use another buffer");
  if (mode == SelectMode::kCompareMask) {
    return;
  }
  const uint64_t scratch = ScratchOf(core).begin;
  const auto require_below = [&](const char* name, const Extent& extent) {
    core.Require(extent.end <= scratch, FaultKind::kMisuse, name, "ends at byte ", extent.end,
                 " of UB; this mode of Select uses UB from byte ", scratch, " on itself");
  };
  require_below("dst", to);
  require_below("selMask", mask);
  require_below("src0", ExtentOf(work, src0));
  if (!scalar()) {
    require_below("src1", ExtentOf(work, src1));
  }
}

bool VectorSelect::RunAtOnce(Core& core) const {
  const WholeRun<3> whole(core, work, {&dst, &src0, scalar() ? &src0 : &src1});
  const uint64_t scratch = ScratchOf(core).begin;
  const uint64_t bits_end = bits.begin + Unsigned(CeilDiv(work.elements, 8));
  if (!whole || mode == SelectMode::kCompareMask || !kFloating.Has(type) || !IsAtBlock(bits) ||
      core.soc().ub_bytes < kScratchBytes || whole.Meets(scratch, ~uint64_t{0}) || bits_end > scratch ||
      (bits.begin < whole.ends[0] && whole.at[0] < bits_end) ||
      !core.FitsUb(bits_end, bits.limit, Use::kRead)) {
    return false;
  }
  KeepLastBits(core, *this);
  const ScalarBytes constant(scalar_bits);
  std::byte* const ub = core.ub();
  const SelectRun run = RunFor(*this);
  run({.bytes = ub + bits.begin, .first = 0, .step = work.lanes}, ub + whole.at[1],
      scalar() ? constant.bytes : ub + whole.at[2], ub + whole.at[0], whole.run);
  OverwriteScratch(core);
  return true;
}

Operands VectorSelect::Footprint(Core& core) const {
  Operands operands;
  if (work.IsNop()) {
    return operands;
  }
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  operands.Add(RegionOf(bits, Use::kRead, "selMask", {0, Unsigned(BitBytes())}));
  AddLanes(operands, work, src0, Use::kRead, "src0");
  if (!scalar()) {
    AddLanes(operands, work, src1, Use::kRead, "src1");
  }
  if (mode != SelectMode::kCompareMask) {
    operands.Add(RegionOf(ScratchOf(core), Use::kWrite, "scratch", {0, Unsigned(kScratchBytes)}));
  }
  return operands;
}

void VectorSelect::Execute(Core& core) const {
  if (work.IsNop()) {
    return;
  }
  KeepLastBits(core, *this);
  const SelectRun run = RunFor(*this);
  std::byte* const ub = core.ub();
  const ScalarBytes constant(scalar_bits);
  const int64_t repeat_bits = RepeatBits(*this);
  VectorWork each = work;
  if (repeat_bits == 0) {
    each.elements = -1;  // every repeat has the same bits: repeats stay apart
  }
  ForRuns<3>(each, {&dst, &src0, scalar() ? &src0 : &src1},
             [&](const std::array<uint64_t, 3>& at, int64_t lane, const VectorRun& lanes) {
               const int64_t first_bit = repeat_bits == 0 ? lane % work.lanes : lane;
               run({.bytes = ub + bits.begin, .first = first_bit, .step = repeat_bits}, ub + at[1],
                   scalar() ? constant.bytes : ub + at[2], ub + at[0], lanes);
             });
  if (mode != SelectMode::kCompareMask) {
    OverwriteScratch(core);
  }
}

Cost VectorSelect::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return NopCost(core);
  }
  const VectorOperand srcs[] = {src0, src1};
  const size_t num_srcs = scalar() ? 1 : 2;
  const int64_t cycles =
      std::max(kCyclesPerRepeat * work.repeats, BankCycles(work, std::span(srcs, num_srcs)));
  const Extent read[] = {ExtentOfRepeats(work, src0),
                         {bits.begin, bits.begin + Unsigned(BitBytes())},
                         scalar() ? Extent{} : ExtentOfRepeats(work, src1)};
  return VectorCost(core, cycles, ExtentOfRepeats(work, dst), read);
}

}  // namespace tilesim::isa
