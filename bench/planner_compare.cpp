// How many simulated cycles planner `op` saves over planner `api`: each case of the files named on the
// command line is planned by both and timed on 24 cores of a 910B2, the tasks of `api` dealt out in
// contiguous ranges. Prints a row a case and, for each of the two gradients, the geometric mean of api / op.
// Cases that `api` refuses, or plans illegally, are counted apart. Usage: planner_compare [CASES.csv ...]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"

namespace {

using namespace tilesim;

struct Totals {
  double log_sum = 0;
  int compared = 0;
  int slower = 0;
  int api_refused = 0;
};

struct Outcome {
  int64_t cycles = 0;  // 0: no legal plan
  std::string reason;
};

template <class Plan, class Time>
Outcome OutcomeOf(const Plan& plan, Time&& time) {
  if (!plan.legal) {
    return {.cycles = 0, .reason = plan.reasons.empty() ? "" : plan.reasons[0]};
  }
  return {.cycles = time(plan).cycles, .reason = ""};
}

bool IsInput(const Case& item) { return item.op.ends_with("_input"); }

Outcome OutcomeOf(const Case& item, PlannerKind planner, const SocConfig& soc) {
  if (IsInput(item)) {
    return OutcomeOf(PlanInput(item.conv(), planner, soc, soc.aic_cores),
                     [&](const InputPlan& plan) { return TimeInput(item.conv(), plan, soc, {}); });
  }
  return OutcomeOf(PlanFilter(item.conv(), planner, soc, soc.aic_cores),
                   [&](const FilterPlan& plan) { return TimeFilter(item.conv(), plan, soc, {}); });
}

void CompareCase(const Case& item, const SocConfig& soc, Totals& totals) {
  const Outcome op = OutcomeOf(item, PlannerKind::kOp, soc);
  const Outcome api = OutcomeOf(item, PlannerKind::kApi, soc);
  if (op.cycles == 0) {
    std::printf("%-10s op finds nothing legal: %s\n", item.id.c_str(), op.reason.c_str());
    return;
  }
  if (api.cycles == 0) {
    ++totals.api_refused;
    std::printf("%-10s %12s %12lld  api: %s\n", item.id.c_str(), "-", static_cast<long long>(op.cycles),
                api.reason.c_str());
    return;
  }
  const double ratio = static_cast<double>(api.cycles) / static_cast<double>(op.cycles);
  totals.log_sum += std::log(ratio);
  ++totals.compared;
  totals.slower += op.cycles > api.cycles ? 1 : 0;
  std::printf("%-10s %12lld %12lld %8.3f%s\n", item.id.c_str(), static_cast<long long>(api.cycles),
              static_cast<long long>(op.cycles), ratio, op.cycles > api.cycles ? "  op is slower" : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) {
    files = {"configs/cases/network_filter.csv", "configs/cases/conv3d_backprop_filter.csv",
             "configs/cases/network_input.csv", "configs/cases/conv3d_backprop_input.csv"};
  }
  const SocConfig soc = LoadSoc("ascend910b2");
  std::map<std::string, Totals> totals;
  std::printf("%-10s %12s %12s %8s\n", "case", "api cycles", "op cycles", "api/op");
  for (const std::string& file : files) {
    for (const Case& item : ReadCaseFile(file).cases) {
      if (item.conv().groups == 1 && item.conv().dtype != DType::kFp32) {
        CompareCase(item, soc, totals[IsInput(item) ? "input" : "filter"]);
      }
    }
  }
  for (const auto& [gradient, sums] : totals) {
    std::printf(
        "%s: %d compared, op slower in %d, geometric mean of api/op %.3f; %d more where api refuses or is "
        "illegal\n",
        gradient.c_str(), sums.compared, sums.slower, std::exp(sums.log_sum / std::max(1, sums.compared)),
        sums.api_refused);
  }
  return 0;
}
