// How much of GM a launch reads, and how much of that it had read before.
#pragma once

#include <cstdint>

#include "sim/core/launch.h"
#include "sim/core/recording.h"

namespace tilesim {

struct GmReadBytes {
  int64_t all = 0;
  int64_t distinct = 0;  // of these, each byte once, whichever cores read it
  int64_t missed = 0;    // of all, that came from HBM

  // What part of `all` had been read before; 0 where nothing is read.
  double again() const {
    return all == 0 ? 0 : static_cast<double>(all - distinct) / static_cast<double>(all);
  }
};

// `recording` and `result`: of one launch.
GmReadBytes ReadBytesOf(const LaunchRecording& recording, const LaunchResult& result);

}  // namespace tilesim
