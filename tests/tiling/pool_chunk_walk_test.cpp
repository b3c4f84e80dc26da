// The loads that a pooling's blocks of outputs come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/tiling/pool_examples.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {
namespace {

using testing::RandomPoolAxes;

// Every tap of every output in bounds lies in some load of its block, in order, and nothing is loaded twice
// for a block.
TEST(PoolChunkWalk, BringsEachRowThatIsReadOnce) {
  constexpr uint32_t kSeed = 4;
  RandomPoolAxes random(kSeed);
  for (int trial = 0; trial < 300; ++trial) {
    PoolShape shape;
    shape.d = random.Axis();
    shape.h = random.Axis();
    shape.w = random.Axis();
    PoolTile tile{.lanes = 1,
                  .d = random.Pick(1, shape.d.out),
                  .h = random.Pick(1, shape.h.out),
                  .w = random.Pick(1, shape.w.out),
                  .rows = random.Pick(1, 3),
                  .taps_w = shape.w.window,
                  .store_rows = 1};
    tile.taps_w = tile.w == 1 ? random.Pick(1, shape.w.window) : shape.w.window;
    std::set<std::vector<int64_t>> loaded;  // block, d, h, first tap
    int64_t block = -1;
    for (PoolChunkWalk walk(shape, tile, {0, BlockCountsOf(shape, tile).total()}); !walk.Done();
         walk.Advance()) {
      const PoolChunk& chunk = walk.now();
      block += chunk.begins_block ? 1 : 0;
      ASSERT_LE(chunk.h.size(), tile.rows);
      for (int64_t h = chunk.h.begin; h < chunk.h.end; ++h) {
        ASSERT_TRUE(loaded.insert({block, chunk.d, h, chunk.taps.begin}).second)
            << "seed " << kSeed << ", trial " << trial;
      }
    }
    const PoolTaps d(shape.d);
    const PoolTaps h(shape.h);
    const auto read = [](const PoolTaps& taps, int64_t i, const PoolRange& outputs) {
      return taps.NextRead(i, i + 1, outputs) == i;
    };
    const int64_t parts = CeilDiv(shape.w.window, tile.taps_w);
    int64_t expected = 0;
    for (int64_t b = 0; b < BlockCountsOf(shape, tile).total(); ++b) {
      const PoolBlock at = BlockAt(b, shape, tile);
      for (int64_t i = 0; i < shape.d.in; ++i) {
        for (int64_t j = 0; j < shape.h.in; ++j) {
          const bool both = read(d, i, at.d) && read(h, j, at.h);
          expected += both ? parts : 0;
          ASSERT_EQ(loaded.contains({b, i, j, 0}), both) << "seed " << kSeed << ", trial " << trial;
        }
      }
    }
    ASSERT_EQ(static_cast<int64_t>(loaded.size()), expected) << "seed " << kSeed << ", trial " << trial;
  }
}

TEST(PoolCores, AreTheFewestThatKeepTheBusiestOnesBlocks) {
  for (int64_t most = 1; most <= 50; ++most) {
    EXPECT_EQ(CoresFor(0, most), 1);
    for (int64_t blocks = 1; blocks <= 200; ++blocks) {
      const auto busiest = [&](int64_t cores) {
        int64_t count = 0;
        int64_t all = 0;
        for (int64_t core = 0; core < cores; ++core) {
          count = std::max(count, BlocksOfCore(core, cores, blocks).size());
          all += BlocksOfCore(core, cores, blocks).size();
        }
        EXPECT_EQ(all, blocks);
        return count;
      };
      const int64_t cores = CoresFor(blocks, most);
      ASSERT_LE(cores, most);
      ASSERT_EQ(busiest(cores), busiest(most)) << blocks << " blocks, " << most << " cores";
      if (cores > 1) {
        ASSERT_GT(busiest(cores - 1), busiest(most)) << blocks << " blocks, " << most << " cores";
      }
    }
  }
}

}  // namespace
}  // namespace tilesim
