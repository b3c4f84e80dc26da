#include "cli/report/case_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/reporter.h"
#include "formats/error.h"

namespace tilesim {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(PlainText(value)); }

// Causes as the page colours them: those of `TextOf(Cause, Pipe)` without their pipe.
std::string_view KeyOf(Cause cause) {
  constexpr std::array<std::string_view, kNumCauses> kKeys = {"work",  "l2_miss", "shared",    "latency",
                                                              "flag",  "barrier", "unit_flag", "cross_core",
                                                              "queue", "issue",   "tail",      "unused"};
  return kKeys[static_cast<size_t>(cause)];
}

Json AccountJson(const Account& account, bool busy) {
  Json items = Json::array();
  for (const Account::Item& item : account.Items()) {
    items.push_back({{"busy", busy},
                     {"cause", KeyOf(item.cause)},
                     {"pipe", Name(item.pipe)},
                     {"text", TextOf(item.cause, item.pipe)},
                     {"cycles", item.cycles}});
  }
  return items;
}

Json StallsJson(const Explanation& explanation) {
  Json pipes = Json::array();
  for (size_t p = 0; p < kNumPipes; ++p) {
    const PipeAccount& account = explanation.pipes[p];
    if (account.busy.total() == 0) {
      continue;
    }
    Json parts = AccountJson(account.busy, true);
    for (Json& item : AccountJson(account.idle, false)) {
      parts.push_back(std::move(item));
    }
    pipes.push_back({{"pipe", Name(static_cast<Pipe>(p))}, {"parts", std::move(parts)}});
  }
  return pipes;
}

void AddExplanation(const Explanation& explanation, Json& object) {
  object["sentence"] = Sentence(explanation);
  object["busiest"] = explanation.core.Name();
  object["launch_us"] = explanation.launch_us;
  object["clock_mhz"] = explanation.clock_mhz;
  object["mean_end"] = explanation.mean_end;
  object["stalls"] = StallsJson(explanation);
  object["path"] = AccountJson(explanation.path, true);
  Json& items = object["path_items"] = Json::array();
  constexpr size_t kMost = 12;
  for (size_t i = 0; i < std::min(explanation.path_items.size(), kMost); ++i) {
    const PathItem& item = explanation.path_items[i];
    items.push_back({{"name", item.name},
                     {"pipe", Name(item.pipe)},
                     {"where", Say(item.where.file, ":", item.where.line)},
                     {"cycles", item.cycles},
                     {"times", item.times}});
  }
  Json& what_if = object["what_if"] = Json::array();
  for (const WhatIfAnswer& answer : explanation.what_if) {
    what_if.push_back(
        {{"text", TextOf(answer)}, {"cycles", answer.cycles}, {"gain", explanation.Gain(answer)}});
  }
  Json& least = object["least_times"] = Json::array();
  for (const LeastTime& time : explanation.least_times) {
    least.push_back({{"of", time.of}, {"time_us", time.time_us}});
  }
}

Json RooflineJson(const Roofline& roof) {
  return {{"unit", roof.unit},
          {"peak", roof.peak},
          {"hbm", roof.hbm_bytes_per_cycle},
          {"l2", roof.l2_bytes_per_cycle},
          {"attained", roof.attained},
          {"per_hbm_byte", roof.work_per_hbm_byte},
          {"per_l2_byte", roof.work_per_l2_byte},
          {"per_needed_byte", roof.work_per_needed_byte}};
}

void AddLaunch(const CaseResult& result, Json& object) {
  const LaunchResult& launch = *result.launch;
  object["host_ms"] = launch.host_ms;
  object["hazards"] = result.hazards_checked ? Json(result.Hazards()) : Json();
  Json& faults = object["faults"] = Json::array();
  for (const Fault& fault : launch.faults) {
    faults.push_back(fault.Text());
  }
  if (!result.summary) {
    return;
  }
  const LaunchSummary& summary = *result.summary;
  object["cycles"] = launch.cycles;
  object["time_us"] = launch.time_us;
  if (result.lower_bound) {
    object["lower_bound_us"] = Number(result.lower_bound->time_us);
    object["efficiency"] = Number(result.lower_bound->time_us / launch.time_us);
  }
  const LowerBound& least =
      result.lower_bound ? *result.lower_bound : summary.lower_bound;  // else of what it did
  object["bound_by"] = Name(least.by);
  object["bound_cores"] = least.cores;
  Json& bounds = object["bounds"] = Json::array();
  for (const Bound bound : {Bound::kLaunch, Bound::kCube, Bound::kGmRead, Bound::kGmWrite}) {
    bounds.push_back({{"of", Name(bound)}, {"time_us", Number(least.part(bound))}});
  }
  object["gm_read_bytes"] = summary.gm_read_bytes;
  object["gm_write_bytes"] = summary.gm_write_bytes;
  object["l2_hit_ratio"] = summary.l2_hit_ratio;
  object["time_basis"] = summary.basis.Text();
  Json& pipes = object["pipes"] = Json::array();
  for (size_t p = 0; p < kNumPipes; ++p) {
    if (summary.pipe_ratio[p] > 0) {
      pipes.push_back({{"pipe", Name(static_cast<Pipe>(p))}, {"ratio", summary.pipe_ratio[p]}});
    }
  }
  Json& cores = object["core_ends"] = Json::array();
  for (const CoreResult& core : launch.cores) {
    cores.push_back({core.identity.Name(), core.statistics.end_cycle});
  }
}

// Leaves of the tiling's JSON: [struct, field, value].
void AddFields(const Json& value, const std::string& group, const std::string& name, Json& fields) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      AddFields(inner, name.empty() ? group : group.empty() ? name : group + "." + name, key, fields);
    }
  } else {
    fields.push_back({group, name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

Json PlanJson(const Plan& plan) {
  Json object = {
      {"legal", plan.legal}, {"planner", plan.planner}, {"reasons", plan.reasons}, {"why", plan.why}};
  Json& fields = object["fields"] = Json::array();
  if (plan.HasTiling()) {
    object["strategy"] = StrategyOf(plan.tiling);
    AddFields(Json::parse(JsonOf(plan.tiling)), "", "", fields);
  }
  return object;
}

Json MismatchJson(const std::optional<Mismatch>& mismatch, const std::vector<OperatorTensor>& outputs) {
  return mismatch && !outputs.empty() ? Json(Text(*mismatch, outputs.front().host)) : Json();
}

Json ComparisonJson(const CaseView& view) {
  const Comparison& comparison = *view.result.comparison;
  Json object = {{"equal", comparison.equal},
                 {"elements", comparison.elements},
                 {"mismatches", comparison.mismatches},
                 {"mere", Number(comparison.mere)},
                 {"mare", Number(comparison.mare)},
                 {"max_ulp", comparison.max_ulp},
                 {"max_error_over_bound", Number(comparison.max_error_over_bound)},
                 {"first", MismatchJson(comparison.first, view.outputs)},
                 {"worst", MismatchJson(comparison.worst, view.outputs)}};
  if (view.result.nan_from_padding) {
    object["nan_from_padding"] = *view.result.nan_from_padding;
  }
  return object;
}

Json TensorsJson(const std::vector<OperatorTensor>& tensors, std::string_view use) {
  Json all = Json::array();
  for (const OperatorTensor& tensor : tensors) {
    all.push_back({{"use", use},
                   {"name", tensor.name},
                   {"dtype", Name(tensor.dtype)},
                   {"shape", tensor.host.extents()},
                   {"format", Name(tensor.host.format())},
                   {"device_format", Name(tensor.device.format())},
                   {"bytes", tensor.DeviceBytes()}});
  }
  return all;
}

// `chosen`: the one that takes as long, on as many cores, as what was run. Times in a CSV have six digits.
Json ParetoJson(const CaseView& view) {
  constexpr double kSixDigits = 1e-5;
  Json all = Json::array();
  for (const TunedPoint& point : view.pareto) {
    const bool chosen = view.result.summary && point.cores == view.result.plan->UsedCores() &&
                        std::abs(point.time_us / view.result.launch->time_us - 1) < kSixDigits;
    all.push_back({{"time_us", point.time_us},
                   {"gm_bytes", point.gm_bytes},
                   {"l1_bytes", point.l1_bytes},
                   {"cores", point.cores},
                   {"chosen", chosen}});
  }
  return all;
}

}  // namespace

Json CaseJson(const CaseView& view) {
  const CaseResult& result = view.result;
  Json object;
  object["id"] = result.id;
  object["op"] = result.op;
  object["dtype"] = result.dtype;
  object["soc"] = result.soc;
  object["verdict"] = Name(result.verdict);
  object["message"] = result.message;
  object["tensors"] = TensorsJson(view.inputs, "input");
  for (Json& output : TensorsJson(view.outputs, "output")) {
    object["tensors"].push_back(std::move(output));
  }
  if (result.plan) {
    object["plan"] = PlanJson(*result.plan);
  }
  if (const std::optional<int64_t> cores = result.UsedCores()) {
    object["cores"] = *cores;
  }
  if (result.launch) {
    AddLaunch(result, object);
  }
  if (result.comparison) {
    object["comparison"] = ComparisonJson(view);
  }
  if (view.times) {
    AddExplanation(view.times->explanation, object);
    object["roofline"] = RooflineJson(view.times->roofline);
    object["timeline"] = TimelineJson(*view.times);
  }
  if (!view.pareto.empty()) {
    object["pareto"] = ParetoJson(view);
  }
  return object;
}

}  // namespace tilesim
