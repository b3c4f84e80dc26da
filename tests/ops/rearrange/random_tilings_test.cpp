// Tilings that no planner would choose: what is legal runs without a fault and gives the same tensor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/trans_data/trans_data_operator.h"
#include "ops/transpose/transpose_operator.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tiling/rearrange/rearrange_planner.h"

namespace tilesim {
namespace {

using testing::Soc910b2;

class RandomTilings {
 public:
  explicit RandomTilings(uint64_t seed) : random_(seed) {}

  int64_t UpTo(int64_t most) { return 1 + static_cast<int64_t>(random_() % static_cast<uint64_t>(most)); }

  // Runs of whole digits but for their last, pitches with room to spare; legal or not.
  RearrangeTiling Next(const RearrangeShape& shape) {
    RearrangeTiling tiling;
    RearrangeTilingData& data = tiling.data;
    const bool runs = MovesByRuns(shape);
    data.colDigits = static_cast<uint64_t>(UpTo(3));
    data.rowDigits = runs ? 0 : static_cast<uint64_t>(UpTo(3));
    for (size_t i = 0; i < kMostDigits; ++i) {
      const bool there = i < shape.num_digits;
      data.extent[i] = static_cast<uint64_t>(there ? shape.digits[i].extent : 1);
      data.tile[i] = static_cast<uint64_t>(there ? UpTo(shape.digits[i].extent) : 1);
    }
    const auto set = [&](int digit, int64_t steps) {
      if (digit != kNoDigit) {
        data.tile[static_cast<size_t>(digit)] = static_cast<uint64_t>(steps);
      }
    };
    for (const auto& [stride, count] : {std::pair(&RearrangeDigit::src_stride, data.colDigits),
                                        std::pair(&RearrangeDigit::dst_stride, data.rowDigits)}) {
      const DigitChain chain = ChainOf(shape, stride);
      for (size_t i = 0; i + 1 < std::min<size_t>(count, chain.count); ++i) {
        set(chain.digits[i], shape.at(chain.digits[i]).extent);
      }
    }
    set(shape.inner_channel, shape.inner_channel == kNoDigit ? 1 : shape.at(shape.inner_channel).extent);
    set(shape.block, 1);
    set(shape.member, 1);
    const RearrangeMatrix m = MatrixOf(shape, data);
    const int64_t of_block = ElementsOfBlock(shape.element_bytes);
    data.inPitch = static_cast<uint64_t>(m.padded_cols / of_block + UpTo(4) - 1);
    data.outPitch = static_cast<uint64_t>(m.turns ? CeilDiv(m.padded_rows, of_block) + UpTo(4) - 1 : 0);
    data.bufferNum = static_cast<uint64_t>(UpTo(2));
    tiling.split.strategy = runs ? RearrangeStrategy::kRuns : RearrangeStrategy::kTransposes;
    tiling.split.used_cores = UpTo(5);
    return tiling;
  }

 private:
  std::mt19937_64 random_;
};

// How many tilings of `tries` were legal.
int64_t ExpectTheSame(const CaseCells& cells, const RearrangeShape& shape, int64_t tries,
                      RandomTilings& tilings) {
  const Case problem = ReadCase(cells, 0, "");
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const auto run = [&](const Plan& plan) {
    OperatorRun found = RunOperator(*op, plan, Soc910b2(), MakeInputs(problem, *op), {.threads = 2});
    EXPECT_TRUE(found.launch.faults.empty()) << found.launch.faults.front().Text();
    return std::move(found.outputs[0]);
  };
  const Tensor expected = run(op->MakePlan(PlannerKind::kOp, Soc910b2(), 48));
  int64_t legal = 0;
  for (int64_t i = 0; i < tries; ++i) {
    const std::string json = JsonOf(tilings.Next(shape));
    const Plan plan = op->GivenPlan(json, "random", Soc910b2(), 48);
    if (plan.legal) {
      const Tensor found = run(plan);
      ++legal;
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size_bytes()), 0)
          << cells.at("op") << " " << cells.at("dtype") << " " << cells.at("input") << ": " << json;
    }
  }
  return legal;
}

TEST(RandomTilings, OfTransposesGiveTheSame) {
  constexpr uint64_t kSeed = 20261121;
  RandomTilings tilings(kSeed);
  const char* const types[] = {"fp16", "fp32", "uint8", "int64"};
  const std::pair<const char*, const char*> shapes[] = {{"37x50", "1x0"},
                                                        {"5x18x33", "2x0x1"},
                                                        {"6x7x40", "1x0x2"},
                                                        {"3x4x5x6x7", "4x1x3x0x2"},
                                                        {"9x1x70", "2x1x0"}};
  int64_t legal = 0;
  for (const auto& [input, perm] : shapes) {
    for (const char* const type : types) {
      const CaseCells cells = {{"op", "transpose"}, {"dtype", type}, {"input", input}, {"perm", perm}};
      const Case problem = ReadCase(cells, 0, "");
      legal += ExpectTheSame(cells, ShapeOf(std::get<TransposeCase>(problem.problem).transpose), 30, tilings);
    }
  }
  EXPECT_GT(legal, 100) << "seed " << kSeed;
}

TEST(RandomTilings, OfLayoutConversionsGiveTheSame) {
  constexpr uint64_t kSeed = 7;
  RandomTilings tilings(kSeed);
  struct Conversion {
    const char* plain;
    const char* blocked;
    const char* input;
    const char* groups;
  };
  const Conversion conversions[] = {
      {"NCDHW", "NDC1HWC0", "2x37x2x5x9", "1"},      {"NDHWC", "NDC1HWC0", "2x3x4x5x33", "1"},
      {"OIDHW", "FRACTAL_Z_3D", "35x19x2x2x3", "1"}, {"DHWIO", "FRACTAL_Z_3D", "2x2x1x19x35", "1"},
      {"OIDHW", "FRACTAL_Z_3D", "30x5x1x2x3", "6"},  {"DHWIO", "FRACTAL_Z_3D", "1x2x1x5x30", "6"}};
  int64_t legal = 0;
  for (const Conversion& conversion : conversions) {
    for (const char* const type : {"fp16", "fp32", "uint8"}) {
      for (const bool there : {true, false}) {
        const CaseCells cells = {{"op", "trans_data"},
                                 {"dtype", type},
                                 {"layout", there ? conversion.plain : conversion.blocked},
                                 {"to_layout", there ? conversion.blocked : conversion.plain},
                                 {"input", conversion.input},
                                 {"groups", conversion.groups}};
        const Case problem = ReadCase(cells, 0, "");
        legal +=
            ExpectTheSame(cells, ShapeOf(std::get<TransDataCase>(problem.problem).trans_data), 30, tilings);
      }
    }
  }
  EXPECT_GT(legal, 200) << "seed " << kSeed;
}

}  // namespace
}  // namespace tilesim
