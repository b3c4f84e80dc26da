// Both gradients in simulation against oneDNN's f32 backward convolutions.
// Usage: backprop_bench [--benchmark_filter=filter/bench_03]
#include <memory>
#include <string>

#include "bench/contest.h"
#include "bench/onednn_gradient.h"
#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"

namespace tilesim::bench {
namespace {

Contest ContestOf(const std::string& name, const Conv3dProblem& problem, Gradient gradient) {
  return {.name = name,
          .make_operator = [=]() -> std::unique_ptr<Operator> {
            if (gradient == Gradient::kFilter) {
              return std::make_unique<FilterOperator>(problem);
            }
            return std::make_unique<InputOperator>(problem);
          },
          .make_inputs = RandomInputs,
          .make_peer = [=] { return std::make_unique<OneDnnGradient>(problem, gradient); }};
}

std::vector<Contest> Contests() {
  std::vector<Contest> contests;
  const auto add = [&](const std::string& name, const Conv3dProblem& problem) {
    contests.push_back(ContestOf("filter/" + name, problem, Gradient::kFilter));
    contests.push_back(ContestOf("input/" + name, problem, Gradient::kInput));
  };
  for (const Case& item : ReadCaseFile("configs/cases/conv3d_backprop_filter.csv").cases) {
    for (const char* id : {"bench_03", "bench_04", "bench_10", "bench_18"}) {
      if (item.id == id) {
        add(item.id, item.conv());
      }
    }
  }
  Conv3dProblem resnet;
  resnet.dtype = DType::kFp16;
  resnet.batch = 8;
  resnet.cin = resnet.cout = 64;
  resnet.in = {1, 56, 56};
  resnet.kernel = {1, 3, 3};
  resnet.pad = {0, 0, 1, 1, 1, 1};
  resnet.out = ForwardExtents(resnet);
  add("resnet_8x64x1x56x56", resnet);
  return contests;
}

}  // namespace
}  // namespace tilesim::bench

int main(int argc, char** argv) {
  return tilesim::bench::RunContests(tilesim::bench::Contests(), argc, argv);
}
