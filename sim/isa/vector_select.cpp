#include "sim/isa/vector_select.h"

#include <algorithm>
#include <array>
#include <span>

#include "formats/units.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kSelectCycles = 1;  // the vendor's documents: 128 elements of 16 bits, 64 of 32 a cycle

void RequireBits(Core& core, const char* name, const Operand& bits) {
  RequireUb(core, name, {.at = bits, .element_bits = 8});
}

SelectRun RunFor(const VectorSelect& op) {
  const int64_t element_bytes = op.dst.element_bits / 8;
  return op.scalar() ? SelectScalarRunFor(element_bytes) : SelectRunFor(element_bytes);
}

// Bits from repeat to repeat.
int64_t RepeatBits(const VectorSelect& op) { return op.mode == SelectMode::kCompareMask ? 0 : op.work.lanes; }

void RequireKind(Core& core, CompareKind kind) {
  core.Require(kind <= CompareKind::kNe, FaultKind::kMisuse, "cmpMode", "is ", static_cast<int>(kind),
               ", which no CMPMODE is; use LT, GT, EQ, LE, GE or NE");
}

}  // namespace

void VectorCompare::Check(Core& core) const {
  RequireKind(core, kind);
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
  const int64_t cycles = std::max(kSelectCycles * repeats, BankCycles(all, srcs)) + partial;
  return VectorCost(core, cycles, {dst.begin, dst.begin + Unsigned(repeats * lanes() / 8)}, read);
}

void VectorCompareToRegister::Check(Core& core) const {
  RequireKind(core, kind);
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
  core.Require(mode <= SelectMode::kTensorTensor, FaultKind::kMisuse, "selMode", "is ",
               static_cast<int>(mode),
               ", which no SELMODE is; use VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE or "
               "VSEL_TENSOR_TENSOR_MODE");
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
  KeepLastBits(core, bits.begin + Unsigned((work.repeats - 1) * RepeatBits(*this) / 8),
               std::min(work.lanes / 8, BitBytes()));
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
  const int64_t cycles = std::max(kSelectCycles * work.repeats, BankCycles(work, std::span(srcs, num_srcs)));
  const Extent read[] = {ExtentOfRepeats(work, src0),
                         {bits.begin, bits.begin + Unsigned(BitBytes())},
                         scalar() ? Extent{} : ExtentOfRepeats(work, src1)};
  return VectorCost(core, cycles, ExtentOfRepeats(work, dst), read);
}

}  // namespace tilesim::isa
