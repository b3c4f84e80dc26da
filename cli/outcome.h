#pragma once

#include <algorithm>

namespace tilesim {

// How a command ended, from best to worst; main.cpp alone turns it into an exit code.
enum class Outcome {
  kDone,         // all cases done, and equal where compared
  kNo,           // results differ, or nothing legal was found
  kUserMistake,  // option, case file, shape, SoC file, tiling given by hand
  kKernelFault,  // bounds, alignment, capacity, hazard, deadlock, uninitialised read
  kOurBug,
};

inline Outcome Worse(Outcome a, Outcome b) { return std::max(a, b); }

}  // namespace tilesim
