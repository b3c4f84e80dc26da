#include "sim/isa/vector_select.h"

#include <cstring>

#include "formats/units.h"
#include "sim/isa/vector_cost.h"

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

void RequireBits(Core& core, const char* name, const Operand& bits) {
  RequireUb(core, name, {.at = bits, .element_bits = 8});
}

}  // namespace

void VectorCompare::Check(Core& core) const {
  RequireType(core, type, kind == CompareKind::kEq ? kEquatable : kFloating);
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

bool VectorCompare::Fits(Core& core) const {
  const VectorWork all = work();
  return core.FitsUb(dst.begin + Unsigned(repeats * lanes() / 8), dst.limit, Use::kWrite) &&
         isa::Fits(core, all, src0, Use::kRead) && isa::Fits(core, all, src1, Use::kRead);
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
  const Extent read[] = {ExtentOf(all, src0), ExtentOf(all, src1)};
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
  const Extent read[] = {ExtentOf(work, src0), ExtentOf(work, src1)};
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

bool VectorSelect::Fits(Core& core) const {
  return core.soc().ub_bytes >= kScratchBytes &&  // what is written there is what clean memory holds
         isa::Fits(core, work, dst, Use::kWrite) && isa::Fits(core, work, src0, Use::kRead) &&
         (scalar() || isa::Fits(core, work, src1, Use::kRead)) &&
         (work.IsNop() || core.FitsUb(bits.begin + Unsigned(BitBytes()), bits.limit, Use::kRead));
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
  const int64_t element_bytes = dst.element_bits / 8;
  const SelectRun run = scalar() ? SelectScalarRunFor(element_bytes) : SelectRunFor(element_bytes);
  std::byte* const ub = core.ub();
  const int64_t repeat_bits = mode == SelectMode::kCompareMask ? 0 : work.lanes;
  const std::byte* const last_bits = ub + bits.begin + Unsigned((work.repeats - 1) * repeat_bits / 8);
  uint64_t* const kept = core.registers().vector.compare_mask.data();
  if (const int64_t bytes = std::min(work.lanes / 8, BitBytes()); bytes == sizeof(*kept)) {  // most
    std::memcpy(kept, last_bits, sizeof(*kept));
  } else {
    std::memcpy(kept, last_bits, Unsigned(bytes));
  }
  alignas(8) std::byte constant[8] = {};
  std::memcpy(constant, &scalar_bits, sizeof(scalar_bits));
  VectorWork each = work;
  if (repeat_bits == 0) {
    each.elements = -1;  // every repeat has the same bits: repeats stay apart
  }
  ForRuns<3>(each, {&dst, &src0, scalar() ? &src0 : &src1},
             [&](const std::array<uint64_t, 3>& at, int64_t lane, const VectorRun& lanes) {
               const int64_t first_bit = repeat_bits == 0 ? lane % work.lanes : lane;
               run({.bytes = ub + bits.begin, .first = first_bit, .step = repeat_bits}, ub + at[1],
                   scalar() ? constant : ub + at[2], ub + at[0], lanes);
             });
  const Operand scratch = ScratchOf(core);
  if (mode != SelectMode::kCompareMask && !core.UbIsCleanFrom(scratch.begin)) {
    SetAllBits(ub + scratch.begin, core.soc().ub_bytes - static_cast<int64_t>(scratch.begin));
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
  const Extent read[] = {ExtentOf(work, src0),
                         {bits.begin, bits.begin + Unsigned(BitBytes())},
                         scalar() ? Extent{} : ExtentOf(work, src1)};
  return VectorCost(core, cycles, ExtentOf(work, dst), read);
}

}  // namespace tilesim::isa
