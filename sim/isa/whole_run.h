// The short way of vector instructions (Core::Issue): what most of them are, seen in one look.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_run.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// Most instructions are such: all lanes of every repeat, or one run of leading ones, of neighbouring
// blocks, in UB within their buffers, with dst beside its sources or in the same place. Of such a one all of
// ForRuns' work is a single run, and nothing is wrong with its operands; of others this says nothing.
template <size_t kOperands, bool kWrites = true>
class WholeRun {
 public:
  // dst first, whose writes are noted; only sources where it does not write (kWrites).
  WholeRun(Core& core, const VectorWork& work, const std::array<const VectorOperand*, kOperands>& operands) {
    if (work.elements <= 0) {
      return;
    }
    bool one_run = true;
    for (size_t i = 0; i < kOperands; ++i) {
      const VectorOperand& operand = *operands[i];
      const int64_t step = operand.RepeatBytes();
      const int64_t repeat_bytes = work.lanes * operand.element_bits / 8;
      const bool beside = work.repeats == 1 || step == repeat_bytes;
      const int64_t bytes =
          beside ? (work.elements * operand.element_bits + 7) / 8 : (work.repeats - 1) * step + repeat_bytes;
      at[i] = operand.at.begin;
      ends[i] = at[i] + Unsigned(bytes);
      run.step_bytes[i] = step;
      one_run = one_run && beside;
      if (operand.block_stride != 1 || operand.at.memory != Memory::kUb ||
          at[i] % AlignBytes(Memory::kUb) != 0 ||
          !core.FitsUb(ends[i], operand.at.limit, kWrites && i == 0 ? Use::kWrite : Use::kRead)) {
        return;
      }
      const bool apart = ends[i] <= at[0] || ends[0] <= at[i];
      const bool same = at[i] == at[0] && operand.element_bits == operands[0]->element_bits &&
                        step == run.step_bytes[0] && (work.repeats == 1 || step >= repeat_bytes);
      if (kWrites && i > 0 && !apart && !same) {
        return;
      }
    }
    if (one_run) {
      run.count = work.elements;
    } else if (work.elements == work.repeats * work.lanes) {
      run.count = work.lanes;
      run.repeats = work.repeats;
    } else {
      return;
    }
    holds_ = true;
  }
  explicit operator bool() const { return holds_; }

  VectorRun run;
  std::array<uint64_t, kOperands> at;    // bytes in UB, an operand each
  std::array<uint64_t, kOperands> ends;  // of their extents

  // Does an operand share bytes with [begin, end)?
  bool Meets(uint64_t begin, uint64_t end) const {
    bool meets = false;
    for (size_t i = 0; i < kOperands; ++i) {
      meets = meets || (at[i] < end && begin < ends[i]);
    }
    return meets;
  }

 private:
  bool holds_ = false;
};

}  // namespace tilesim::isa
