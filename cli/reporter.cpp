#include "cli/reporter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 3> kFormats = {"table", "csv", "json"};
using Make = std::unique_ptr<Reporter> (*)(std::span<const ReportColumn>);
constexpr std::array<Make, kFormats.size()> kMakers = {MakeTableReporter, MakeCsvReporter, MakeJsonReporter};

}  // namespace

std::span<const std::string_view> ReportFormats() { return kFormats; }

std::unique_ptr<Reporter> MakeReporter(std::string_view format, std::span<const ReportColumn> columns) {
  const auto* const found = std::ranges::find(kFormats, format);
  RequireUser(found != kFormats.end(), "--format = '", format, "': must be table, csv or json");
  return kMakers[static_cast<size_t>(found - kFormats.begin())](columns);
}

std::string PlainText(const ReportCell& cell) {
  if (const auto* const truth = std::get_if<bool>(&cell)) {
    return *truth ? "true" : "false";
  }
  if (const auto* const whole = std::get_if<int64_t>(&cell)) {
    return std::to_string(*whole);
  }
  if (const auto* const number = std::get_if<double>(&cell)) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", *number);
    return std::isnan(*number) ? "nan" : digits.data();  // without the sign
  }
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&cell)) {
    std::string joined;
    for (const std::string& text : *texts) {
      joined += Say(joined.empty() ? "" : "; ", text);
    }
    return joined;
  }
  const auto* const text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : "";
}

}  // namespace tilesim
