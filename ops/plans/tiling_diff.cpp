#include "ops/plans/tiling_diff.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/error.h"
#include "ops/operator_run.h"
#include "sim/core/replay.h"
#include "sim/explain/core_account.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

// The idle cycles of the busiest pipe of the core that ends last.
void TellStalls(const LaunchRecording& recording, const SocConfig& soc, TilingCost& cost) {
  const LaunchTimes times = Replay(recording, soc);
  const LastCore last(recording, soc, times);
  const std::array<PipeAccount, kNumPipes> pipes = AccountsOf(last.runs(), last.core(), last.times());
  const auto busiest =
      std::ranges::max_element(pipes, {}, [](const PipeAccount& account) { return account.busy.total(); });
  cost.stall_cycles = busiest->idle.total();
  const std::vector<Account::Item> causes = busiest->idle.Items();
  if (!causes.empty()) {
    cost.stalled_by = Say(Name(static_cast<Pipe>(busiest - pipes.begin())), ": ",
                          TextOf(causes.front().cause, causes.front().pipe));
  }
}

// Nothing, and why, where the tile program stops at a fault.
std::optional<TilingCost> CostOf(const Operator& op, const Plan& plan, const SocConfig& soc, int threads,
                                 std::string& why_not) {
  LaunchRecording recording;
  const LaunchResult launch = TimeOperator(op, plan, soc, {.threads = threads, .recording = &recording});
  if (!launch.completed) {
    why_not = launch.faults.empty() ? "stops before its end" : launch.faults.front().Text();
    return std::nullopt;
  }
  TilingCost cost;
  cost.cycles = launch.cycles;
  cost.time_us = launch.time_us;
  cost.cores = plan.UsedCores();
  for (const CoreResult& core : launch.cores) {
    cost.gm_bytes += core.statistics.gm_read_bytes + core.statistics.gm_write_bytes;
  }
  TellStalls(recording, soc, cost);
  return cost;
}

TilingCost CostOfGiven(const Operator& op, const Plan& plan, std::string_view which, const SocConfig& soc,
                       int threads) {
  std::string why_not;
  std::optional<TilingCost> cost = CostOf(op, plan, soc, threads, why_not);
  RequireUser(cost.has_value(), "the ", which, " tiling: ", why_not);
  return *std::move(cost);
}

std::string PlainText(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

using Fields = std::vector<TilingFieldDifference>;

// The fields below `path` that differ, and the sections that only one of both has.
void AddDifferences(const ordered_json& first, const ordered_json& second, const std::string& path,
                    Fields& differences) {
  constexpr const char* kNone = "none";
  constexpr const char* kThere = "there";
  for (const auto& [name, value] : first.items()) {
    if (!second.contains(name)) {
      differences.push_back({path + name, kThere, kNone});
    } else if (value.is_object()) {
      AddDifferences(value, second.at(name), path + name + ".", differences);
    } else if (value != second.at(name)) {
      differences.push_back({path + name, PlainText(value), PlainText(second.at(name))});
    }
  }
  for (const auto& [name, value] : second.items()) {
    if (!first.contains(name)) {
      differences.push_back({path + name, kNone, kThere});
    }
  }
}

// What `from` has at `path`, or has not, is so in `to`, too.
void Take(const ordered_json& from, const std::string& path, ordered_json& to) {
  const size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  if (dot != std::string::npos) {
    Take(from.at(name), path.substr(dot + 1), to.at(name));
  } else if (from.contains(name)) {
    to[name] = from.at(name);
  } else {
    to.erase(name);
  }
}

// The first tiling with the second's values in some fields.
class Changer {
 public:
  Changer(const Operator& op, const ordered_json& first, const ordered_json& second, const SocConfig& soc,
          int64_t cores)
      : op_(op), first_(first), second_(second), soc_(soc), cores_(cores) {}

  [[nodiscard]] Plan With(const Fields& fields) const {
    ordered_json text = first_;
    for (const TilingFieldDifference& field : fields) {
      Take(second_, field.path, text);
    }
    return op_.GivenPlan(text.dump(), "a tiling between the two", soc_, cores_);
  }

  // Of `all`, as few as fit together with `wanted`: fields are given up one by one, from the first on, as
  // long as that leaves a tiling that fits.
  [[nodiscard]] Fields FewestWith(const TilingFieldDifference& wanted, Fields all) const {
    if (With({wanted}).legal) {
      return {wanted};
    }
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (size_t i = 0; i < all.size();) {
        Fields fewer = all;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
        const bool fits = all[i].path != wanted.path && With(fewer).legal;
        smaller |= fits;
        if (fits) {
          all = std::move(fewer);
        } else {
          ++i;
        }
      }
    }
    return all;
  }

 private:
  const Operator& op_;
  const ordered_json& first_;
  const ordered_json& second_;
  const SocConfig& soc_;
  int64_t cores_;
};

}  // namespace

TilingDiff DiffTilings(const Operator& op, const Plan& first, const Plan& second, const SocConfig& soc,
                       int64_t cores, int threads) {
  TilingDiff diff{.first = CostOfGiven(op, first, "first", soc, threads),
                  .second = CostOfGiven(op, second, "second", soc, threads),
                  .changes = {}};
  const ordered_json first_text = ordered_json::parse(JsonOf(first.tiling));
  const ordered_json second_text = ordered_json::parse(JsonOf(second.tiling));
  Fields all;
  AddDifferences(first_text, second_text, "", all);
  const Changer changer(op, first_text, second_text, soc, cores);
  for (const TilingFieldDifference& field : all) {
    TilingChange change{.fields = changer.FewestWith(field, all), .cost = {}, .why_not = {}};
    if (std::ranges::find(diff.changes, change.fields, &TilingChange::fields) == diff.changes.end()) {
      change.cost = CostOf(op, changer.With(change.fields), soc, threads, change.why_not);
      diff.changes.push_back(std::move(change));
    }
  }
  return diff;
}

}  // namespace tilesim
