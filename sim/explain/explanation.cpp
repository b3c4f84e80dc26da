#include "sim/explain/explanation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "formats/error.h"
#include "sim/core/replay.h"

namespace tilesim {
namespace {

constexpr double kWorthwhile = 0.1;  // of the time: less is not called a bound

std::vector<PathItem> ItemsOf(const std::vector<Stretch>& path) {
  struct Kept {
    PathItem item;
    std::set<const KeptRun*> runs;  // one has several stretches where it waits for L2 or others, too
  };
  std::map<std::tuple<std::string, Pipe, std::string, int>, Kept> items;
  for (const Stretch& stretch : path) {
    if (stretch.run == nullptr) {
      continue;
    }
    const KeptRun& run = *stretch.run;
    auto& [item, runs] = items[{run.name, run.pipe, run.where.file, run.where.line}];
    item.name = run.name;
    item.pipe = run.pipe;
    item.where = run.where;
    item.cycles += stretch.end - stretch.begin;
    item.times += runs.insert(&run).second ? 1 : 0;
  }
  std::vector<PathItem> sorted;
  for (auto& [key, kept] : items) {
    sorted.push_back(std::move(kept.item));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &PathItem::cycles);
  return sorted;
}

// What bounds the launch: what gains most, unless that is a pipe whose moves mostly wait for L2's misses or
// for other cores: then these, which are the cause.
const WhatIfAnswer& Decisive(const Explanation& e) {
  const WhatIfAnswer& best = e.what_if.front();
  const auto cause = std::ranges::find_if(e.what_if, [](const WhatIfAnswer& answer) {
    return answer.freed == Freed::kL2Misses || answer.freed == Freed::kSharing;
  });
  const bool of_moves = best.freed == Freed::kPipe && best.pipe != Pipe::kM && best.pipe != Pipe::kV;
  return of_moves && cause != e.what_if.end() && 2 * e.Gain(*cause) >= e.Gain(best) ? *cause : best;
}

int Percent(double part, double whole) {
  return whole <= 0 ? 0 : static_cast<int>(std::lround(100 * part / whole));
}

}  // namespace

Explanation Explain(const LaunchRecording& recording, const SocConfig& soc, const LaunchResult& result,
                    ClockObserver* also) {
  if (recording.cores.empty() || !result.completed || result.cycles == 0) {
    throw std::logic_error("Explain: needs the recording of a launch that came to its end");
  }
  const LaunchTimes times = Replay(recording, soc);
  Explanation explanation;
  explanation.kept = std::make_shared<const LastCore>(recording, soc, times, also);
  const LastCore& busiest = *explanation.kept;
  explanation.core = recording.cores[static_cast<size_t>(busiest.core())];
  explanation.cycles = times.cycles;
  explanation.clock_mhz = soc.clock_mhz;
  explanation.launch_us = result.time_us - static_cast<double>(result.cycles) / soc.clock_mhz;
  explanation.launch_us_per_core = soc.launch_us_per_core;
  int64_t ends = 0;
  int64_t used = 0;
  for (size_t i = 0; i < times.cores.size(); ++i) {
    if (recording.cores[i].kind == explanation.core.kind) {
      ends += times.cores[i].end_cycle;
      ++explanation.launched_cores;
      used += times.cores[i].end_cycle > 0 ? 1 : 0;
    }
  }
  explanation.used_cores = used;
  explanation.part_cores =
      explanation.core.kind == CoreKind::kAic ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic;
  explanation.mean_end = static_cast<double>(ends) / static_cast<double>(std::max<int64_t>(used, 1));
  explanation.pipes = AccountsOf(busiest.runs(), busiest.core(), busiest.times());
  explanation.stretches = CriticalPath(busiest.runs(), busiest.core(), busiest.times());
  explanation.path = AccountOf(explanation.stretches);
  explanation.path_items = ItemsOf(explanation.stretches);
  explanation.what_if = AskWhatIf(recording, soc, times);
  explanation.reads = ReadBytesOf(recording, result);
  explanation.least_times = LeastTimesOf(recording, soc, result);
  return explanation;
}

namespace {

// Of the cores' own time.
std::string KernelSentence(const Explanation& e) {
  const auto cycles = static_cast<double>(e.cycles);
  const WhatIfAnswer& best = Decisive(e);
  const double gain = static_cast<double>(e.Gain(best));
  const double idle = cycles - e.mean_end;
  if (idle > gain && idle > kWorthwhile * cycles) {
    return Say(
        "Bound by imbalance: on average a core is done after ", Percent(e.mean_end, cycles),
        " % of the busiest one's cycles. Share the work more equally: another split over cores, or smaller "
        "tiles at the end.");
  }
  if (gain < kWorthwhile * cycles) {
    return Say("Balanced: if ", TextOf(best), ", which would gain most, the kernel would take ", best.cycles,
               " cycles instead of ", e.cycles, " (-", Percent(gain, cycles), " %, timed again).");
  }
  const std::vector<Account::Item> path = e.path.Items();
  std::string text = Say("Bound by ", BoundName(best.freed, best.pipe), ": if ", TextOf(best),
                         ", the kernel would take ", best.cycles, " cycles instead of ", e.cycles, " (-",
                         Percent(gain, cycles), " %, timed again). The critical path is ");
  for (size_t i = 0; i < std::min<size_t>(path.size(), 3); ++i) {
    text += Say(i == 0 ? "" : ", ", Percent(static_cast<double>(path[i].cycles), cycles), " % ",
                TextOf(path[i].cause, path[i].pipe));
  }
  return Say(text, ". Most likely to help: ", MendOf(best.freed, best.pipe, e.reads), ".");
}

// What helps a launch that takes longer than its cores. Fewer cores do where half of them would add less time
// to the cores, which then have twice the work, than they take from the launch.
std::string LaunchMend(const Explanation& e) {
  const std::string each = Say("each adds ", e.launch_us_per_core, " us to it");
  const std::string text = "Do more in one launch (fuse calls, or batch them)";
  if (e.used_cores < e.launched_cores) {
    return Say(text, ", and launch only as many cores as have work, ", e.used_cores, " in place of ",
               e.launched_cores, ": ", each);
  }
  const double saved = static_cast<double>(e.used_cores / 2) * e.launch_us_per_core;
  return saved > static_cast<double>(e.cycles) / e.clock_mhz
             ? Say(text, ", or use fewer cores: ", each, ", more than it saves")
             : text;
}

}  // namespace

std::string Sentence(const Explanation& e) {
  if (e.launch_us > static_cast<double>(e.cycles) / e.clock_mhz) {
    return Say("Bound by the launch: ", Percent(e.launch_us, e.time_us()), " % of the time. ", LaunchMend(e),
               ". Of the rest: ", KernelSentence(e));
  }
  const std::string text = KernelSentence(e);
  return e.used_cores == e.part_cores ? text
                                      : Say(text, " Work for only ", e.used_cores, " of ", e.part_cores,
                                            " cores: split it over more.");
}

}  // namespace tilesim
