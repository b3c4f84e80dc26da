// Max pooling and its gradient in simulation, fp32, against oneDNN's f32 pooling in plain layout.
// Usage: max_pool_bench [--least=0.5] [--benchmark_filter=forward/3d]
// --least: exit 1 where values only is below that ratio of speeds
#include <memory>
#include <string>

#include "bench/contest.h"
#include "bench/onednn_pooling.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_reference.h"

namespace tilesim::bench {
namespace {

// Kernel 3, stride 2, pad 1 on every axis but a flat one.
PoolProblem ProblemOf(int64_t batch, const Extents3& in) {
  const int64_t d = in.d > 1 ? 1 : 0;  // 1: the axis is pooled
  PoolProblem problem;
  problem.dtype = DType::kFp32;
  problem.layout = d == 1 ? Format::kNCDHW : Format::kNCHW;
  problem.batch = batch;
  problem.channels = 64;
  problem.windows = {.in = in,
                     .kernel = {1 + 2 * d, 3, 3},
                     .stride = {1 + d, 2, 2},
                     .dilation = {},
                     .pad = {d, d, 1, 1, 1, 1}};
  problem.out = ForwardExtents(problem.windows, problem.rounding);
  return problem;
}

// The argmax has to be one: that of a random x.
std::vector<Tensor> GradientInputs(const PoolProblem& problem, const Operator& op) {
  std::vector<Tensor> inputs;
  for (const OperatorTensor& input : op.Inputs()) {
    Tensor& tensor = inputs.emplace_back(input.dtype, input.host);
    if (input.name != "argmax") {
      FillRandom(tensor, inputs.size(), -1, 1);
      continue;
    }
    Tensor x(problem.dtype, problem.XLayout());
    FillRandom(x, 0, -1, 1);
    const std::vector<double> argmax = ReferenceMaxPool(problem, x, 1).argmax;
    for (size_t i = 0; i < argmax.size(); ++i) {
      tensor.Set(input.host.Coord(static_cast<int64_t>(i)), argmax[i]);
    }
  }
  return inputs;
}

std::vector<Contest> Contests() {
  std::vector<Contest> contests;
  struct Input {
    std::string name;
    int64_t batch;
    Extents3 in;
  };
  for (const auto& [name, batch, in] : {Input{"3d_2x64x16x56x56", 2, {16, 56, 56}},
                                        {"2d_2x64x56x56", 2, {1, 56, 56}},
                                        {"2d_32x64x56x56", 32, {1, 56, 56}}}) {  // as large as the first
    const PoolProblem problem = ProblemOf(batch, in);
    const auto peer = [problem](Direction direction) {
      return [=] { return std::make_unique<OneDnnPooling>(problem, direction); };
    };
    contests.push_back({.name = "forward/" + name,
                        .make_operator = [=] { return std::make_unique<MaxPoolOperator>(problem); },
                        .make_inputs = RandomInputs,
                        .make_peer = peer(Direction::kForward)});
    for (const ArgmaxSource source : {ArgmaxSource::kGiven, ArgmaxSource::kX}) {
      contests.push_back(
          {.name = (source == ArgmaxSource::kX ? "gradient_of_x/" : "gradient/") + name,
           .make_operator = [=] { return std::make_unique<MaxPoolGradOperator>(problem, source); },
           .make_inputs = [=](const Operator& op) { return GradientInputs(problem, op); },
           .make_peer = peer(Direction::kBackward)});
    }
  }
  return contests;
}

}  // namespace
}  // namespace tilesim::bench

int main(int argc, char** argv) {
  return tilesim::bench::RunContests(tilesim::bench::Contests(), argc, argv);
}
