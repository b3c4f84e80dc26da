// No figure of a part that is made better makes a given tiling slower: a core's pipes take their instructions
// in order, and each instruction's cost falls with every figure that it rests on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "formats/error.h"
#include "ops/cases/case_file.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/plans/choose_plan.h"
#include "sim/soc/soc_parameters.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : engine_(seed) {}
  int64_t From(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine_);
  }
  template <size_t N>
  std::string One(const std::array<const char*, N>& of) {
    return of[static_cast<size_t>(From(0, N - 1))];
  }
  std::string Text(int64_t least, int64_t most) { return std::to_string(From(least, most)); }

 private:
  std::mt19937_64 engine_;
};

CaseCells RandomCells(RandomNumbers& random) {
  const std::string op = random.One<5>(
      {"matmul", "conv3d_backprop_filter", "conv3d_backprop_input", "max_pool2d", "max_pool2d_grad"});
  if (op == "matmul") {
    return {{"op", op},
            {"dtype", random.One<3>({"fp16", "bf16", "fp32"})},
            {"m", random.Text(1, 400)},
            {"n", random.Text(1, 400)},
            {"k", random.Text(1, 400)},
            {"transpose_a", random.Text(0, 1)},
            {"transpose_b", random.Text(0, 1)}};
  }
  const int64_t channels = random.From(1, 70);
  if (op.starts_with("max_pool")) {
    return {
        {"op", op},
        {"dtype", random.One<2>({"fp16", "fp32"})},
        {"input", Say(random.From(1, 3), "x", channels, "x", random.From(4, 30), "x", random.From(4, 30))},
        {"filter", random.Text(2, 3)},
        {"stride", random.Text(1, 3)},
        {"pad", random.Text(0, 1)}};
  }
  return {{"op", op},
          {"dtype", random.One<2>({"fp16", "bf16"})},
          {"input", Say(random.From(1, 2), "x", channels, "x", random.From(3, 6), "x", random.From(3, 14),
                        "x", random.From(3, 14))},
          {"filter", Say(random.From(1, 70), "x", channels, "x", random.From(1, 3), "x", random.From(1, 3),
                         "x", random.From(1, 3))},
          {"stride", random.Text(1, 2)}};
}

// The figure, better than the part has it; nothing for one that is no cost.
std::optional<std::string> BetterFigure(const SocParameter& figure, double value, RandomNumbers& random) {
  constexpr std::array kLessIsBetter = {std::string_view("cycles")};
  constexpr std::array kMoreIsBetter = {std::string_view("bytes per cycle"),
                                        std::string_view("lines per cycle"), std::string_view("rows"),
                                        std::string_view("instructions")};
  const bool is_whole = std::holds_alternative<int64_t SocConfig::*>(figure.member);
  const auto text = [&](double better) {
    const double within = std::clamp(better, figure.least, figure.most);
    return is_whole ? std::to_string(static_cast<int64_t>(within)) : std::to_string(within);
  };
  if (std::ranges::find(kLessIsBetter, figure.unit) != kLessIsBetter.end()) {
    return Say(figure.key, "=", text(value * static_cast<double>(random.From(0, 9)) / 10));
  }
  if (std::ranges::find(kMoreIsBetter, figure.unit) != kMoreIsBetter.end()) {
    return Say(figure.key, "=", text(value * static_cast<double>(random.From(11, 80)) / 10));
  }
  return std::nullopt;
}

// Nothing where a part cannot be so: no core gets more than all get together.
std::optional<SocConfig> PartWith(const std::string& figure) {
  try {
    return LoadSoc("ascend910b2", std::array{figure});
  } catch (const UserError&) {
    return std::nullopt;
  }
}

TEST(CostFigures, MadeBetterMakeNoGivenTilingOfACoreSlower) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::vector<double> values = SocValues(soc);
  const RunOptions options = {.mode = {.values = false, .hazards = false}, .threads = 1};
  const auto seeds = SeedsFrom(1, 300);
  int runs = 0;
  int cases = 0;
  for (uint64_t seed = seeds.begin; seed < seeds.end; ++seed) {
    RandomNumbers random(seed);
    const CaseCells cells = RandomCells(random);
    std::string what;
    for (const auto& [name, value] : cells) {
      what += Say(" --", name, " ", value);
    }
    SCOPED_TRACE(Say("seed ", seed, ":", what));
    std::optional<Case> problem;
    try {
      problem = ReadCase(cells, 1, "");
    } catch (const UserError&) {  // a kernel that is larger than its input
      continue;
    }
    const std::unique_ptr<Operator> op = MakeOperator(*problem);
    PlanOptions one_core;
    one_core.cores = 1;
    const Plan plan = ChoosePlan(*problem, *op, soc, one_core);
    if (!plan.legal) {
      continue;
    }
    ++cases;
    const int64_t cycles = TimeOperator(*op, plan, soc, options).cycles;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto figure = BetterFigure(SocParameters()[i], values[i], random);
      const std::optional<SocConfig> better = figure ? PartWith(*figure) : std::nullopt;
      if (better && random.From(0, 3) == 0) {  // one figure in four, another one each time
        ++runs;
        EXPECT_LE(TimeOperator(*op, plan, *better, options).cycles, cycles) << "--set " << *figure;
      }
    }
  }
  std::cout << runs << " runs of " << cases << " cases\n";
  EXPECT_GE(cases, PartOf(250));
  EXPECT_GE(runs, PartOf(2500));
}

}  // namespace
}  // namespace tilesim
