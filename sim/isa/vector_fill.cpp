#include "sim/isa/vector_fill.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr TypeSet kSequenceTypes = {VectorType::kInt16, VectorType::kFp16, VectorType::kInt32,
                                    VectorType::kFp32};
constexpr int64_t kFillCycles = 1;     // measured: KPP 910B1, dup, brcb
constexpr int64_t kSourcesOfBrcb = 8;  // elements a repeat

// What Brcb writes, as lanes: the whole blocks of each repeat.
VectorWork WorkOf(const VectorBroadcast& brcb) {
  return WorkOfRepeats(LanesOfRepeat(brcb.type), brcb.repeats);
}
int64_t SrcBytes(const VectorBroadcast& brcb) { return brcb.repeats * kSourcesOfBrcb * brcb.element_bytes(); }

template <class T>
void FillBlock(const std::byte* from, std::byte* to) {
  T value = 0;
  std::memcpy(&value, from, sizeof(T));
  std::array<T, kDataBlockBytes / sizeof(T)> block;
  block.fill(value);
  std::memcpy(to, block.data(), kDataBlockBytes);
}

template <class T>
void WriteSequence(const ArithmeticSequence& sequence, bool saturate, std::byte* dst) {
  for (int64_t i = 0; i < sequence.work.elements; ++i) {
    const double exact = sequence.first + static_cast<double>(i) * sequence.step;
    T value{};
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(static_cast<int64_t>(exact));
    } else if constexpr (std::is_same_v<T, Half>) {
      value = saturate ? ToHalfSaturating(T(exact)) : T(exact);
    } else {
      value = T(exact);
    }
    std::memcpy(dst + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

}  // namespace

void VectorDuplicate::Check(Core& core) const {
  RequireType(core, type, k16And32BitTypes);
  RequireUb(core, "dst", dst);
}

Operands VectorDuplicate::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  return operands;
}

void VectorDuplicate::Execute(Core& core) const {
  std::byte* const ub =
      dst.IsOneRun(work)
          ? core.UbToOverwrite(dst.at.begin, dst.at.begin + Unsigned(work.elements * dst.element_bits / 8))
          : core.ub();
  ForRuns<1>(work, {&dst}, [&](const std::array<uint64_t, 1>& at, int64_t, const VectorRun& run) {
    FillRun(dst.element_bits / 8, value_bits, ub + at[0], run);
  });
}

Cost VectorDuplicate::TimeOn(Core& core) const { return VectorCost(core, work, kFillCycles, dst); }

void VectorLongCopy::Check(Core& core) const {
  RequireTypes(core, kRow, type, type);
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  const Extent to = work.ExtentOf(dst);
  const Extent from = work.ExtentOf(src);
  const bool same = to.begin == from.begin && dst.block_stride == src.block_stride &&
                    dst.repeat_stride == src.repeat_stride;
  if (!same) {
    RequireApart(core, "src", from, to, "use another buffer, or the same place and strides");
  }
}

Operands VectorLongCopy::Footprint(Core& /*core*/) const {
  Operands operands;
  work.AddTo(operands, dst, Use::kWrite, "dst");
  work.AddTo(operands, src, Use::kRead, "src");
  return operands;
}

void VectorLongCopy::Execute(Core& core) const {
  const int64_t block = dst.BlockLanes();
  for (int64_t r = 0; r < work.repeats; ++r) {
    for (int64_t i = 0; i < work.elements; i += block) {
      std::memmove(core.ub() + LongRepeats::PlaceOf(dst, r, i), core.ub() + LongRepeats::PlaceOf(src, r, i),
                   Unsigned(std::min(block, work.elements - i) * dst.element_bits / 8));
    }
  }
}

Cost VectorLongCopy::TimeOn(Core& core) const {
  const int64_t cycles = kRow.Find(type, type)->cycles * work.Pieces(dst.element_bits);
  return VectorCost(core, work, cycles, work.ExtentOf(dst), work.ExtentOf(src));
}

void VectorBroadcast::Check(Core& core) const {
  RequireType(core, type, k16And32BitTypes);
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireRange(core, "repeatTime", repeats, 0, 255, "split the instruction");
  RequireApart(core, "src", ExtentOf(src, SrcBytes(*this)), ExtentOf(WorkOf(*this), dst));
}

Operands VectorBroadcast::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, WorkOf(*this), dst, Use::kWrite, "dst");
  AddBytes(operands, src, SrcBytes(*this), Use::kRead, "src");
  return operands;
}

void VectorBroadcast::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  for (int64_t i = 0; i < repeats * kSourcesOfBrcb; ++i) {
    const int64_t block = i / kSourcesOfBrcb * dst.repeat_stride + i % kSourcesOfBrcb * dst.block_stride;
    const std::byte* const from = ub + src.begin + Unsigned(i * element_bytes());
    std::byte* const to = ub + dst.at.begin + Unsigned(block * kDataBlockBytes);
    element_bytes() == 2 ? FillBlock<uint16_t>(from, to) : FillBlock<uint32_t>(from, to);
  }
}

Cost VectorBroadcast::TimeOn(Core& core) const {
  const VectorWork work = WorkOf(*this);
  return VectorCost(core, work, std::max(kFillCycles * repeats, BankCycles(work, dst)),
                    ExtentOfRepeats(work, dst), ExtentOf(src, SrcBytes(*this)));
}

void ArithmeticSequence::Check(Core& core) const {
  RequireType(core, type, kSequenceTypes);
  RequireUb(core, "dst", dst);
}

Operands ArithmeticSequence::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  return operands;
}

void ArithmeticSequence::Execute(Core& core) const {
  const auto write = type == VectorType::kInt16   ? WriteSequence<int16_t>
                     : type == VectorType::kInt32 ? WriteSequence<int32_t>
                     : type == VectorType::kFp16  ? WriteSequence<Half>
                                                  : WriteSequence<float>;
  write(*this, !core.registers().ieee, core.ub() + dst.at.begin);
}

// A block by the scalar unit, then Adds of what there is, a cycle a repeat; each waits for the last.
Cost ArithmeticSequence::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return {};
  }
  const int64_t steps = work.repeats > 1 ? 2 : 1;
  const int64_t waits = (steps - 1) * core.soc().vector_latency_cycles;
  return VectorCost(core, kFillCycles * work.repeats + waits, ExtentOfRepeats(work, dst));
}

void AddFillRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  const FamilyRows family(rows, "fill and copy");
  const std::string cycles = Say(kFillCycles, " a repeat");
  family.AddMeasured(VectorDuplicate::kName, k16And32BitTypes.Names(), kLaneForms, cycles, "VECTORDUP");
  AddElementwiseRow(family, VectorLongCopy::kRow, "mask as a number or bits, repeats, strides; counter mode");
  family.AddMeasured(VectorBroadcast::kName, k16And32BitTypes.Names(), "repeats, strides", cycles, "VBRCB");
  family.Add(ArithmeticSequence::kName, kSequenceTypes.Names(), "count",
             {Say(cycles, ", and V's latency from the second on"), Provenance::kDerived, "KPP 910B1, VADDS"});
}

}  // namespace tilesim::isa
