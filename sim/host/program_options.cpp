#include "sim/host/program_options.h"

#include <array>
#include <string_view>

namespace tilesim::host {

const std::vector<OptionName>& ProgramOptionNames() {
  static const std::vector<OptionName> names = {
      {.name = "soc"},      {.name = "set", .repeats = true},
      {.name = "cores"},    {.name = "mode"},
      {.name = "threads"},  {.name = "strict-sync", .is_switch = true},
      {.name = "watchdog"}, {.name = "quiet", .is_switch = true}};
  return names;
}

ProgramOptions ReadProgramOptions(const OptionWords& words, ProgramOptions options) {
  constexpr std::array<std::string_view, 3> kModes = {"full", "functional", "timing"};
  options.soc = words.Text("soc", options.soc);
  for (const std::string& set : words.All("set")) {
    options.set.push_back(set);
  }
  options.cores = words.Whole("cores", options.cores, 1, INT32_MAX);
  if (words.Has("mode")) {
    const std::string mode = words.Choice("mode", kModes);
    options.mode.values = mode != "timing";
    options.mode.time = mode != "functional";
    options.mode.hazards = mode == "full";
  }
  options.mode.strict_sync = options.mode.strict_sync || words.Has("strict-sync");
  options.quiet = options.quiet || words.Has("quiet");
  options.threads = static_cast<int>(words.Whole("threads", options.threads, 1, 1024));
  options.watchdog = words.Whole("watchdog", options.watchdog, 0, INT64_MAX);
  return options;
}

}  // namespace tilesim::host
