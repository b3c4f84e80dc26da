#include "ops/transpose/transpose_operator.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "ops/operator_run.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::CompareCase;
using testing::Soc910b2;

constexpr std::string_view kAll[] = {"fp16", "bf16", "fp32", "int32", "int64", "uint8"};

CaseResult Transposed(const std::string& dtype, const std::string& input, const std::string& perm,
                      std::optional<int64_t> cores = std::nullopt, int threads = 2) {
  return CompareCase({{"op", "transpose"}, {"dtype", dtype}, {"input", input}, {"perm", perm}}, cores,
                     threads);
}

TEST(Transpose, EqualsThePlainLoopForRandomShapesOrdersAndCores) {
  std::mt19937_64 random(20261121 + static_cast<uint64_t>(TestTurn()));
  const int64_t cores[] = {1, 2, 5, 24, 48};
  for (int round = 0; round < Repetitions(150); ++round) {
    std::vector<int64_t> extents(2 + random() % 5);
    for (int64_t& extent : extents) {
      extent = 1 + static_cast<int64_t>(random() % (extents.size() > 4 ? 7 : extents.size() > 2 ? 40 : 300));
    }
    std::vector<int64_t> perm(extents.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::ranges::shuffle(perm, random);
    const std::string dtype(kAll[round % 6]);
    const CaseResult result =
        Transposed(dtype, testing::ShapeCell(extents), testing::ShapeCell(perm), cores[random() % 5]);
    EXPECT_EQ(result.verdict, Verdict::kOk) << dtype << " " << testing::ShapeCell(extents) << " perm "
                                            << testing::ShapeCell(perm) << ": " << result.message;
  }
}

// The shapes of measured calls, smaller: all axes turned round, a matrix of primes, the inner axis kept.
TEST(Transpose, TurnsWhatHasBeenMeasured) {
  for (const std::string_view type : kAll) {
    const std::string dtype(type);
    EXPECT_EQ(Transposed(dtype, "257x129", "1x0").verdict, Verdict::kOk) << dtype;
    EXPECT_EQ(Transposed(dtype, "11x13x17x7x19", "4x3x2x1x0").verdict, Verdict::kOk) << dtype;
    EXPECT_EQ(Transposed(dtype, "8x6x32x128", "0x2x1x3").verdict, Verdict::kOk) << dtype;
    EXPECT_EQ(Transposed(dtype, "2x7x64x64", "0x1x3x2").verdict, Verdict::kOk) << dtype;
  }
}

// A loop of its own, over bytes: NaN and the upper bits of 64-bit numbers arrive as they are.
TEST(Transpose, MovesEveryBit) {
  std::mt19937_64 random(7 + static_cast<uint64_t>(TestTurn()));
  for (const DType dtype : kAllDTypes) {
    constexpr int64_t kRows = 70;
    constexpr int64_t kCols = 45;
    const TransposeProblem problem{.dtype = dtype, .extents = {kRows, kCols}, .perm = {1, 0}};
    const TransposeOperator op(problem);
    Tensor x(dtype, problem.XLayout());
    for (size_t i = 0; i < x.size_bytes(); ++i) {
      x.data()[i] = static_cast<std::byte>(random());
    }
    const Tensor given = x;
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(x));
    const OperatorRun run = RunOperator(op, op.MakePlan(PlannerKind::kOp, Soc910b2(), 3), Soc910b2(),
                                        std::move(inputs), {.threads = 2});
    ASSERT_TRUE(run.launch.faults.empty());
    const size_t bytes = SizeOf(dtype);
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kCols; ++c) {
        ASSERT_EQ(std::memcmp(run.outputs[0].data() + static_cast<size_t>(c * kRows + r) * bytes,
                              given.data() + static_cast<size_t>(r * kCols + c) * bytes, bytes),
                  0)
            << Name(dtype) << " " << r << " " << c;
      }
    }
  }
}

TEST(Transpose, AnyLegalTilingGivesTheSame) {
  const TransposeProblem problem{.dtype = DType::kFp16, .extents = {6, 50, 70}, .perm = {2, 0, 1}};
  const TransposeOperator op(problem);
  Tensor x(problem.dtype, problem.XLayout());
  FillRandom(x, 1, -1, 1);
  const Plan planned = op.MakePlan(PlannerKind::kOp, Soc910b2(), 48);
  ASSERT_TRUE(planned.legal);
  const auto run = [&](const Plan& plan) {
    std::vector<Tensor> inputs = {x};
    OperatorRun result = RunOperator(op, plan, Soc910b2(), std::move(inputs), {.threads = 2});
    EXPECT_TRUE(result.launch.faults.empty());
    return std::move(result.outputs[0]);
  };
  const Tensor expected = run(planned);
  const std::string json = [&] {
    // one core, tiles of a few rows and columns, one buffer
    RearrangeTiling tiling = std::get<RearrangeTiling>(planned.tiling);
    tiling.data.colDigits = 1;
    tiling.data.rowDigits = 1;
    std::ranges::fill(tiling.data.tile, 1);
    tiling.data.tile[0] = 3;   // of 300 joined axes 0 and 1
    tiling.data.tile[1] = 21;  // of 70
    tiling.data.inPitch = 2;
    tiling.data.outPitch = 1;
    tiling.data.bufferNum = 1;
    tiling.split.used_cores = 1;
    std::string text = "{\"data\":{";
    for (int i = 0; i < 8; ++i) {
      text += "\"extent" + std::to_string(i) +
              "\":" + std::to_string(tiling.data.extent[static_cast<size_t>(i)]) + ",\"tile" +
              std::to_string(i) + "\":" + std::to_string(tiling.data.tile[static_cast<size_t>(i)]) + ",";
    }
    return text +
           "\"colDigits\":1,\"rowDigits\":1,\"inPitch\":2,\"outPitch\":1,\"bufferNum\":1},"
           "\"split\":{\"strategy\":\"transposes\",\"usedCoreNum\":1}}";
  }();
  const Plan given = op.GivenPlan(json, "hand", Soc910b2(), 48);
  ASSERT_TRUE(given.legal) << given.reasons.front();
  const Tensor found = run(given);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size_bytes()), 0);

  std::string narrow = json;
  narrow.replace(narrow.find("\"inPitch\":2"), 11, "\"inPitch\":1");
  const Plan refused = op.GivenPlan(narrow, "hand", Soc910b2(), 48);
  ASSERT_FALSE(refused.legal);
  EXPECT_EQ(refused.reasons.front(),
            "data.inPitch: data blocks from row to row as loaded: found 1, must be at least 2; data.inPitch "
            "2 fits");
  std::string runs = json;
  runs.replace(runs.find("transposes"), 10, "runs");
  EXPECT_FALSE(op.GivenPlan(runs, "hand", Soc910b2(), 48).legal);
  std::string large = json;
  large.replace(large.find("\"tile0\":3,"), 10, "\"tile0\":300,");
  large.replace(large.find("\"outPitch\":1"), 12, "\"outPitch\":2000");
  EXPECT_NE(op.GivenPlan(large, "hand", Soc910b2(), 48).reasons.front().find("bytes of UB"),
            std::string::npos);
}

TEST(Transpose, IsTheSameForAnyNumberOfThreads) {
  const CaseResult one = Transposed("fp32", "100x77x3", "1x0x2", 48, 1);
  const CaseResult four = Transposed("fp32", "100x77x3", "1x0x2", 48, 4);
  EXPECT_EQ(one.launch->cycles, four.launch->cycles);
  EXPECT_EQ(std::memcmp(one.outputs[0].data(), four.outputs[0].data(), one.outputs[0].size_bytes()), 0);
}

TEST(Transpose, RefusesAnOrderThatIsNone) {
  const auto refused = [](const CaseCells& cells) {
    try {
      ReadCase(cells, 0, "");
    } catch (const RefusedInput& error) {
      return error.refusal().where + ": " + error.refusal().allowed;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({{"op", "transpose"}, {"input", "3x4"}}), "perm: is required");
  EXPECT_EQ(refused({{"op", "transpose"}, {"input", "4"}, {"perm", "0"}}),
            "input: must have 2 to 6 axes, one alone has no other order");
  EXPECT_EQ(refused({{"op", "transpose"}, {"input", "2x2x2x2x2x2x2"}, {"perm", "0"}}),
            "input: must be 1 to 6 whole numbers joined by x, found 7");
  EXPECT_EQ(refused({{"op", "transpose"}, {"input", "3x4x5"}, {"perm", "0x1x1"}}),
            "perm: must name each of the axes 0 to 2 once");
  EXPECT_EQ(refused({{"op", "transpose"}, {"input", "3x4"}, {"perm", "1x0"}, {"c0", "16"}}),
            "c0: belongs to trans_data, transpose has no such column");
}

}  // namespace
}  // namespace tilesim
