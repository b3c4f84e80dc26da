#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "tiling/tune/tile_space.h"

namespace tilesim {

// What a tiling takes when it is run.
struct TuneCost {
  double time_us = 0;
  int64_t gm_bytes = 0;  // between GM and all cores
  int64_t l1_bytes = 0;  // of a core
  int64_t cores = 0;
};

// How the search asks for time. Both give the same answer whenever they are asked, on any thread.
struct TuneMeasures {
  // Never above what `run` tells, and much cheaper. Where it is not below `cutoff_us`, anything that is
  // neither.
  std::function<double(const TilePath&, double cutoff_us)> least_us;
  // May give nothing where the tiling takes longer than `cutoff_us`.
  std::function<std::optional<TuneCost>(const TilePath&, double cutoff_us)> run;
};

// A limit of runs is one of tilings considered, too: so many a run. Where bounds leave nothing to run, a
// search would go on through millions of tilings.
inline constexpr int64_t kConsideredARun = 100'000;

struct TuneLimits {
  double seconds = std::numeric_limits<double>::infinity();
  int64_t runs = std::numeric_limits<int64_t>::max();
  int threads = 1;
  std::function<bool()> stop = [] { return false; };  // asked between batches, and by several threads
};

struct TuneAnswer {
  struct Run {
    TilePath path{};
    TuneCost cost;
  };
  std::optional<Run> best;  // none: nothing found beats what was known
  double bound_us = 0;      // no tiling of the space takes less
  bool proven = false;      // nothing that could be better is left
  int64_t legal = 0;        // tilings of the space; counted where proven, as long as there is time
  bool legal_is_all = false;
  int64_t considered = 0;  // tilings whose own bound was computed
  int64_t played = 0;      // that were run on one core
  int64_t simulated = 0;   // on all cores, be it until they could not be the best
  std::vector<Run> runs;   // of these, those that came to their end, in their order
};

// Best-first search with bounds: opens the subtrees that promise most, plays their tilings on one core, runs
// those that could still be better than `known_us`, and leaves out what its bound excludes. Batches are the
// same for any number of threads, and so is the answer unless `limits` of time or `stop` end it.
TuneAnswer SearchTiles(TileSpace& space, const TuneMeasures& measures, double known_us,
                       const TuneLimits& limits);

}  // namespace tilesim
