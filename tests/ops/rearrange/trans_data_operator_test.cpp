#include "ops/trans_data/trans_data_operator.h"

#include <cstring>
#include <memory>
#include <random>

#include "formats/convert.h"
#include "gtest/gtest.h"
#include "ops/operator_run.h"
#include "ops/trans_data/trans_data_reference.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::CompareCase;

constexpr std::string_view kTypes[] = {"fp16", "bf16", "fp32", "int32", "uint8"};

struct Pair {
  const char* plain;
  const char* blocked;
};

void ExpectBothWays(const Pair& pair, CaseCells cells, std::optional<int64_t> cores) {
  cells["op"] = "trans_data";
  for (const bool there : {true, false}) {
    cells["layout"] = there ? pair.plain : pair.blocked;
    cells["to_layout"] = there ? pair.blocked : pair.plain;
    const CaseResult result = CompareCase(cells, cores);
    std::string text;
    for (const auto& [name, value] : cells) {
      text += name + "=" + value + " ";
    }
    EXPECT_EQ(result.verdict, Verdict::kOk)
        << text << "cores " << cores.value_or(0) << ": " << result.message;
  }
}

TEST(TransData, FeaturesGoThereAndBackForAnyShapeTypeAndCores) {
  std::mt19937_64 random(20261121 + static_cast<uint64_t>(TestTurn()));
  const Pair pairs[] = {
      {"NCDHW", "NDC1HWC0"}, {"NDHWC", "NDC1HWC0"}, {"NCHW", "NC1HWC0"}, {"NHWC", "NC1HWC0"}};
  const int64_t cores[] = {1, 3, 24, 48};
  for (int round = 0; round < Repetitions(80); ++round) {
    const Pair pair = pairs[round % 4];
    const bool last = std::string_view(pair.plain).ends_with("C");
    std::vector<int64_t> space(std::string_view(pair.plain).size() - 2);
    for (int64_t& extent : space) {
      extent = 1 + static_cast<int64_t>(random() % 12);
    }
    const int64_t channels = 1 + static_cast<int64_t>(random() % 70);
    std::vector<int64_t> shape = {1 + static_cast<int64_t>(random() % 3)};
    if (!last) {
      shape.push_back(channels);
    }
    shape.insert(shape.end(), space.begin(), space.end());
    if (last) {
      shape.push_back(channels);
    }
    ExpectBothWays(pair, {{"dtype", std::string(kTypes[random() % 5])}, {"input", testing::ShapeCell(shape)}},
                   cores[random() % 4]);
  }
}

TEST(TransData, FiltersGoThereAndBackWithAndWithoutGroups) {
  std::mt19937_64 random(77 + static_cast<uint64_t>(TestTurn()));
  const Pair pairs[] = {
      {"OIDHW", "FRACTAL_Z_3D"}, {"DHWIO", "FRACTAL_Z_3D"}, {"OIHW", "FRACTAL_Z"}, {"HWIO", "FRACTAL_Z"}};
  const int64_t groups[] = {1, 1, 2, 3, 7, 16, 20};
  for (int round = 0; round < Repetitions(120); ++round) {
    const Pair pair = pairs[round % 4];
    const bool last = std::string_view(pair.plain).ends_with("O");
    const int64_t group = groups[random() % 7];
    const int64_t out = group * (1 + static_cast<int64_t>(random() % (group > 1 ? 9 : 50)));
    const int64_t in = 1 + static_cast<int64_t>(random() % (group > 1 ? 20 : 50));
    std::vector<int64_t> shape;
    if (!last) {
      shape = {out, in};
    }
    for (size_t i = 0; i < std::string_view(pair.plain).size() - 2; ++i) {
      shape.push_back(1 + static_cast<int64_t>(random() % 3));
    }
    if (last) {
      shape.insert(shape.end(), {in, out});
    }
    CaseCells cells = {{"dtype", std::string(kTypes[random() % 5])},
                       {"input", testing::ShapeCell(shape)},
                       {"groups", std::to_string(group)}};
    if (cells["dtype"] == "fp32" && random() % 2 == 0) {
      cells["c0"] = "16";
    }
    ExpectBothWays(pair, cells, round % 3 == 0 ? 48 : 2);
  }
}

// Many tiles a core, whole ones and padded ones in turns: a buffer is cleared only where it has to be.
TEST(TransData, PaddingIsZeroWhateverTileCameBefore) {
  for (const int64_t channels : {1, 15, 17, 31, 33, 47, 70}) {
    for (const bool last : {false, true}) {
      for (const int64_t cores : {1, 2, 5}) {
        const std::vector<int64_t> shape = last ? std::vector<int64_t>{2, 3, 29, 35, channels}
                                                : std::vector<int64_t>{2, channels, 3, 29, 35};
        ExpectBothWays({last ? "NDHWC" : "NCDHW", "NDC1HWC0"}, {{"input", testing::ShapeCell(shape)}}, cores);
      }
    }
  }
}

// Were every buffer cleared before its load, or loads behind transposes, it would be twice as long.
TEST(TransData, PaddingCostsLittleTime) {
  const auto us = [](int64_t channels) {
    const Case problem = ReadCase({{"op", "trans_data"},
                                   {"layout", "NCDHW"},
                                   {"to_layout", "NDC1HWC0"},
                                   {"input", testing::ShapeCell({3, channels, 15, 31, 31})}},
                                  0, "");
    const std::unique_ptr<Operator> op = MakeOperator(problem);
    const SocConfig& soc = testing::Soc910b2();
    return TimeOperator(*op, op->MakePlan(PlannerKind::kOp, soc, 48), soc, {}).time_us;
  };
  EXPECT_LT(us(31), 1.4 * us(32));
}

TEST(TransData, TakesOnePositionAndOneChannel) {
  for (const std::string_view type : kTypes) {
    const CaseCells cells = {{"dtype", std::string(type)}, {"input", "1x1x1x1x1"}};
    ExpectBothWays({"NCDHW", "NDC1HWC0"}, cells, 48);
    ExpectBothWays({"DHWIO", "FRACTAL_Z_3D"}, cells, 48);
  }
  ExpectBothWays({"OIDHW", "FRACTAL_Z_3D"}, {{"input", "64x1x1x1x1"}, {"groups", "64"}},
                 48);  // depthwise, as measured
  ExpectBothWays({"OIDHW", "FRACTAL_Z_3D"}, {{"input", "64x3x1x1x1"}, {"groups", "32"}}, 48);
}

// The reference's own formulas against formats/layout.h, which the operator takes its strides from.
TEST(TransData, TheReferencePutsElementsWhereTheFormatHasThem) {
  for (const int groups : {1, 4, 6, 12}) {
    for (const Format plain : {Format::kOIDHW, Format::kDHWIO}) {
      const TransDataProblem problem{.dtype = DType::kFp32,
                                     .from = plain,
                                     .to = Format::kFractalZ3D,
                                     .extents = {24, 5, 2, 1, 3},
                                     .c0 = 8,
                                     .groups = groups};
      Tensor x(problem.dtype, problem.PlainTensor());
      FillRandom(x, 3, 1, 2);
      const Tensor blocked = Converted(x, problem.BlockedLayout3d());
      const std::vector<double> found = ReferenceTransData(problem, x);
      const std::span<const float> expected = blocked.As<float>();
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i], expected[i]) << "groups " << groups << " at " << i;
      }
    }
  }
}

TEST(TransData, RefusesFormatsThatDoNotGoTogether) {
  const auto refused = [](CaseCells cells) {
    cells.emplace("op", "trans_data");
    cells.emplace("input", "2x3x4x5x6");
    try {
      ReadCase(cells, 0, "");
    } catch (const RefusedInput& error) {
      return error.refusal().where + ": " + error.refusal().allowed;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "FRACTAL_Z_3D"}}),
            "to_layout: one format must be plain and the other its blocked one: NCDHW goes to NDC1HWC0");
  EXPECT_EQ(
      refused({{"layout", "NDC1HWC0"}, {"to_layout", "NC1HWC0"}}),
      "to_layout: one format must be plain and the other its blocked one: NDC1HWC0 goes to NCDHW or NDHWC");
  EXPECT_EQ(refused({{"layout", "NCDHW"}}), "to_layout: is required");
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"groups", "2"}}),
            "groups: belongs to filters");
  EXPECT_EQ(refused({{"layout", "OIDHW"}, {"to_layout", "FRACTAL_Z_3D"}, {"groups", "4"}}),
            "groups: must divide the 2 output channels");
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"c0", "8"}}),
            "c0: must be 16 for fp16");
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"c0", "16"}, {"dtype", "int32"}}),
            "c0: must be 8 for int32");
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"c0", "32"}, {"dtype", "fp32"}}),
            "c0: must be 8 or 16 for fp32");
  EXPECT_EQ(refused({{"layout", "NCDHW"}, {"to_layout", "NDC1HWC0"}, {"dtype", "int64"}}),
            "dtype: must be one of fp16, bf16, fp32, int32, uint8");
}

}  // namespace
}  // namespace tilesim
