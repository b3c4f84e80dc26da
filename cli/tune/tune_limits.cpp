#include "cli/tune/tune_limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr double kMostRuns = 1e15;

// "30s", "1.5m", "250ms", "2h", a number alone is seconds; or "200runs", a whole number. Digits and a point,
// no exponent.
void ReadBudget(const std::string& text, TuneLimits& limits) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 5> kUnits = {{{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const std::string_view name(rest, static_cast<size_t>(end - rest));
  if (error == std::errc() && value >= 0 && std::isfinite(value)) {
    if (name == "runs" && value == std::floor(value) && value <= kMostRuns) {
      limits.runs = static_cast<int64_t>(value);
      return;
    }
    const auto* const unit = std::ranges::find(kUnits, name, &Unit::name);
    if (unit != kUnits.end()) {
      limits.seconds = value * unit->seconds;
      return;
    }
  }
  throw UserError(
      Say("--budget = '", text,
          "': must be a time, such as 500ms, 30s, 1.5m or 2h (a number alone is seconds, 0: the planners "
          "alone), or a number of tilings to run on all cores, such as 200runs"));
}

}  // namespace

std::string BudgetOf(const Arguments& arguments) { return arguments.Text("budget", "30s"); }

TuneLimits TuneLimitsOf(const Arguments& arguments) {
  constexpr int64_t kMostThreads = 1024;
  TuneLimits limits;
  ReadBudget(BudgetOf(arguments), limits);
  limits.threads = static_cast<int>(
      arguments.Whole("threads", std::max<int64_t>(1, std::thread::hardware_concurrency()), 1, kMostThreads));
  return limits;
}

}  // namespace tilesim
