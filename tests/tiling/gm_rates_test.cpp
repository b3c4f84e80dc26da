#include "tiling/conv_backprop/gm_rates.h"

#include <gtest/gtest.h>

namespace tilesim {
namespace {

SocConfig Soc() {
  SocConfig soc;
  soc.l2_total_bytes_per_cycle = 1000;
  soc.hbm_total_bytes_per_cycle = 100;
  return soc;
}

// Needs are stated as if each of the cores had its part of the rates.
TEST(GmRates, GiveACoreAloneMoreThanItsPart) {
  GmRates rates(Soc(), 10);
  EXPECT_NEAR(rates.EndOf(0, 0, {.busy = 640, .hbm = 6400}, true), 640, 1);
  GmRates others(Soc(), 10);
  EXPECT_NEAR(others.EndOf(0, 0, {.busy = 100, .hbm = 6400}, true), 640, 1);  // never more than all
}

TEST(GmRates, ShareAmongThoseThatMoveAtTheSameTime) {
  GmRates rates(Soc(), 2);
  EXPECT_NEAR(rates.EndOf(0, 0, {.busy = 640, .hbm = 1280}, true), 640, 1);  // all of the rate
  // half at the most, and nothing before the first has ended
  EXPECT_NEAR(rates.EndOf(1, 0, {.busy = 640, .hbm = 1280}, true), 1920, 1);
  EXPECT_NEAR(rates.EndOf(0, 1920, {.busy = 640, .hbm = 1280}, true), 2560, 1);  // alone again
}

TEST(GmRates, TakeL2AndHbmApart) {
  GmRates rates(Soc(), 1);
  EXPECT_NEAR(rates.EndOf(0, 0, {.busy = 10, .l2 = 640, .hbm = 64}, true), 640, 1);
  EXPECT_NEAR(rates.EndOf(0, 64, {.busy = 10, .hbm = 64}, true), 128, 1);  // HBM is free again
  EXPECT_EQ(rates.EndOf(0, 5000, {.busy = 10}, false), 5010);
}

// A rate that takes an age is not played: what it takes is not remembered slot by slot.
TEST(GmRates, LetMovesOfAnAgeShareNothing) {
  GmRates rates(Soc(), 2);
  const CoreShares::Needs ages = {.busy = 10, .l2 = 0, .hbm = 2e12, .hbm_waits = 2e12};
  EXPECT_EQ(rates.EndOf(0, 0, ages, true), 1e12);
  EXPECT_EQ(rates.EndOf(1, 0, ages, true), 1e12);
}

}  // namespace
}  // namespace tilesim
