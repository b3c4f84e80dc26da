#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "sim/host/option_words.h"

namespace tilesim::host {

// From TILESIM_OPTIONS, and of a program without a main of its own from its command line.
struct ProgramOptions {
  std::string soc = "ascend910b2";
  std::vector<std::string> set;
  int64_t cores = 0;  // AI cores of the part that the device has; 0: all
  RunMode mode;
  int threads = 0;
  int64_t watchdog = 4'000'000;
  bool quiet = false;  // no closing line
};
const std::vector<OptionName>& ProgramOptionNames();
// What the words say, and of what they do not say `otherwise`. Throws UserError.
ProgramOptions ReadProgramOptions(const OptionWords& words, ProgramOptions otherwise);

}  // namespace tilesim::host
