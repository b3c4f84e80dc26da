// Poolings and both forms of their gradient far from the usual shapes and sizes of UB, planned, on any number
// of cores: equal to the direct loops to the bit, and without a report.
#include "tests/ops/max_pool/pool_regimes.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_reference.h"
#include "ops/operator_run.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::PoolRegime;

enum class Form : uint8_t { kForward, kGradOfArgmax, kGradOfX };

std::unique_ptr<Operator> OperatorOf(const PoolProblem& problem, Form form) {
  if (form == Form::kForward) {
    return std::make_unique<MaxPoolOperator>(problem);
  }
  return std::make_unique<MaxPoolGradOperator>(
      problem, form == Form::kGradOfX ? ArgmaxSource::kX : ArgmaxSource::kGiven);
}

std::vector<Tensor> InputsOf(const PoolProblem& problem, Form form, std::mt19937& random) {
  const bool odd = random() % 2 == 0;
  Tensor x = testing::TiedTensor(problem.dtype, problem.XLayout(), random, random() % 2 == 0 ? 3 : 200, odd);
  std::vector<Tensor> inputs;
  if (form != Form::kForward) {  // small whole numbers: sums are exact, and rounded once
    inputs.push_back(testing::TiedTensor(problem.dtype, problem.YLayout(), random, 4, false));
  }
  if (form != Form::kGradOfArgmax) {
    inputs.push_back(std::move(x));
    return inputs;
  }
  const PoolReference reference = ReferenceMaxPool(problem, x, 2);
  Tensor argmax(DType::kInt32, problem.YLayout());
  for (int64_t i = 0; i < problem.YLayout().LogicalElements(); ++i) {
    const bool none = random() % 16 == 0;
    argmax.Set(problem.YLayout().Coord(i), none ? -1 : reference.argmax[static_cast<size_t>(i)]);
  }
  inputs.push_back(std::move(argmax));
  return inputs;
}

double Rounded(DType dtype, double value) {
  const auto single = static_cast<float>(value);
  return dtype == DType::kFp16   ? float(Half(single))
         : dtype == DType::kBf16 ? float(BFloat16(single))
                                 : single;
}

// "" where every element is the truth rounded once.
std::string FirstDifference(const Tensor& found, const Truth& truth) {
  const Tensor canonical = Converted(found, CanonicalLayout(found.layout()));
  for (int64_t i = 0; i < canonical.layout().LogicalElements(); ++i) {
    const double expected = found.dtype() == DType::kInt32
                                ? truth.values[static_cast<size_t>(i)]
                                : Rounded(found.dtype(), truth.values[static_cast<size_t>(i)]);
    const double value = canonical.Get(canonical.layout().Coord(i));
    if (value != expected && !(std::isnan(value) && std::isnan(expected))) {
      return Say("element ", i, " is ", value, ", not ", expected);
    }
  }
  return "";
}

struct Trial {
  uint64_t seed = 0;
  int64_t ub_kib = 0;
  int64_t cores = 0;
  PoolProblem problem;
  Form form = Form::kForward;
  [[nodiscard]] std::string Text() const {
    return Say("seed ", seed, ", UB ", ub_kib, " KiB, ", cores, " cores, ",
               form == Form::kForward   ? "forward"
               : form == Form::kGradOfX ? "gradient of x"
                                        : "gradient of argmax",
               ": ", testing::Description(problem));
  }
};

// Runs the trial, with more UB where that of the trial is refused. Gives the strategy.
std::string StrategyOfRun(Trial trial, std::mt19937& random, int& refused) {
  const std::unique_ptr<Operator> op = OperatorOf(trial.problem, trial.form);
  SocConfig soc = LoadSoc("ascend910b2");
  soc.numerics_ieee = 1;  // inf and NaN stay
  Plan plan;
  for (;; trial.ub_kib *= 2) {
    soc.ub_bytes = trial.ub_kib * 1024;
    plan = op->MakePlan(PlannerKind::kOp, soc, trial.cores);
    if (plan.legal || trial.ub_kib >= 192) {
      break;
    }
    ++refused;
    EXPECT_FALSE(plan.reasons.empty()) << trial.Text();
    for (const std::string& reason : plan.reasons) {
      EXPECT_NE(reason.find("UB"), std::string::npos) << trial.Text() << ": " << reason;
    }
  }
  EXPECT_TRUE(plan.legal) << trial.Text() << (plan.reasons.empty() ? "" : plan.reasons.front());
  if (!plan.legal) {
    return "";
  }
  EXPECT_LE(plan.UsedCores(), trial.cores) << trial.Text();
  std::vector<Tensor> inputs = InputsOf(trial.problem, trial.form, random);
  op->CheckInputs(inputs);
  const std::vector<Truth> truths = op->Reference(inputs, 2);
  const OperatorRun run = RunOperator(*op, plan, soc, std::move(inputs), {.mode = {}, .threads = 2});
  EXPECT_TRUE(run.launch.completed) << trial.Text();
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << trial.Text() << ": " << fault.Text();
    return "";
  }
  for (size_t i = 0; i < truths.size(); ++i) {
    EXPECT_EQ(FirstDifference(run.outputs[i], truths[i]), "") << trial.Text() << ", output " << i;
  }
  return std::string(StrategyOf(plan.tiling));
}

struct Regime {
  const char* name;
  PoolRegime regime;
  int trials;
  std::map<Form, std::vector<std::string>> strategies;  // that must be met
};

class PoolRegimes : public ::testing::TestWithParam<Regime> {};

TEST_P(PoolRegimes, EqualTheDirectLoops) {
  constexpr std::array<int64_t, 6> kUbKib = {40, 48, 64, 80, 128, 192};
  std::map<Form, std::map<std::string, int>> met;
  int refused = 0;
  const auto [begin, end] =
      SeedsFrom(1000 * (1 + static_cast<uint64_t>(GetParam().regime)), GetParam().trials);
  for (uint64_t seed = begin; seed < end; ++seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    Trial trial{.seed = seed,
                .ub_kib = kUbKib[random() % kUbKib.size()],
                .cores = static_cast<int64_t>(1 + random() % 48),
                .problem = testing::RandomPoolOf(GetParam().regime, random, 200000)};
    for (const Form form : {Form::kForward, Form::kGradOfArgmax, Form::kGradOfX}) {
      trial.form = form;
      ++met[form][StrategyOfRun(trial, random, refused)];
      if (HasFailure()) {
        return;
      }
    }
  }
  std::string text;
  for (const auto& [form, strategies] : met) {
    for (const auto& [strategy, count] : strategies) {
      text += Say(" ", static_cast<int>(form), " ", strategy, " ", count);
    }
  }
  std::cout << "seeds from " << begin << ", strategies:" << text << "; refused with less UB: " << refused
            << "\n";
  for (const auto& [form, strategies] : GetParam().strategies) {
    for (const std::string& strategy : strategies) {
      EXPECT_TRUE(end - begin < static_cast<uint64_t>(GetParam().trials) || met[form].contains(strategy))
          << strategy;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PoolRegimes,
    ::testing::Values(Regime{"LongRows", PoolRegime::kLongRows, 8, {}},
                      Regime{"WideStrides", PoolRegime::kWideStrides, 8, {}},
                      Regime{"Dilated", PoolRegime::kDilated, 8, {}},
                      Regime{"LongWindows", PoolRegime::kLongWindows, 8, {{Form::kForward, {"huge"}}}},
                      Regime{"LargeWindows", PoolRegime::kLargeWindows, 8, {}}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tilesim
