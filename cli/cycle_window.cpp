#include "cli/cycle_window.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "formats/error.h"

namespace tilesim {
namespace {

// -1 for what is no cycle.
int64_t Cycle(std::string_view text) {
  int64_t cycle = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, cycle);
  return error == std::errc() && stop == end ? cycle : -1;
}

}  // namespace

CycleWindow CycleWindowOf(const Arguments& arguments) {
  if (!arguments.Has("window")) {
    return {};
  }
  const std::string text = arguments.Text("window", "");
  const size_t colon = std::min(text.find(':'), text.size());
  const CycleWindow window = {.from = Cycle(std::string_view(text).substr(0, colon)),
                              .to = Cycle(std::string_view(text).substr(std::min(colon + 1, text.size())))};
  RequireUser(window.from >= 0 && window.from < window.to, "--window = '", text,
              "': must be FROM:TO in cycles, FROM below TO; for example 0:20000");
  return window;
}

}  // namespace tilesim
