#include "sim/isa/vector_select.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "formats/units.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kSelectCycles = 1;  // the vendor's documents: 128 elements of 16 bits, 64 of 32 a cycle
// Measured: KPP 910B1, VCMPVS beyond VCMPV where bits end inside a data block; one more from 7 repeats on.
constexpr int64_t kPartialOfScalarCycles = 1;
constexpr int64_t kManyRepeats = 7;
constexpr int64_t kCompareMaskBytes = 16;
constexpr int64_t kCompareMaskCycles = 1;  // assumed: an issue

// Bits go by whole bytes, masks by lanes: what the mask has is brought together first; nothing else is read.
void CompareToRegister(Core& core, const VectorCompare& op) {
  std::array<uint64_t, 2>& kept = core.registers().vector.compare_mask;
  const CompareRun run = CompareRunsFor(op.type)[static_cast<size_t>(op.kind)];
  for (int64_t r = 0; r < op.work.repeats; ++r) {
    const LaneMask& mask = op.work.MaskOf(r);
    alignas(8) std::byte sources[2][kRepeatBytes] = {};
    for (const VectorOperand* const src : {&op.src0, &op.src1}) {
      CopyLanes(core.ub() + src->at.begin + Unsigned(r * src->RepeatBytes()), *src,
                LaneRuns(mask, op.work.lanes, src->ContiguousLanes(op.work.lanes)),
                sources[src == &op.src0 ? 0 : 1]);
    }
    std::array<uint64_t, 2> compared{};
    run(sources[0], sources[1], reinterpret_cast<std::byte*>(compared.data()), {.count = op.work.lanes});
    for (size_t word = 0; word < compared.size(); ++word) {
      kept[word] = (kept[word] & ~mask.words[word]) | (compared[word] & mask.words[word]);
    }
  }
}

const char* NameOf(Use use) { return use == Use::kRead ? "src" : "dst"; }

}  // namespace

void VectorCompare::Check(Core& core) const {
  core.Require(kind <= CompareKind::kNe, FaultKind::kMisuse, "cmpMode", "is ", static_cast<int>(kind),
               ", which no CMPMODE is; use LT, GT, EQ, LE, GE or NE");
  RequireType(core, type, to_register ? kFloating : TypesOf(kind));
  if (!to_register) {
    RequireUb(core, "dst", dst);
  }
  RequireUb(core, scalar ? "src" : "src0", src0);
  if (!scalar) {
    RequireUb(core, "src1", src1);
  }
  const Extent written = ExtentOf(dst, BitBytes());
  for (const VectorOperand* src : {&src0, scalar ? &src0 : &src1}) {
    core.Require(BitBytes() == 0 || !written.Meets(ExtentOf(work, *src)), FaultKind::kMisuse, "dst",
                 "overlaps a source: bytes [", written.begin, ", ", written.end,
                 ") of UB take the bits; use another buffer");
  }
}

Operands VectorCompare::Footprint(Core& /*core*/) const {
  Operands operands;
  AddBytes(operands, dst, BitBytes(), Use::kWrite, "dst");
  AddLanes(operands, work, src0, Use::kRead, scalar ? "src" : "src0");
  if (!scalar) {
    AddLanes(operands, work, src1, Use::kRead, "src1");
  }
  return operands;
}

void VectorCompare::Execute(Core& core) const {
  if (to_register) {
    return CompareToRegister(core, *this);
  }
  const CompareRun run = CompareRunsFor(type)[static_cast<size_t>(kind)];
  std::byte* const ub = core.ub();
  if (scalar) {
    const ScalarLanes constant(ElementBits(type) / 8, scalar_bits);
    ForRuns<1>(work, {&src0}, [&](const std::array<uint64_t, 1>& at, int64_t lane, const VectorRun& run_of) {
      run(ub + at[0], constant.bytes, ub + dst.begin + Unsigned(lane / 8),
          ScalarLanes::Beside(run_of, work.lanes));
    });
    return;
  }
  ForRuns<2>(work, {&src0, &src1},
             [&](const std::array<uint64_t, 2>& at, int64_t lane, const VectorRun& run_of) {
               run(ub + at[0], ub + at[1], ub + dst.begin + Unsigned(lane / 8), run_of);
             });
}

Cost VectorCompare::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return to_register ? NopCost(core) : Cost{};
  }
  const VectorOperand srcs[] = {src0, src1};
  const size_t num_srcs = scalar ? 1 : 2;
  const Extent read[] = {ExtentOfRepeats(work, src0), scalar ? Extent{} : ExtentOfRepeats(work, src1)};
  int64_t partial = 0;
  if (BitBytes() % kDataBlockBytes != 0) {
    const int64_t more = work.repeats < kManyRepeats ? kPartialOfScalarCycles : kPartialOfScalarCycles + 1;
    partial = core.soc().vector_partial_block_cycles + (scalar ? more : 0);
  }
  const int64_t cycles =
      std::max(kSelectCycles * work.repeats, BankCycles(work, std::span(srcs, num_srcs))) + partial;
  return VectorCost(core, cycles, to_register ? Extent{} : ExtentOf(dst, BitBytes()),
                    std::span(read, num_srcs));
}

void CompareMaskMove::Check(Core& core) const {
  RequireMemory(core, NameOf(use), at, Memory::kUb, Memory::kUb);
}

Operands CompareMaskMove::Footprint(Core& /*core*/) const {
  Region region = RegionOf(at, use, NameOf(use), {0, kCompareMaskBytes});
  region.align_bytes = kCompareMaskBytes;
  Operands operands;
  operands.Add(region);
  return operands;
}

void CompareMaskMove::Execute(Core& core) const {
  std::array<uint64_t, 2>& kept = core.registers().vector.compare_mask;
  std::byte* const bytes = core.ub() + at.begin;
  if (use == Use::kRead) {
    std::memcpy(kept.data(), bytes, kCompareMaskBytes);
  } else {
    std::memcpy(bytes, kept.data(), kCompareMaskBytes);
  }
}

Cost CompareMaskMove::TimeOn(Core& core) const {
  const Extent bytes = ExtentOf(at, kCompareMaskBytes);
  return use == Use::kRead ? VectorCost(core, kCompareMaskCycles, Extent{}, bytes)
                           : VectorCost(core, kCompareMaskCycles, bytes);
}

int64_t VectorSelect::BitBytes() const {
  if (mode == SelectMode::kCompareMask) {
    return CeilDiv(work.lanes, 8);
  }
  const int64_t last = work.last_mask.IsPrefix() ? work.last_mask.Leading() : work.lanes;
  return CeilDiv(work.Elements().value_or((work.repeats - 1) * work.lanes + last), 8);
}

void VectorSelect::Check(Core& core) const {
  core.Require(mode <= SelectMode::kTensorTensor, FaultKind::kMisuse, "selMode", "is ",
               static_cast<int>(mode),
               ", which no SELMODE is; use VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE or "
               "VSEL_TENSOR_TENSOR_MODE");
  RequireType(core, type, kFloating);
  RequireUb(core, "dst", dst);
  if (ReadsBits()) {
    RequireUb(core, "selMask", bits);
  }
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
  const Extent mask = ExtentOf(bits, BitBytes());
  core.Require(!ReadsBits() || !to.Meets(mask), FaultKind::kMisuse, "selMask", "overlaps dst: bytes [",
               mask.begin, ", ", mask.end, ") of UB hold the bits; use another buffer");
  if (!HasScratch()) {
    return;
  }
  const uint64_t scratch = ScratchOf(core).begin;
  const Extent second = scalar() ? Extent{} : ExtentOf(work, src1);
  for (const auto& [name, end] : {std::pair{"dst", to.end},
                                  {"selMask", mask.end},
                                  {"src0", ExtentOf(work, src0).end},
                                  {"src1", second.end}}) {
    core.Require(end <= scratch, FaultKind::kMisuse, name, "ends at byte ", end,
                 " of UB; this mode of Select uses UB from byte ", scratch, " on itself");
  }
}

Operands VectorSelect::Footprint(Core& core) const {
  Operands operands;
  if (work.IsNop()) {
    return operands;
  }
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  if (ReadsBits()) {
    AddBytes(operands, bits, BitBytes(), Use::kRead, "selMask");
  }
  AddLanes(operands, work, src0, Use::kRead, "src0");
  if (!scalar()) {
    AddLanes(operands, work, src1, Use::kRead, "src1");
  }
  if (HasScratch()) {
    AddBytes(operands, ScratchOf(core), kScratchBytes, Use::kWrite, "scratch");
  }
  return operands;
}

void VectorSelect::Execute(Core& core) const {
  if (work.IsNop()) {
    return;
  }
  std::array<uint64_t, 2>& register_bits = core.registers().vector.compare_mask;
  std::byte* const ub = core.ub();
  if (HasScratch()) {
    scalar() ? KeepCopies(core, scalar_bits, dst.element_bits / 8)
             : KeepCopies(core, static_cast<uint32_t>(bits.begin), sizeof(uint32_t));
  } else if (ReadsBits() && !from_register) {
    std::memcpy(register_bits.data(), ub + bits.begin, Unsigned(BitBytes()));
  }
  const auto* const choice =
      ReadsBits() ? ub + bits.begin : reinterpret_cast<const std::byte*>(register_bits.data());
  const SelectRun run = SelectRunFor(dst.element_bits / 8, scalar());
  const ScalarBytes constant(scalar_bits);
  const int64_t repeat_bits = mode == SelectMode::kCompareMask ? 0 : work.lanes;  // from repeat to repeat
  VectorWork each = work;
  if (repeat_bits == 0) {
    each.elements = -1;  // every repeat has the same bits: repeats stay apart
  }
  ForRuns<3>(each, {&dst, &src0, scalar() ? &src0 : &src1},
             [&](const std::array<uint64_t, 3>& at, int64_t lane, const VectorRun& lanes) {
               const int64_t first_bit = repeat_bits == 0 ? lane % work.lanes : lane;
               run({.bytes = choice, .first = first_bit, .step = repeat_bits}, ub + at[1],
                   scalar() ? constant.bytes : ub + at[2], ub + at[0], lanes);
             });
  if (HasScratch()) {
    OverwriteScratch(core);
  }
}

Cost VectorSelect::TimeOn(Core& core) const {
  const VectorOperand srcs[] = {src0, src1};
  const size_t num_srcs = scalar() ? 1 : 2;
  const int64_t cycles = std::max(kSelectCycles * work.repeats, BankCycles(work, std::span(srcs, num_srcs))) +
                         (HasScratch() ? kCompareMaskCycles : 0);  // what it takes from there is loaded first
  const Extent read[] = {ExtentOfRepeats(work, src0), ReadsBits() ? ExtentOf(bits, BitBytes()) : Extent{},
                         scalar() ? Extent{} : ExtentOfRepeats(work, src1)};
  return VectorCost(core, work, cycles, ExtentOfRepeats(work, dst), read);
}

void AddSelectRows(InstructionRows& rows, const SocConfig& soc) {
  const FamilyRows family(rows, "compare and select");
  const auto compare = [&](int64_t partial) {
    return Say(kSelectCycles, " a repeat, ", partial, " more where bits end inside a data block");
  };
  const std::string types = Say(kFloating.Names(), "; for equality ", kEquatable.Names());
  family.AddMeasured(VectorCompare().name(), types,
                     "count; repeats, strides; into CMPMASK: mask, counter mode",
                     compare(soc.vector_partial_block_cycles), "VCMPV");
  family.AddMeasured(Say(VectorCompare{.dst = {}, .src0 = {}, .src1 = {}, .scalar = true, .work = {}}.name(),
                         " / CompareScalar"),
                     types, "count; repeats, strides",
                     compare(soc.vector_partial_block_cycles + kPartialOfScalarCycles), "VCMPVS");
  family.AddMeasured(VectorSelect::kName, kFloating.Names(),
                     "count; mask, repeats, strides; modes 0 (CMPMASK), 1 (a scalar), 2 (two tensors)",
                     Say(kSelectCycles, " a repeat"), "VSEL");
  for (const Use use : {Use::kRead, Use::kWrite}) {
    family.Add(CompareMaskMove{use, {}}.name(), "", "16 bytes of UB",
               {Say(kCompareMaskCycles, " cycle"), Provenance::kAssumed, "as an issue"});
  }
}

}  // namespace tilesim::isa
