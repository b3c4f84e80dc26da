// Both references and the operator, planned by planner op, against tensors that PyTorch and TensorFlow.js
// computed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/conv3d_backprop/input_gather_reference.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/harness/harness.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr const char* kFiles[] = {"tests/data/oracle/conv_backprop_input.csv",
                                  "tests/data/oracle/conv3d_transpose.csv",
                                  "tests/data/oracle/conv3d_backprop_input_nan.csv"};

std::vector<double> ReadCanonical(const std::string& path, const Layout& layout) {
  const Tensor tensor = Converted(ReadNpy(path, DType::kFp32, layout), CanonicalLayout(layout));
  return {tensor.As<float>().begin(), tensor.As<float>().end()};
}

struct Oracle {
  Case item;
  Tensor dy;
  Tensor filter;
  std::vector<double> expected;
};

// Calls check with each case of a file; gives their number.
template <class Check>
size_t ForEachCase(const char* path, const Check& check) {
  const CaseFile file = ReadCaseFile(path);
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  for (const Case& item : file.cases) {
    const Conv3dProblem& p = item.conv();
    check(Oracle{item, ReadNpy(item.dy_file, p.dtype, p.DyLayout()),
                 ReadNpy(item.w_file, p.dtype, p.FilterLayout()),
                 ReadCanonical(item.expected_file, p.XLayout())});
  }
  return file.cases.size();
}

// Both are sums of exact products in double; the expected one was rounded once to float.
void ExpectRounded(const std::vector<double>& expected, const std::vector<double>& found,
                   const std::vector<double>& absdot, const std::string& id) {
  ASSERT_EQ(expected.size(), found.size()) << id;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << id << " at " << i;
      continue;
    }
    const double bound = 0x1p-24 * std::abs(found[i]) + 1e-13 * absdot[i];
    ASSERT_LE(std::abs(expected[i] - found[i]), bound) << id << " at " << i;
  }
}

TEST(InputOracle, TheReferencesEqualPyTorchAndTensorFlow) {
  size_t cases = 0;
  for (const char* path : kFiles) {
    cases += ForEachCase(path, [](const Oracle& oracle) {
      const Conv3dProblem& p = oracle.item.conv();
      const std::string& id = oracle.item.id;
      const InputReference reference = ReferenceInputGradient(p, oracle.dy, oracle.filter);
      ExpectRounded(oracle.expected, reference.dx, reference.absdot, id);
      ExpectRounded(oracle.expected, GatherInputGradient(p, oracle.dy, oracle.filter), reference.absdot, id);
      EXPECT_LE(reference.products, oracle.item.products) << id;  // theirs count padding
      if (!oracle.item.absdot_file.empty()) {
        const std::vector<double> absdot = ReadCanonical(oracle.item.absdot_file, p.XLayout());
        for (size_t i = 0; i < absdot.size(); ++i) {
          ASSERT_NEAR(absdot[i], reference.absdot[i], 1e-5 * reference.absdot[i]) << id << " at " << i;
        }
      }
    });
  }
  EXPECT_EQ(cases, 37U);
}

CaseResult CompareCase(const Case& item, const SocConfig& soc) {
  HarnessOptions options;
  options.plan.cores = soc.aic_cores;
  options.threads = 2;
  options.compare = true;
  return RunCase(item, soc, options);
}

TEST(InputOracle, TheOperatorEqualsPyTorchAndTensorFlow) {
  const std::string keep_nan[] = {"numerics.ieee=1"};
  int index = 0;
  for (const SocConfig& soc : {LoadSoc("ascend910b2"), LoadSoc("ascend910b2", keep_nan)}) {
    for (const char* path : kFiles) {
      for (const Case& item : ReadCaseFile(path).cases) {
        if (!IsOfThisPart(index++)) {
          continue;
        }
        const CaseResult result = CompareCase(item, soc);
        EXPECT_EQ(result.verdict, Verdict::kOk) << path << " " << item.id << ": " << result.message;
      }
    }
  }
}

// With a stride the planner may take the pixels between two windows by themselves, so that their zeros meet
// no weight; without one the zeros of the padding do.
TEST(InputOracle, InfiniteWeightsMakeNaNWhereTheyMeetZeros) {
  const std::string path = Say(::testing::TempDir(), "infinite_weight.npy");
  Tensor filter(DType::kFp32, Layout(Format::kOIDHW, {2, 3, 1, 3, 3}));
  FillRandom(filter, 1, 0.5, 1);
  filter.Set({1, 2, 0, 0, 2}, std::numeric_limits<double>::infinity());
  WriteNpy(path, filter);
  const SocConfig soc = LoadSoc("ascend910b2");
  for (const std::string stride : {"1", "1x3x2"}) {
    const CaseCells cells = {{"op", "conv3d_backprop_input"},
                             {"dtype", "fp32"},
                             {"input", "1x3x2x12x12"},
                             {"filter", "2x3x1x3x3"},
                             {"stride", stride},
                             {"pad", "0x1x1"},
                             {"w_file", path},
                             {"range", "0.5:1"}};
    const CaseResult result = CompareCase(ReadCase(cells, 0, ""), soc);
    EXPECT_EQ(result.verdict, Verdict::kOk) << "stride " << stride << ": " << result.message;
    EXPECT_GT(result.nan_from_padding.value_or(0), 0) << "stride " << stride;
  }
}

}  // namespace
}  // namespace tilesim
