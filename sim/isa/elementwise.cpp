#include "sim/isa/elementwise.h"

#include <array>

#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {

void RequireTypes(Core& core, const ElementwiseRow& row, VectorType dst, VectorType src) {
  if (row.Takes(dst, src)) {
    return;
  }
  TypeSet allowed = {};
  for (const ElementwiseTypes& pair : row.types) {
    allowed.Add(pair.src);
  }
  RefuseType(core, src, allowed);
}

void VectorElementwise::Check(Core& core) const {
  const bool two = SourcesOf(kind) == ElementwiseSources::kTwo;
  const char* const first = two ? "src0" : "src";
  RequireTypes(core, RowOf(kind), dst_type, src_type);
  RequireUb(core, "dst", dst);
  RequireUb(core, first, src0);
  RequireNoOverlap(core, work, dst, src0, first);
  if (two) {
    RequireUb(core, "src1", src1);
    RequireNoOverlap(core, work, dst, src1, "src1", RowOf(kind).gathers && src_type != VectorType::kInt16);
  }
  if (IsShift(kind)) {
    RequireRange(core, "scalar", static_cast<int64_t>(scalar_bits), 0, ElementBits(src_type),
                 "shift by as many bits as the type has, at most");
  }
}

Operands VectorElementwise::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  if (ReadsDst(kind)) {
    AddLanes(operands, work, dst, Use::kRead, "dst");
  }
  const bool two = SourcesOf(kind) == ElementwiseSources::kTwo;
  AddLanes(operands, work, src0, Use::kRead, two ? "src0" : "src");
  if (two) {
    AddLanes(operands, work, src1, Use::kRead, "src1");
  }
  return operands;
}

void VectorElementwise::Execute(Core& core) const {
  const ElementwiseRun run = ElementwiseRunFor(kind, dst_type, src_type, RangeOf(core.registers(), src_type));
  std::byte* const ub = core.ub();
  if (SourcesOf(kind) == ElementwiseSources::kTwo) {
    ForRuns<3>(work, {&dst, &src0, &src1},
               [&](const std::array<uint64_t, 3>& at, int64_t, const VectorRun& lanes) {
                 run(ub + at[1], ub + at[2], ub + at[0], lanes);
               });
    return;
  }
  const ScalarBytes scalar(scalar_bits);
  ForRuns<2>(work, {&dst, &src0}, [&](const std::array<uint64_t, 2>& at, int64_t, const VectorRun& lanes) {
    run(ub + at[1], scalar.bytes, ub + at[0], lanes);
  });
}

Cost VectorElementwise::TimeOn(Core& core) const {
  std::array<VectorOperand, 3> read = {src0};
  size_t sources = 1;
  if (SourcesOf(kind) == ElementwiseSources::kTwo) {
    read[sources++] = src1;
  }
  if (ReadsDst(kind)) {
    read[sources++] = dst;
  }
  return VectorCost(core, work, RowOf(kind).Find(dst_type, src_type)->cycles, dst,
                    std::span<const VectorOperand>(read.data(), sources));
}

void AddElementwiseRow(const FamilyRows& family, const ElementwiseRow& row, std::string_view forms) {
  std::string types;
  std::string cycles;
  for (const ElementwiseTypes& pair : row.types) {
    const std::string name =
        pair.src == pair.dst ? std::string(Name(pair.src)) : Say(Name(pair.src), " to ", Name(pair.dst));
    types += Say(types.empty() ? "" : ", ", name);
    if (pair.cycles != row.types.front().cycles) {
      cycles += Say(", ", name, " ", pair.cycles);
    }
  }
  family.AddMeasured(row.name, types, forms, Say(row.types.front().cycles, " a repeat", cycles),
                     row.instruction);
}

void AddElementwiseRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  const FamilyRows family(rows, "elementwise");
  std::string_view last;
  for (size_t i = 0; i < kNumElementwiseKinds; ++i) {
    const auto kind = static_cast<ElementwiseKind>(i);
    const ElementwiseRow& row = RowOf(kind);
    if (row.name != last && kind != ElementwiseKind::kCopy) {  // rounds, or not; of "fill and copy"
      AddElementwiseRow(family, row, kLaneForms);
    }
    last = row.name;
  }
}

}  // namespace tilesim::isa
