// The search over spaces of tilings, where it has to end early.
#include "tiling/tune/tune_search.h"

#include <gtest/gtest.h>

#include <atomic>

namespace tilesim {
namespace {

// Its root takes as long as somebody waits for it.
class EndlessSpace : public TileSpace {
 public:
  [[nodiscard]] int levels() const override { return 1; }
  Opened Open(int /*level*/, const TilePath& /*node*/, double /*cutoff_us*/) override {
    while (!GivesUp()) {
    }
    return {.nodes = {{.bound_us = 1, .path = {}}}, .tilings = 0, .whole = false};
  }
  [[nodiscard]] int64_t Count(const TilePath& /*node*/) const override { return 0; }
};

TuneAnswer Search(const TuneLimits& limits) {
  EndlessSpace space;
  TuneMeasures measures;
  measures.least_us = [](const TilePath&, double) { return 1.0; };
  measures.run = [](const TilePath&, double) {
    return TuneCost{.time_us = 1, .gm_bytes = 0, .l1_bytes = 0, .cores = 1};
  };
  return SearchTiles(space, measures, 10, limits);
}

// A subtree that was given up stays to be done: nothing of it is run, and nothing proven.
TEST(TuneSearch, GivesASubtreeUpWhenItsTimeIsOver) {
  const TuneAnswer answer = Search({.seconds = 0.05});
  EXPECT_FALSE(answer.proven);
  EXPECT_EQ(answer.bound_us, 0);
  EXPECT_EQ(answer.simulated, 0);
  EXPECT_FALSE(answer.best);
}

TEST(TuneSearch, GivesASubtreeUpWhenItIsStopped) {
  std::atomic<int> asked{0};
  const TuneAnswer answer = Search({.threads = 2, .stop = [&] { return ++asked > 100; }});
  EXPECT_FALSE(answer.proven);
  EXPECT_EQ(answer.simulated, 0);
}

}  // namespace
}  // namespace tilesim
