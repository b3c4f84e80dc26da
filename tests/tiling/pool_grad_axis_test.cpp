#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tiling/max_pool/max_pool_grad_axis.h"

namespace tilesim {
namespace {

// Every position lies in one slot, each tap of an output where the definition says, for all that an axis may
// be.
TEST(MaxPoolGradAxis, PutsTapsWhereTheirPositionsAre) {
  for (int64_t stride = 1; stride <= 7; ++stride) {
    for (int64_t dilation = 1; dilation <= 7; ++dilation) {
      for (int64_t window = 1; window <= 6; ++window) {
        const int64_t before = (window * dilation) / 2;
        const PoolGradAxis axis(
            {.in = 40, .out = 9, .window = window, .stride = stride, .dilation = dilation, .before = before});
        std::vector<int> phase_met(static_cast<size_t>(axis.Phases()));
        for (int64_t k = 0; k < window; ++k) {
          const int64_t phase = axis.PhaseOf(k);
          ASSERT_LT(phase, axis.Phases());
          phase_met[static_cast<size_t>(phase)] = 1;
          EXPECT_EQ(axis.PhaseAt(axis.DistanceOf(phase)), phase);
          EXPECT_LE(axis.FirstTapOf(phase), k);
          EXPECT_EQ(axis.PhaseOf(axis.FirstTapOf(phase)), phase);
          for (int64_t o = 0; o < 9; ++o) {
            const int64_t position = o * stride - before + k * dilation;
            if (position >= 0) {
              EXPECT_EQ(axis.SlotOf(position), o + axis.ShiftOf(k));
              EXPECT_EQ(axis.PhaseAt((position + before) % stride), phase);
            }
          }
        }
        EXPECT_EQ(std::ranges::count(phase_met, 1), axis.Phases());
        const PoolGradAxis cut = axis.Cut({1, 3});
        for (int64_t r = 0; r < stride && cut.IsCut(); ++r) {
          EXPECT_EQ(cut.PhaseAt(r), r >= 1 && r < 3 ? r - 1 : -1);
        }
        for (int64_t phase = 0; phase < cut.Phases() && cut.IsCut(); ++phase) {
          int64_t first = 0;
          while (first < window && cut.PhaseOf(first) != phase) {
            ++first;
          }
          EXPECT_EQ(cut.FirstTapOf(phase), first < window ? first : -1);
        }
      }
    }
  }
}

// Each tap with an output in the slots is met once, and no other, with cuts or without; in no slots none is.
TEST(MaxPoolGradAxis, GoesThroughTheTapsOfSlots) {
  int met = 0;
  for (const int64_t stride : {1, 3, 4, 5}) {
    for (const int64_t dilation : {1, 2, 4, 7}) {
      for (const int64_t window : {1, 2, 7, 20}) {
        for (const int64_t out : {1, 3, 8}) {
          const PoolGradAxis whole(
              {.in = 40, .out = out, .window = window, .stride = stride, .dilation = dilation, .before = 5});
          for (const PoolGradAxis& axis : {whole, whole.Cut({0, 1}), whole.Cut({1, 3})}) {
            for (int64_t begin = axis.Slots().begin; begin < axis.Slots().end; ++begin) {
              for (const int64_t size : {0, 1, 4}) {
                const PoolRange slots = {begin, begin + size};
                std::map<int64_t, bool> expected;  // tap -> whether it is the first of its phase
                for (int64_t k = 0; k < window; ++k) {
                  if (axis.PhaseOf(k) >= 0 && !axis.OutputsOf(slots, k).Empty()) {
                    expected[k] = axis.FirstTapOf(axis.PhaseOf(k)) == k;
                  }
                }
                std::map<int64_t, bool> found;
                axis.ForTapsOf(slots, [&](int64_t tap, bool is_first) {
                  EXPECT_TRUE(found.emplace(tap, is_first).second) << "twice";
                });
                EXPECT_EQ(found, expected) << "stride " << stride << ", dilation " << dilation << ", window "
                                           << window << ", out " << out << ", slots from " << begin;
                met += static_cast<int>(found.size());
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(met, 10000);
}

// With cuts or without, blocks of slots at either edge or not.
TEST(MaxPoolGradAxis, CountsThePositionsOfAPhase) {
  for (const int64_t stride : {1, 3, 5}) {
    for (const int64_t dilation : {1, 2, 5}) {
      for (const int64_t window : {1, 2, 7}) {
        for (const int64_t before : {0, 4}) {
          const PoolGradAxis whole({.in = 12,
                                    .out = 4,
                                    .window = window,
                                    .stride = stride,
                                    .dilation = dilation,
                                    .before = before});
          for (const PoolGradAxis& axis : {whole, whole.Cut({1, 3})}) {
            const PoolRange slots = axis.Slots();
            for (int64_t begin = slots.begin; begin < slots.end; ++begin) {
              const PoolRange some = {begin, axis.IsCut() ? begin + 1 : std::min(begin + 2, slots.end)};
              const PoolRange positions = axis.PositionsOf(some);
              int64_t phased = 0;
              for (int64_t position = positions.begin; position < positions.end; ++position) {
                phased += axis.PhaseAt((position + before) % stride) >= 0 ? 1 : 0;
              }
              EXPECT_EQ(axis.PhasedOf(some), phased);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilesim
