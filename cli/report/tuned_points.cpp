#include "cli/report/tuned_points.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "formats/error.h"
#include "formats/shown_text.h"
#include "ops/cases/csv_line.h"
#include "ops/knowledge/knowledge_key.h"
#include "ops/knowledge/model_version.h"

namespace tilesim {
namespace {

constexpr std::string_view kMend =
    "; give the tuned.csv that `tilesim tune --objective pareto --output DIR` wrote";
constexpr std::array<std::string_view, 8> kNeeded = {"id",    "tuned_us", "gm_bytes", "l1_bytes",
                                                     "cores", "soc",      "model",    "problem"};

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
              " = '", Shown(text), "': must be a number of 0 or more", kMend);
  return value;
}

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Of two texts of the same words but for their values, which these are; of others nothing but the first word.
std::string WhichWords(const std::vector<std::string>& found, const std::vector<std::string>& needed) {
  constexpr size_t kShown = 4;
  if (found.empty() || needed.empty() || found[0] != needed[0] || found.size() != needed.size()) {
    return Say("found ", found.empty() ? "nothing" : found[0], ", needed ", needed.empty() ? "" : needed[0]);
  }
  std::string of_found;
  std::string of_needed;
  size_t differ = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] != needed[i] && ++differ <= kShown) {
      of_found += " " + found[i];
      of_needed += " " + needed[i];
    }
  }
  return Say("found", of_found, ", needed", of_needed,
             differ > kShown ? Say(", and ", differ - kShown, " more") : "");
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
    points[cells[places[0]]].push_back({.place = place,
                                        .soc = cells[places[5]],
                                        .model = cells[places[6]],
                                        .problem = cells[places[7]],
                                        .time_us = NumberOf<double>(cells[places[1]], kNeeded[1], place),
                                        .gm_bytes = number(2),
                                        .l1_bytes = number(3),
                                        .cores = number(4)});
  }
  RequireUser(!points.empty(), path, ": has no rows", kMend);
  return points;
}

std::string WhyOfAnother(const TunedPoint& point, const Case& problem, const SocConfig& soc) {
  const std::optional<KnowledgeKey> key = KeyOf(problem);
  const std::string needed = key ? TextOf(*key) : problem.op;
  if (point.problem != needed) {
    return WhichWords(WordsOf(point.problem), WordsOf(needed));
  }
  const std::string model = ModelVersion(soc);
  return point.soc == soc.name && point.model == model
             ? ""
             : Say("found model ", point.model, " of ", point.soc, ", needed ", model, " of ", soc.name);
}

}  // namespace tilesim
