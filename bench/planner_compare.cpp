// How many simulated cycles planner `op` saves over planner `api`: each case of the files named on the
// command line is planned by both and timed on 24 cores of a 910B2, the tasks of `api` dealt out in
// contiguous ranges. Prints a row a case and the geometric mean of api / op. Cases that `api` refuses, or
// plans illegally, are counted apart. Usage: planner_compare [CASES.csv ...]
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ops/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"

namespace {

using namespace tilesim;

struct Totals {
  double log_sum = 0;
  int compared = 0;
  int slower = 0;
  int api_refused = 0;
};

void CompareCase(const Case& item, const SocConfig& soc, Totals& totals) {
  const FilterPlan op = PlanFilter(item.conv, PlannerKind::kOp, soc, soc.aic_cores);
  const FilterPlan api = PlanFilter(item.conv, PlannerKind::kApi, soc, soc.aic_cores);
  if (!op.legal) {
    std::printf("%-10s op finds nothing legal: %s\n", item.id.c_str(),
                op.reasons.empty() ? "" : op.reasons[0].c_str());
    return;
  }
  const int64_t op_cycles = TimeFilter(item.conv, op, soc, {}).cycles;
  if (!api.legal) {
    ++totals.api_refused;
    std::printf("%-10s %12s %12lld  api: %s\n", item.id.c_str(), "-", static_cast<long long>(op_cycles),
                api.reasons.empty() ? "" : api.reasons[0].c_str());
    return;
  }
  const int64_t api_cycles = TimeFilter(item.conv, api, soc, {}).cycles;
  const double ratio = static_cast<double>(api_cycles) / static_cast<double>(op_cycles);
  totals.log_sum += std::log(ratio);
  ++totals.compared;
  totals.slower += op_cycles > api_cycles ? 1 : 0;
  std::printf("%-10s %12lld %12lld %8.3f%s\n", item.id.c_str(), static_cast<long long>(api_cycles),
              static_cast<long long>(op_cycles), ratio, op_cycles > api_cycles ? "  op is slower" : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) {
    files = {"configs/cases/network_filter.csv", "configs/cases/conv3d_backprop_filter.csv"};
  }
  const SocConfig soc = LoadSoc("ascend910b2");
  Totals totals;
  std::printf("%-10s %12s %12s %8s\n", "case", "api cycles", "op cycles", "api/op");
  for (const std::string& file : files) {
    for (const Case& item : ReadCaseFile(file).cases) {
      if (item.conv.groups == 1 && item.conv.dtype != DType::kFp32) {
        CompareCase(item, soc, totals);
      }
    }
  }
  std::printf(
      "%d compared, op slower in %d, geometric mean of api/op %.3f; %d more where api refuses or is "
      "illegal\n",
      totals.compared, totals.slower, std::exp(totals.log_sum / std::max(1, totals.compared)),
      totals.api_refused);
  return 0;
}
