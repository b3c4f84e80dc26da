#include "cli/report/tuned_points.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "formats/error.h"
#include "ops/csv_line.h"

namespace tilesim {
namespace {

constexpr std::string_view kMend =
    "; give the tuned.csv that `tilesim tune --objective pareto --output DIR` wrote";
constexpr std::array<std::string_view, 5> kNeeded = {"id", "tuned_us", "gm_bytes", "l1_bytes", "cores"};

// Where the columns that are needed stand, in the order of kNeeded.
std::array<size_t, kNeeded.size()> PlacesIn(const std::vector<std::string>& header, const std::string& path) {
  std::array<size_t, kNeeded.size()> places{};
  for (size_t i = 0; i < kNeeded.size(); ++i) {
    const auto found = std::ranges::find(header, kNeeded[i]);
    RequireUser(found != header.end(), path, ": has no column '", kNeeded[i], "'", kMend);
    places[i] = static_cast<size_t>(found - header.begin());
  }
  return places;
}

template <class T>
T NumberOf(const std::string& text, std::string_view column, const std::string& place) {
  T value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RequireUser(error == std::errc() && rest == text.data() + text.size() && value >= 0, place, ": ", column,
              " = '", text, "': must be a number of 0 or more", kMend);
  return value;
}

}  // namespace

TunedPoints ReadTunedPoints(const std::string& path) {
  std::error_code ignored;
  RequireUser(!std::filesystem::is_directory(path, ignored), path, ": is a folder, must be a table (CSV)",
              kMend);
  RequireUser(std::filesystem::is_regular_file(path, ignored), path, ": no such file", kMend);
  std::ifstream file(path);
  std::vector<std::string> header;
  std::array<size_t, kNeeded.size()> places{};
  TunedPoints points;
  int64_t number_of_line = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string place = Say(path, ":", ++number_of_line);
    const std::vector<std::string> cells = SplitCsvLine(line.data());
    if (header.empty()) {
      header = cells;
      places = PlacesIn(header, path);
      continue;
    }
    RequireUser(cells.size() == header.size(), place, ": ", cells.size(), " cells, the header names ",
                header.size(), kMend);
    const auto number = [&](size_t i) { return NumberOf<int64_t>(cells[places[i]], kNeeded[i], place); };
    points[cells[places[0]]].push_back({.time_us = NumberOf<double>(cells[places[1]], kNeeded[1], place),
                                        .gm_bytes = number(2),
                                        .l1_bytes = number(3),
                                        .cores = number(4)});
  }
  RequireUser(!points.empty(), path, ": has no rows", kMend);
  return points;
}

}  // namespace tilesim
