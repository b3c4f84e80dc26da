#include "tiling/conv_backprop/filter_clock.h"

#include <gtest/gtest.h>

#include "tiling/conv_backprop/filter_choice.h"

namespace tilesim {
namespace {

FilterProblem ClockProblem() {
  FilterProblem p;
  p.batch = 1, p.cin = 64, p.di = 1, p.hi = 32, p.wi = 32, p.cout = 128, p.dout = 1, p.ho = 32, p.wo = 32;
  p.dk = 1, p.hk = p.wk = 3, p.pad_up = p.pad_down = p.pad_left = p.pad_right = 1;
  return p;
}

constexpr FilterTaskSize kTask{.m = 128, .lines = 4, .rows = 32};

FilterBlockChoice Choice() {
  FilterBlockChoice choice{.base_m = 128, .base_n = 96, .base_k = 128};
  choice.step_ka = choice.step_kb = 2;
  choice.l1_copies_a = choice.l1_copies_b = choice.l0c_copies = 2;
  return choice;
}

struct Played {
  double cycles;
  FilterClock::Busy busy;
};

Played Play(const FilterBlockChoice& choice, const FilterMisses& misses = {},
            const SocConfig& soc = LoadSoc("ascend910b2")) {
  const FilterCut cut{.split = {}, .part = kTask};
  const FilterProblem p = ClockProblem();
  const FilterTiling tiling = TilingOf(p, CoreMemoryOf(soc), cut, choice);
  FilterClock clock(p, tiling.data.dwTiling, soc, 24);
  clock.set_misses(misses);
  clock.Play(kTask);
  return {clock.now(), clock.busy()};
}

TEST(FilterClock, KeepsTheCubeBusyForTheProductsAndNoMore) {
  // 128 x 576 x 1024 in fractals of 16, and 2 cycles to issue each of 6 x 8 products
  EXPECT_EQ(Play(Choice()).busy.cube, 8 * 36 * 64 + 6 * 8 * 2);
}

TEST(FilterClock, IsNeverFasterThanItsBusiestPipeNorSlowerThanAllInTurn) {
  const Played played = Play(Choice());
  const FilterClock::Busy& busy = played.busy;
  EXPECT_GE(played.cycles, std::max({busy.cube, busy.mte1, busy.mte2, busy.fix}));
  // every load, product and write waits for its latency at most once
  EXPECT_LE(played.cycles,
            busy.cube + busy.mte1 + busy.mte2 + busy.fix + 48 * (26 + 24 + 4) + 60 * 210 + 6 * 150);
}

// A task of a hundred thousand steps, played whole and as a sample that stands for it.
TEST(FilterClock, SamplesATaskThatTakesAsLongForItsSteps) {
  const SocConfig soc = LoadSoc("ascend910b2");
  FilterProblem p = ClockProblem();
  p.cin = 1024, p.cout = 1024, p.hi = p.ho = 128, p.wi = p.wo = 128;
  const FilterTaskSize whole{.m = 1024, .lines = 64, .rows = 128};
  const FilterTiling tiling = TilingOf(p, CoreMemoryOf(soc), {.split = {}, .part = whole}, Choice());
  FilterClock clock(p, tiling.data.dwTiling, soc, 24);
  const FilterTaskSize sample = clock.Sample(whole, 4096);
  EXPECT_LE(clock.StepsOf(sample), 2 * 4096);
  EXPECT_EQ(clock.Sample(sample, 2 * 4096), sample);
  EXPECT_EQ(clock.Sample(kTask, 4096), kTask);  // small enough as it is
  clock.Play(sample);
  const double estimated = clock.now() * clock.StepsOf(whole) / clock.StepsOf(sample);
  FilterClock all(p, tiling.data.dwTiling, soc, 24);
  all.Play(whole);
  EXPECT_EQ(all.steps(), all.StepsOf(whole));
  EXPECT_NEAR(estimated / all.now(), 1, 0.03);
}

TEST(FilterClock, GainsFromSecondCopies) {
  const double both = Play(Choice()).cycles;
  FilterBlockChoice single = Choice();
  single.l1_copies_a = single.l1_copies_b = 1;
  EXPECT_GT(Play(single).cycles, both);
  single = Choice();
  single.l0c_copies = 1;
  EXPECT_GT(Play(single).cycles, both);
}

TEST(FilterClock, LosesToBytesFromHbm) {
  const double in_l2 = Play(Choice()).cycles;
  const FilterFound fetched{.fetched = 1, .waited = 1};
  EXPECT_GT(Play(Choice(), {.x = fetched, .dy = fetched, .dw = 1}).cycles, in_l2);
}

TEST(FilterClock, FetchesAgainWhatHasLeftL2) {
  const FilterFound fetched{.fetched = 1, .waited = 1};
  const FilterMisses first{.x = fetched, .dy = fetched};
  SocConfig small = LoadSoc("ascend910b2");
  small.l2_bytes = 4 << 20;
  EXPECT_GT(Play(Choice(), first, small).cycles, Play(Choice(), first).cycles);
}

TEST(FilterClock, LoadsALineOnceWhereOneStepHoldsItsBlocks) {
  FilterBlockChoice split = Choice();
  split.base_n = 48;  // three blocks a line
  split.step_ka = split.step_kb = 8;
  split.l1_copies_a = 1;
  FilterBlockChoice whole = split;
  whole.step_n = 3;
  EXPECT_NEAR(Play(split).busy.mte2 - Play(whole).busy.mte2,
              // two more loads of a line of 32 x 32 pixels for each of four lines, at a core's own rate
              4 * 2 * 32 * 32 * 32 / LoadSoc("ascend910b2").gm_l1_core_bytes_per_cycle, 5);
}

}  // namespace
}  // namespace tilesim
