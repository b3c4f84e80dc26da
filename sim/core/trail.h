// What the clock says of a moment beside its time: what could not happen earlier, and because of what.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/pipe.h"

namespace tilesim {

// What an instruction waited for last before it could start.
enum class Wait : uint8_t {
  kIssue,      // the scalar unit, which was handing out earlier instructions
  kPipe,       // its pipe, which was busy
  kFlag,       // a flag of another pipe, or the compiler's own between the scalar unit and others
  kBarrier,    // a barrier
  kUnitFlag,   // the unit flag of a block of L0C
  kQueue,      // the scalar unit, which met a full queue
  kScalar,     // the scalar unit, which read or wrote an element
  kCrossCore,  // the scalar unit, which met a flag of other cores
};
inline constexpr int kNumWaits = 8;

constexpr std::string_view Name(Wait wait) {
  constexpr std::array<std::string_view, kNumWaits> kNames = {
      "issue", "pipe busy", "flag", "barrier", "unit flag", "queue full", "scalar", "cross-core flag"};
  return kNames[static_cast<size_t>(wait)];
}

// The last reason of a moment, and the instruction whose start or end that was: following it from the last
// instruction of a launch backwards gives the critical path.
struct Trail {
  static constexpr bool kKept = true;
  Wait why = Wait::kIssue;
  Pipe by = Pipe::kS;  // the pipe waited for
  int core = -1;       // that `run` is of; -1: there is no such instruction
  int64_t run = -1;    // counted from 0 in the core's program order, flags and barriers not counted
  int64_t until = 0;   // the time at which the waiting was over

  static Trail Of(Pipe pipe, int core, int64_t run) { return {Wait::kPipe, pipe, core, run, 0}; }
  Trail Because(Wait wait, int64_t at) const { return {wait, by, core, run, at}; }
  Trail Because(Wait wait, Pipe of, int64_t at) const { return {wait, of, core, run, at}; }
};

// Where nobody asks.
struct NoTrail {
  static constexpr bool kKept = false;
  static NoTrail Of(Pipe, int, int64_t) { return {}; }
  NoTrail Because(Wait, int64_t) const { return {}; }
  NoTrail Because(Wait, Pipe, int64_t) const { return {}; }
};

// A time of the core's clock in cycles since the kernel's start, with its trail.
template <class Trail>
struct Moment {
  int64_t at = 0;
  [[no_unique_address]] Trail trail = {};

  Moment After(int64_t cycles) const { return {at + cycles, trail}; }
  Moment Because(Wait wait) const { return {at, trail.Because(wait, at)}; }
  Moment Because(Wait wait, Pipe of) const { return {at, trail.Because(wait, of, at)}; }
};

// The later of two; of equals the first.
template <class Trail>
Moment<Trail> Later(const Moment<Trail>& a, const Moment<Trail>& b) {
  return b.at > a.at ? b : a;
}

}  // namespace tilesim
