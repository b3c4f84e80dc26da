#include "cli/cycle_window.h"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::string_view kForm =
    "must be FROM:TO, whole numbers of cycles from 0, FROM below TO; for example 0:20000";

// `name`: which of the two it is.
int64_t Cycle(const std::string& window, std::string_view name, std::string_view text) {
  int64_t cycle = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, cycle);
  RequireUser(error != std::errc::result_out_of_range, "--window = '", window, "': ", name, " is ", text,
              ", beyond what a run can take; ", kForm);
  RequireUser(error == std::errc() && stop == end && cycle >= 0, "--window = '", window, "': ", name, " is '",
              text, "', no whole number from 0; ", kForm);
  return cycle;
}

}  // namespace

CycleWindow CycleWindowOf(const Arguments& arguments) {
  if (!arguments.Has("window")) {
    return {};
  }
  const std::string text = arguments.Text("window", "");
  const size_t colon = text.find(':');
  RequireUser(colon != std::string::npos, "--window = '", text, "': has no colon; ", kForm);
  const CycleWindow window = {.from = Cycle(text, "FROM", std::string_view(text).substr(0, colon)),
                              .to = Cycle(text, "TO", std::string_view(text).substr(colon + 1))};
  RequireUser(window.from < window.to, "--window = '", text, "': FROM is not below TO; ", kForm);
  return window;
}

}  // namespace tilesim
