// Cases of copy, mem_set and add as text, run as the command line runs them.
#ifndef TILESIM_TESTS_OPS_ELEMENTWISE_ELEMENTWISE_RUN_H_
#define TILESIM_TESTS_OPS_ELEMENTWISE_ELEMENTWISE_RUN_H_

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ops/harness/harness.h"
#include "ops/operators.h"

namespace tilesim::testing {

inline const SocConfig& Soc910b2() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

inline CaseResult CompareCase(const CaseCells& cells, std::optional<int64_t> cores = std::nullopt,
                              int threads = 2) {
  HarnessOptions options;
  options.mode = {.values = true, .time = true, .hazards = true};
  options.compare = true;
  options.threads = threads;
  options.plan.cores = cores;
  return RunCase(ReadCase(cells, 0, ""), Soc910b2(), options);
}

inline std::string ShapeCell(const std::vector<int64_t>& extents) {
  std::string text;
  for (const int64_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_ELEMENTWISE_ELEMENTWISE_RUN_H_
