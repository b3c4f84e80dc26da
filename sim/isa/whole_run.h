// The short way of vector instructions (Core::at_once): what most of them are, seen in one look.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/core/core.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_run.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// The elements of an instruction where no mask has gaps: `count` in a row, `repeats` times.
struct WholeLanes {
  int64_t count = 0;  // 0: not so, or nothing
  int64_t repeats = 1;

  static WholeLanes OfCount(int64_t count) { return {.count = count, .repeats = 1}; }
  // What the mask registers make of an instruction of `repeats` repeats of `lanes` lanes, 64 or 128.
  static WholeLanes Of(const VectorRegisters& registers, int64_t lanes, int64_t repeats) {
    const LaneMask mask = {{registers.mask_low, lanes > 64 ? registers.mask_high : 0}};
    return {registers.counter || !mask.IsPrefix() ? 0 : mask.Leading(), repeats};
  }
};

// Where an operand of them lies.
struct WholeOperand {
  Memory memory = Memory::kUb;
  uint64_t begin = 0;
  uint64_t limit = 0;  // as of Operand
  int64_t block_stride = 1;
  int64_t step_bytes = kRepeatBytes;  // from repeat to repeat
};

// Of such instructions whose operands lie in UB within their buffers, in neighbouring blocks, dst beside its
// sources or in the same place, all of ForRuns' work is a single run, and nothing is wrong with the operands;
// of others this says nothing. All elements are of `kElementBytes`.
template <int64_t kElementBytes, size_t kOperands, bool kWrites = true>
class WholeRun {
 public:
  // dst first, whose writes are noted; only sources where it does not write (kWrites).
  template <class... Rest>
  [[gnu::always_inline]] WholeRun(Core& core, const WholeLanes& lanes, const WholeOperand& first,
                                  const Rest&... rest) {
    static_assert(1 + sizeof...(Rest) == kOperands);
    holds_ = lanes.count > 0 && lanes.repeats > 0 && Take<0>(core, lanes, first) &&
             TakeRest(core, lanes, std::index_sequence_for<Rest...>(), rest...);
    run.count = beside_ ? lanes.count * lanes.repeats : lanes.count;
    run.repeats = beside_ ? 1 : lanes.repeats;
  }
  explicit operator bool() const { return holds_; }

  VectorRun run;
  std::array<uint64_t, kOperands> at;    // bytes in UB, an operand each
  std::array<uint64_t, kOperands> ends;  // of their extents

  // Does an operand share bytes with [begin, end)?
  [[nodiscard]] bool Meets(uint64_t begin, uint64_t end) const {
    bool meets = false;
    for (size_t i = 0; i < kOperands; ++i) {
      meets = meets || (at[i] < end && begin < ends[i]);
    }
    return meets;
  }

 private:
  template <size_t kI>
  [[gnu::always_inline]] bool Take(Core& core, const WholeLanes& lanes, const WholeOperand& operand) {
    const int64_t bytes = lanes.count * kElementBytes;
    at[kI] = operand.begin;
    ends[kI] = at[kI] + Unsigned((lanes.repeats - 1) * operand.step_bytes + bytes);
    run.step_bytes[kI] = operand.step_bytes;
    beside_ = beside_ && (lanes.repeats == 1 || operand.step_bytes == bytes);
    return operand.memory == Memory::kUb && operand.block_stride == 1 &&
           at[kI] % AlignBytes(Memory::kUb) == 0 &&
           core.FitsUb(ends[kI], operand.limit, kWrites && kI == 0 ? Use::kWrite : Use::kRead);
  }
  template <size_t kI>
  [[gnu::always_inline]] bool TakeSource(Core& core, const WholeLanes& lanes, const WholeOperand& source) {
    if (!Take<kI>(core, lanes, source)) {
      return false;
    }
    const bool apart = ends[kI] <= at[0] || ends[0] <= at[kI];
    const bool same = at[kI] == at[0] && run.step_bytes[kI] == run.step_bytes[0] &&
                      (lanes.repeats == 1 || run.step_bytes[0] >= lanes.count * kElementBytes);
    return !kWrites || apart || same;
  }
  template <size_t... kI, class... Rest>
  [[gnu::always_inline]] bool TakeRest(Core& core, const WholeLanes& lanes, std::index_sequence<kI...>,
                                       const Rest&... rest) {
    return (TakeSource<kI + 1>(core, lanes, rest) && ...);
  }

  bool beside_ = true;  // repeats lie one behind the other
  bool holds_ = false;
};

}  // namespace tilesim::isa
