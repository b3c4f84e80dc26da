// Why a launch takes as long as it does, and what would help.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "sim/core/recording.h"
#include "sim/explain/cause.h"
#include "sim/explain/core_account.h"
#include "sim/explain/gm_reads.h"
#include "sim/explain/lower_bounds.h"
#include "sim/explain/what_if.h"

namespace tilesim {

// Instructions of one name, pipe and source line, together.
struct PathItem {
  std::string name;
  Pipe pipe = Pipe::kS;
  SourceLine where = {};
  int64_t cycles = 0;  // of the critical path, with misses, sharing and latency
  int64_t times = 0;   // how many of them are on the path
};

struct Explanation {
  CoreIdentity core;              // the busiest: the first of those that end last
  int64_t cycles = 0;             // until its end
  double launch_us = 0;           // before, and for its cores
  double launch_us_per_core = 0;  // of that, what each core adds
  double clock_mhz = 0;
  double mean_end = 0;         // of the cores that did anything, in `cycles`
  int64_t launched_cores = 0;  // of its kind
  int64_t used_cores = 0;      // of those, that did anything
  int64_t part_cores = 0;      // of their kind, that the part has
  GmReadBytes reads;
  std::array<PipeAccount, kNumPipes> pipes;  // its; each adds up to `cycles`
  Account path;                              // its critical path; adds up to `cycles`
  std::vector<Stretch> stretches;            // of that path, the earliest first; their runs are kept below
  std::shared_ptr<const LastCore> kept;      // what the core did
  std::vector<PathItem> path_items;          // the most cycles first
  std::vector<WhatIfAnswer> what_if;         // the greatest gain first
  std::vector<LeastTime> least_times;

  double time_us() const { return static_cast<double>(cycles) / clock_mhz + launch_us; }
  // Cycles that an answer saves.
  int64_t Gain(const WhatIfAnswer& answer) const { return cycles - answer.cycles; }
};

// Of a launch that came to its end, with time; `recording` and `result` are its. Times the launch again,
// about ten times over; `also` watches it as it was.
Explanation Explain(const LaunchRecording& recording, const SocConfig& soc, const LaunchResult& result,
                    ClockObserver* also = nullptr);

// A sentence or two: what bounds the launch, and what is most likely to help.
std::string Sentence(const Explanation& explanation);

}  // namespace tilesim
