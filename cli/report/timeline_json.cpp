#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report/case_json.h"
#include "formats/error.h"

namespace tilesim {
namespace {

using Json = nlohmann::ordered_json;

// Texts that recur, by number.
class Texts {
 public:
  int64_t NumberOf(const std::string& text) {
    const auto [found, is_new] = number_.try_emplace(text, std::ssize(texts_));
    if (is_new) {
      texts_.push_back(text);
    }
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

 private:
  std::map<std::string, int64_t> number_;
  std::vector<std::string> texts_;
};

// Percent of each part of the time that the pipe was busy.
Json BusyJson(const WatchedCore& core, size_t pipe, int64_t cycles) {
  constexpr auto kBins = static_cast<int64_t>(WatchedCore::kBins);
  Json bins = Json::array();
  for (int64_t bin = 0; bin < kBins; ++bin) {
    const int64_t width =
        bin == kBins - 1 ? cycles - bin * cycles / kBins : (bin + 1) * cycles / kBins - bin * cycles / kBins;
    const int64_t busy = core.busy[pipe][static_cast<size_t>(bin)];
    bins.push_back(width == 0 ? 0 : (100 * busy + width / 2) / width);
  }
  return bins;
}

Json CoreJson(const WatchedCore& core, int64_t cycles, Texts& texts) {
  Json object;
  object["name"] = core.identity.Name();
  object["left_out"] = core.left_out;
  Json& lanes = object["lanes"] = Json::array();
  for (size_t p = 0; p < kNumPipes; ++p) {
    if (std::ranges::any_of(core.busy[p], [](int64_t busy) { return busy > 0; })) {
      lanes.push_back(
          {{"pipe", p}, {"name", Name(static_cast<Pipe>(p))}, {"busy", BusyJson(core, p, cycles)}});
    }
  }
  Json& runs = object["runs"] = Json::array();
  for (const WatchedRun& run : core.runs) {
    const Span& span = run.span;
    runs.push_back({run.run, Index(run.pipe), texts.NumberOf(run.name),
                    texts.NumberOf(Say(run.where.file, ":", run.where.line)), texts.NumberOf(run.tile.Text()),
                    texts.NumberOf(TextOf(run.reason)), span.issue, span.ready, span.start, span.free,
                    span.done});
  }
  return object;
}

}  // namespace

Json TimelineJson(const CaseTimes& times) {
  Texts texts;
  const int64_t cycles = times.explanation.cycles;
  Json object;
  object["cycles"] = cycles;
  object["clock_mhz"] = times.explanation.clock_mhz;
  object["from"] = times.window.from_cycle;
  object["to"] = times.window.to_cycle;
  Json& cores = object["cores"] = Json::array();
  for (const WatchedCore& core : times.shown) {
    cores.push_back(CoreJson(core, cycles, texts));
  }
  Json& path = object["path"] = Json::array();
  for (const PathStretch& stretch : times.path) {
    path.push_back({stretch.begin, stretch.end, texts.NumberOf(stretch.why), stretch.run});
  }
  object["texts"] = texts.all();
  return object;
}

}  // namespace tilesim
