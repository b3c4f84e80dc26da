// What a vector instruction costs: cycles a repeat, conflicts of banks of UB, and barriers. Knows no values.
#pragma once

#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// Cycles that the banks of UB need to read the operands given, or to write the one given; at least one a
// repeat. UB has 16 groups of banks, 32 bytes wide; each serves one read and one write a cycle.
int64_t BankCycles(const VectorWork& work, std::span<const VectorOperand> operands);
inline int64_t BankCycles(const VectorWork& work, const VectorOperand& operand) {
  return BankCycles(work, std::span<const VectorOperand>(&operand, 1));
}

// An instruction that is issued for nothing. (Calls that issue none cost nothing.)
Cost NopCost(const Core& core);
// The scalar unit reads a register of V's results, after a wait that the compiler adds (not: strict_sync).
Cost ResultReadCost(Core& core);
// An instruction of `cycles_per_repeat` cycles a repeat where no bank conflicts. V waits for what it wrote
// before and this touches, where the compiler is to see to that (not with RunMode::strict_sync).
Cost VectorCost(Core& core, const VectorWork& work, int64_t cycles_per_repeat, const VectorOperand& dst,
                std::span<const VectorOperand> srcs = {});
inline Cost VectorCost(Core& core, const VectorWork& work, int64_t cycles_per_repeat,
                       const VectorOperand& dst, const VectorOperand& src) {
  return VectorCost(core, work, cycles_per_repeat, dst, std::span<const VectorOperand>(&src, 1));
}
// As above, for an instruction of `busy_cycles` that writes `dst` and reads `srcs`.
Cost VectorCost(Core& core, int64_t busy_cycles, const Extent& dst, std::span<const Extent> srcs = {});
inline Cost VectorCost(Core& core, int64_t busy_cycles, const Extent& dst, const Extent& src) {
  return VectorCost(core, busy_cycles, dst, std::span<const Extent>(&src, 1));
}
// The same, unless `work` says that nothing is done.
template <class Work, class Sources>
Cost VectorCost(Core& core, const Work& work, int64_t busy_cycles, const Extent& dst, const Sources& srcs) {
  return work.IsNop() ? NopCost(core) : VectorCost(core, busy_cycles, dst, srcs);
}

}  // namespace tilesim::isa
