// GM as the cores of a launch share it: what each move takes in time, with L2 and with the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/gm_move.h"
#include "sim/core/l2_cache.h"
#include "sim/core/replay.h"
#include "sim/core/shared_rate.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Cores that take of L2 and of HBM at one time.
struct GmSharers {
  int64_t l2 = 1;
  int64_t hbm = 1;
  int64_t slice_cycles = 0;  // that L2's slices need for the move beside those of others
};

// When the last of a core's moves so far that take of L2, and of HBM, ends.
struct GmUntil {
  int64_t l2 = 0;
  int64_t hbm = 0;
};

// Who takes of GM at `time`: `core`, those that are in the middle of it, and those about to start now, of
// which nobody knows yet where their bytes are.
inline GmSharers SharersAt(size_t core, int64_t time, std::span<const int64_t> starts,
                           std::span<const GmUntil> until, int64_t slice_cycles) {
  GmSharers sharers{.l2 = 0, .hbm = 0, .slice_cycles = slice_cycles};
  for (size_t other = 0; other < starts.size(); ++other) {
    const bool begins = other == core || starts[other] <= time;
    sharers.l2 += begins || until[other].l2 > time ? 1 : 0;
    sharers.hbm += begins || until[other].hbm > time ? 1 : 0;
  }
  return sharers;
}

// A move takes what its rule says of a core alone, or longer: while it lasts it takes no more of L2 and of
// HBM than an equal share among the cores that take of it at its start, nor more than what moves that were
// told before have left. Of L2 that is less where several cores read the same lines, and for atomic updates;
// of both for what does not begin at sectors. What L2 finds it gives when the move that fetched it has it.
// What nobody waits for (lines written back, at the rate of writes; what an atomic update has fetched) takes
// of HBM, too.
class SharedGm {
 public:
  SharedGm(const SocConfig& soc, const std::vector<uint64_t>& buffer_bytes, const WhatIf& what_if);

  // A move of `core` from `begin` of the pattern's buffer on, that starts at `start`; `until` is its core's.
  Cost Move(const GmPattern& pattern, uint64_t begin, int core, int64_t start, const GmSharers& sharers,
            GmUntil& until, GmTime& time);
  // Where a pattern's move from `begin` on lies in GM.
  uint64_t PlaceOf(const GmPattern& pattern, uint64_t begin) const { return places_[pattern.buffer] + begin; }
  // What a move takes at least: of a core alone, all of it found in L2.
  int64_t AloneCycles(const GmPattern& pattern) const { return tilesim::AloneCycles(soc_, pattern); }
  // As Move, of a pipe that takes no time.
  void MoveFree(const GmPattern& pattern, uint64_t begin, int core, GmTime& time) {
    time.bytes = Touch(pattern, begin, core).bytes;
    fetched_.push_back(0);
  }

 private:
  // Of a core alone, where others leave it at least so many cycles' worth.
  Cost Alone(const GmPattern& pattern, const GmBytes& bytes, int64_t least_cycles) const {
    return pattern.rule.of(
        soc_, {.bytes = bytes, .bursts = pattern.bursts(), .cores = 1, .least_cycles = least_cycles},
        pattern.rule.details);
  }
  L2Traffic Touch(const GmPattern& pattern, uint64_t begin, int core);
  // What L2 has to do, in bytes that it would give at its best in that time.
  double L2Load(const L2Traffic& traffic, Use use) const;
  // What lines written back take of HBM, in bytes that it would give to reads in that time.
  double WriteBackLoad(int64_t bytes) const;
  // Does each piece begin at a sector?
  bool BeginsAtSectors(const GmPattern& pattern, uint64_t begin) const;

  const SocConfig& soc_;
  WhatIf what_if_;
  L2Cache l2_;
  std::vector<uint64_t> places_;  // by buffer: where it begins
  SharedRate l2_rate_;
  SharedRate hbm_rate_;
  std::vector<int64_t> fetched_ = {0};  // by move: when it has what it fetched from HBM
};

}  // namespace tilesim
