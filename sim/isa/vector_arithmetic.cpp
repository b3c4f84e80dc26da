#include "sim/isa/vector_arithmetic.h"

#include <cstring>

#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

// Cycles a repeat where no bank conflicts (timing 2.6: 128 elements of 16 bits or 64 of 32 a cycle).
constexpr int64_t kArithmeticCycles = 1;

}  // namespace

void BinaryArguments::Check(Core& core, BinaryKind kind) const {
  RequireType(core, type, TypesOf(kind));
  RequireUb(core, "dst", dst);
  RequireUb(core, "src0", src0);
  RequireUb(core, "src1", src1);
  RequireNoOverlap(core, work, dst, src0, "src0");
  RequireNoOverlap(core, work, dst, src1, "src1", !IsLogical(kind) && type != VectorType::kInt16);
}

Operands BinaryArguments::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  AddLanes(operands, work, src0, Use::kRead, "src0");
  AddLanes(operands, work, src1, Use::kRead, "src1");
  return operands;
}

void BinaryArguments::Execute(Core& core, BinaryKind kind) const {
  const BinaryRun run = BinaryRunFor(kind, type, !core.registers().ieee);
  std::byte* const ub = core.ub();
  ForRuns<3>(work, {&dst, &src0, &src1},
             [&](const std::array<uint64_t, 3>& at, int64_t, const VectorRun& lanes) {
               run(ub + at[1], ub + at[2], ub + at[0], lanes);
             });
}

Cost BinaryArguments::TimeOn(Core& core) const {
  const VectorOperand srcs[] = {src0, src1};
  return VectorCost(core, work, kArithmeticCycles, dst, srcs);
}

void ScalarArguments::Check(Core& core) const {
  RequireType(core, type, kNumbers);
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireNoOverlap(core, work, dst, src, "src");
}

Operands ScalarArguments::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void ScalarArguments::Execute(Core& core, BinaryKind kind) const {
  const BinaryRun run = ScalarRunFor(kind, type, !core.registers().ieee);
  std::byte* const ub = core.ub();
  const ScalarBytes scalar(scalar_bits);
  ForRuns<2>(work, {&dst, &src}, [&](const std::array<uint64_t, 2>& at, int64_t, const VectorRun& lanes) {
    run(ub + at[1], scalar.bytes, ub + at[0], lanes);
  });
}

Cost ScalarArguments::TimeOn(Core& core) const {
  return VectorCost(core, work, kArithmeticCycles, dst, std::span<const VectorOperand>(&src, 1));
}

void VectorNot::Check(Core& core) const {
  RequireType(core, type, kLogical);
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireNoOverlap(core, work, dst, src, "src");
}

Operands VectorNot::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void VectorNot::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  ForRuns<2>(work, {&dst, &src}, [&](const std::array<uint64_t, 2>& at, int64_t, const VectorRun& lanes) {
    NotRun(ub + at[1], ub + at[0], lanes);
  });
}

Cost VectorNot::TimeOn(Core& core) const {
  return VectorCost(core, work, kArithmeticCycles, dst, std::span<const VectorOperand>(&src, 1));
}

}  // namespace tilesim::isa
