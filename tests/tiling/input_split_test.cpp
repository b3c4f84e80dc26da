#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/gradient_split.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_tasks.h"

namespace tilesim {
namespace {

constexpr int kStrategies = static_cast<int>(InputStrategy::kBalancedNdm) + 1;

TEST(ConvDepth, CountsWhatWalkingCounts) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const ConvDepth depth{.di = p.di,
                          .dout = p.dout,
                          .dk = p.dk,
                          .stride = p.stride_d,
                          .dilation = p.dilation_d,
                          .pad_front = p.pad_front};
    std::vector<int64_t> taps(static_cast<size_t>(p.di), 0);
    for (int64_t dout = 0; dout < p.dout; ++dout) {  // forward: which planes of x does an output look at?
      for (int64_t dk = 0; dk < p.dk; ++dk) {
        const int64_t din = dout * p.stride_d - p.pad_front + dk * p.dilation_d;
        const bool is_padding = din < 0 || din >= p.di;
        EXPECT_EQ(depth.InputPlaneOf(dout, dk), is_padding ? -1 : din);
        if (!is_padding) {
          ++taps[static_cast<size_t>(din)];
          EXPECT_EQ(depth.PlaneOf(din, dk), dout);
        }
      }
    }
    int64_t below = 0;
    for (int64_t din = 0; din < p.di; ++din) {
      EXPECT_EQ(depth.TapsBelow(din), below);
      EXPECT_EQ(depth.TapsOf(din), taps[static_cast<size_t>(din)]);
      below += taps[static_cast<size_t>(din)];
    }
  }
}

// A tiling of which only the sizes of a task matter.
InputTiling RandomTasks(std::mt19937_64& random, const InputProblem& p, InputStrategy strategy,
                        int64_t cores) {
  const auto pick = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, std::max<int64_t>(most, 1))(random);
  };
  const InputExtents e = ExtentsOf(p);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(p, t);
  t.singleCoreM = static_cast<uint64_t>(pick(std::min<int64_t>(p.hi, 9)) * p.wi);
  t.singleCoreCin = static_cast<uint64_t>(pick(e.cin1_g) * e.c0);
  t.singleCoreDin = static_cast<uint32_t>(pick(p.di));
  tiling.split = DealOut(p, t, cores);
  tiling.split.strategy = strategy;
  return tiling;
}

// Every plane, row and line of c0 channels of dx, of every image.
TEST(InputTasks, CoverDxExactlyOnce) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 240; ++round) {
    const int64_t groups = round % 3 == 0 ? 1 + round % 7 : 1;
    const InputProblem p =
        testing::RandomInputProblem(random, round % 5 == 0 ? DType::kFp32 : DType::kFp16, groups);
    const auto strategy = static_cast<InputStrategy>(round % kStrategies);
    const InputTiling tiling = RandomTasks(random, p, strategy, 1 + round % 29);
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    const int64_t lines = t.cin1;
    std::vector<int> written(static_cast<size_t>(p.batch * p.di * p.hi * lines), 0);
    for (int64_t core = 0; core < tiling.split.used_cores; ++core) {
      ForEachInputTask(InputTaskSpace::Of(t), tiling.split, core, [&](const InputTask& task) {
        for (int64_t d = task.din; d < task.din + task.dins; ++d) {
          for (int64_t row = task.row; row < task.row + task.rows; ++row) {
            for (int64_t line = task.line; line < task.line + task.lines; ++line) {
              const int64_t at = ((task.batch * p.di + d) * p.hi + row) * lines + task.group * t.cin1G + line;
              ++written.at(static_cast<size_t>(at));
            }
          }
        }
      });
    }
    ASSERT_TRUE(std::ranges::all_of(written, [](int times) { return times == 1; }))
        << "round " << round << " " << Name(strategy);
  }
}

TEST(InputTasks, OfABasicBlockDifferByOneBetweenCores) {
  InputSplit split;
  split.used_cores = 7;
  const InputTaskSpace space{.batch = 5, .rows = 4, .depth = {.di = 3, .dout = 3}};  // 60 tasks
  std::vector<int64_t> counts(7, 0);
  for (int64_t core = 0; core < 7; ++core) {
    ForEachInputTask(space, split, core, [&](const InputTask&) { ++counts[static_cast<size_t>(core)]; });
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{9, 9, 9, 9, 8, 8, 8}));
}

std::string OrderOf(InputStrategy strategy) {
  std::string text;
  InputSplit split;
  split.strategy = strategy;
  const InputTaskSpace space{.batch = 2, .rows = 2, .lines = 2, .lines_g = 2, .depth = {.di = 2, .dout = 2}};
  ForEachInputTask(space, split, 0, [&](const InputTask& task) {
    text += std::to_string(task.row) + std::to_string(task.batch) + std::to_string(task.din) +
            std::to_string(task.line) + " ";
  });
  return text;
}

TEST(InputTasks, RunInTheOrderOfTheirStrategy) {
  EXPECT_EQ(OrderOf(InputStrategy::kBasicBlock).substr(0, 20), "0000 0001 0010 0011 ");  // m, d, n
  EXPECT_EQ(OrderOf(InputStrategy::kListMnd).substr(0, 20), "0000 0010 0100 0110 ");
  EXPECT_EQ(OrderOf(InputStrategy::kListDmn).substr(0, 20), "0000 0001 1000 1001 ");
  EXPECT_EQ(OrderOf(InputStrategy::kListDnm).substr(0, 20), "0000 1000 0001 1001 ");
  EXPECT_EQ(OrderOf(InputStrategy::kListNmd).substr(0, 40), "0000 0010 0100 0110 1000 1010 1100 1110 ");
  EXPECT_EQ(OrderOf(InputStrategy::kListNdm).substr(0, 20), "0000 1000 0010 1010 ");
  for (int list = 0; list < 6; ++list) {  // equal tasks: balance is that of their number
    EXPECT_EQ(OrderOf(static_cast<InputStrategy>(list)), OrderOf(static_cast<InputStrategy>(list + 6)));
  }
}

TEST(InputTasks, OfABalancedListGiveEveryCoreAsManyTaps) {
  // padding in D: the outer planes of dx are reached by 3, 4, 5, 5, 5, 5, 4, 3 of 5 taps
  InputSplit split;
  const InputTaskSpace space{.batch = 2, .rows = 60, .depth = {.di = 8, .dout = 8, .dk = 5, .pad_front = 2}};
  split.used_cores = 24;
  const auto most_taps = [&](InputStrategy strategy) {
    split.strategy = strategy;
    int64_t most = 0;
    for (int64_t core = 0; core < 24; ++core) {
      int64_t taps = 0;
      ForEachInputTask(space, split, core,
                       [&](const InputTask& task) { taps += space.depth.TapsOf(task.din) * task.rows; });
      most = std::max(most, taps);
    }
    return most;
  };
  constexpr int64_t kAll = 2 * 60 * (3 + 4 + 5 + 5 + 5 + 5 + 4 + 3);
  EXPECT_GE(most_taps(InputStrategy::kListDmn), kAll / 24 * 115 / 100);
  EXPECT_LE(most_taps(InputStrategy::kBalancedDmn), kAll / 24 + 5);
}

TEST(InputSplit, HasANameForEachStrategy) {
  const std::span<const std::string_view> names = kInputStrategyNames;
  ASSERT_EQ(std::ssize(names), kStrategies);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(Name(InputStrategy::kBasicBlock), "basic_block");
  EXPECT_EQ(Name(InputStrategy::kBalancedNdm), "balanced_ndm");
}

}  // namespace
}  // namespace tilesim
