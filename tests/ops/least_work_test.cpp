// The work that every tiling has to do at least, against what runs of uneven groups do: it is a bound only
// where it is never above.
#include "ops/conv3d_backprop/least_work.h"

#include <gtest/gtest.h>

#include <string>

#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"
#include "tests/support/default_soc.h"

namespace tilesim {
namespace {

// Runs the case in time with planner `op`; its launch must take as long as the bound, its pipes do as much.
void ExpectBounded(const CaseCells& cells) {
  const Case item = ReadCase(cells, 1, "");
  HarnessOptions options;
  options.plan.cores = 24;
  options.mode.values = false;
  options.threads = 1;
  const CaseResult result = RunCase(item, Soc(), options);
  const std::string what = cells.at("op") + " " + cells.at("input") + " by " + cells.at("filter");
  ASSERT_EQ(result.verdict, Verdict::kOk) << what << ": " << result.message;
  ASSERT_TRUE(result.lower_bound && result.launch && result.summary) << what;
  EXPECT_LE(result.lower_bound->time_us / result.launch->time_us, 1) << what;
  const Work least = item.op == "conv3d_backprop_filter" ? LeastFilterWork(item.conv(), Soc())
                                                         : LeastInputWork(item.conv(), Soc());
  EXPECT_LE(least.cube_cycles, result.summary->work.cube_cycles) << what;
  EXPECT_LE(least.gm_write_bytes, result.summary->gm_write_bytes) << what;
}

// Fixpipe writes fp32 faster than what UB writes.
TEST(LeastWork, IsNotAboveATimeThatWritesOfFp32Take) {
  ExpectBounded({{"op", "conv2d_backprop_input"},
                 {"dtype", "fp32"},
                 {"input", "8x512x56x56"},
                 {"filter", "8x512x1x1"}});
  ExpectBounded({{"op", "conv3d_backprop_filter"},
                 {"input", "1x512x1x4x4"},
                 {"filter", "512x512x3x3x3"},
                 {"pad", "1x1x1"}});
}

TEST(LeastWork, IsNotAboveWhatUnevenGroupsTake) {
  for (const char* op : {"conv3d_backprop_filter", "conv3d_backprop_input"}) {
    // two groups of 40 channels are merged, the third stands alone
    ExpectBounded({{"op", op},
                   {"input", "1x120x2x16x16"},
                   {"filter", "120x40x3x3x3"},
                   {"groups", "3"},
                   {"pad", "1x1x1"}});
    // the last of three merged groups has 8 of its 16 channels; fp32 merges fewer
    for (const char* dtype : {"fp16", "fp32"}) {
      ExpectBounded({{"op", op},
                     {"dtype", dtype},
                     {"input", "1x40x1x16x16"},
                     {"filter", "40x8x1x3x3"},
                     {"groups", "5"},
                     {"pad", "0x1x1"}});
    }
    // large enough for the cube to be what bounds it
    ExpectBounded({{"op", op},
                   {"input", "4x120x8x64x64"},
                   {"filter", "120x40x3x3x3"},
                   {"groups", "3"},
                   {"pad", "1x1x1"}});
    ExpectBounded(
        {{"op", op}, {"input", "2x20x1x9x9"}, {"filter", "20x1x1x3x3"}, {"groups", "20"}, {"pad", "0x1x1"}});
  }
}

TEST(LeastWork, CountsTheLastOfMergedGroupsWithItsOwnChannels) {
  const Case item = ReadCase(
      {{"op", "conv3d_backprop_input"}, {"input", "1x72x1x4x4"}, {"filter", "72x24x1x1x1"}, {"groups", "3"}},
      1, "");
  const SocConfig unit = LoadSoc("unit");
  // merged two by two: 48 channels are 3 lines, the 24 left 2: 3 * 3 + 2 * 2 fractals for 16 pixels
  EXPECT_EQ(LeastInputWork(item.conv(), unit).cube_cycles, 13);
  EXPECT_EQ(LeastFilterWork(item.conv(), unit).cube_cycles, 13);
}

}  // namespace
}  // namespace tilesim
