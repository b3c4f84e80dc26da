// How many planes of results a pooling keeps at once: the count that buffers follow from, against a run of
// the passes that keep them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {
namespace {

// One axis, plane by plane: the inputs that each output reads, by the definition.
class PlanesKept {
 public:
  explicit PlanesKept(const PoolAxis& axis) : in_(axis.in), out_(axis.out) {
    for (int64_t o = 0; o < axis.out; ++o) {
      std::vector<int64_t> reads;
      for (int64_t k = 0; k < axis.window; ++k) {
        const int64_t i = o * axis.stride - axis.before + k * axis.dilation;
        if (i >= 0 && i < axis.in) {
          reads.push_back(i);
        }
      }
      reads_.push_back(reads);
    }
  }

  // All outputs from `begin` on are taken as soon as each is complete.
  int64_t WhenComplete(int64_t begin) {
    Begin();
    for (int64_t i = 0; i < in_; ++i) {
      Pool(i, begin);
      std::erase_if(held_, [&](int64_t o) { return LastOf(o) <= i; });
    }
    return most_;
  }
  // They are asked for one after the other.
  int64_t InOrder(int64_t begin) {
    Begin();
    int64_t pooled = -1;
    for (int64_t o = begin; o < out_; ++o) {
      if (reads_[static_cast<size_t>(o)].empty()) {
        continue;
      }
      while (pooled < LastOf(o)) {
        Pool(++pooled, begin);
      }
      EXPECT_EQ(held_.erase(o), 1U);
    }
    return most_;
  }

 private:
  void Begin() {
    held_.clear();
    most_ = 1;
  }
  [[nodiscard]] int64_t LastOf(int64_t o) const { return reads_[static_cast<size_t>(o)].back(); }
  // Maxima of plane i of x go to a buffer of their own; that of one of the outputs which begin, if any do.
  void Pool(int64_t i, int64_t begin) {
    const int64_t before = std::ssize(held_);
    bool read = false;
    for (int64_t o = begin; o < out_; ++o) {
      const std::vector<int64_t>& reads = reads_[static_cast<size_t>(o)];
      if (std::ranges::find(reads, i) != reads.end()) {
        read = true;
        held_.insert(o);
      }
    }
    if (read) {
      most_ = std::max(most_, before + std::max<int64_t>(std::ssize(held_) - before, 1));
    }
  }

  int64_t in_;
  int64_t out_;
  std::vector<std::vector<int64_t>> reads_;
  std::set<int64_t> held_;
  int64_t most_ = 1;
};

// Every number of outputs that some padding behind and rounding lead to.
template <class F>
void ForAxes(const PoolAxis& walk, F&& f) {
  constexpr int64_t kMostAfter = 8;
  const int64_t span = (walk.window - 1) * walk.dilation + 1;
  const int64_t room = walk.in + walk.before + kMostAfter - span;
  for (int64_t out = 1; room >= 0 && out <= CeilDiv(room, walk.stride) + 1; ++out) {
    PoolAxis axis = walk;
    axis.out = out;
    f(axis);
  }
}

// Their buffers are enough, whether results leave when complete or in order, wherever a run begins.
TEST(PoolPlanesUnderWay, AreNoFewerThanTheirPassesKeep) {
  int64_t most_more = 0;  // of those there are
  const auto compare = [&](const PoolAxis& axis) {
    PlanesKept kept(axis);
    const int64_t planes = PoolPlanesUnderWay(axis);
    const std::string what = ::testing::PrintToString(
        std::vector{axis.in, axis.out, axis.window, axis.stride, axis.dilation, axis.before});
    ASSERT_LE(kept.WhenComplete(0), planes) << what;
    ASSERT_LE(kept.InOrder(0), planes) << what;
    ASSERT_LE(kept.InOrder(axis.out / 2), planes) << what;
    most_more = std::max(most_more, std::min(planes, axis.out) - kept.InOrder(0));
  };
  for (int64_t in = 1; in <= 12; ++in) {
    for (int64_t window = 1; window <= 5; ++window) {
      for (int64_t stride = 1; stride <= 5; ++stride) {
        for (int64_t dilation = 1; dilation <= 5; ++dilation) {
          for (int64_t before = 0; before <= 8; ++before) {
            ForAxes({.in = in, .window = window, .stride = stride, .dilation = dilation, .before = before},
                    compare);
            if (HasFatalFailure()) {
              return;
            }
          }
        }
      }
    }
  }
  EXPECT_LE(most_more, 7);  // at short axes whose windows are clipped
}

TEST(PoolPlanesUnderWay, AreWhatPassesKeepFarFromTheEnds) {
  for (const int64_t in : {60, 61, 62, 63, 64}) {
    for (const int64_t dilation : {1, 3, 5}) {
      for (const int64_t stride : {1, 2, 3, 7}) {
        const PoolAxis axis = {.in = in,
                               .out = (in + 12 - 4 * dilation - 1) / stride + 1,
                               .window = 5,
                               .stride = stride,
                               .dilation = dilation,
                               .before = 6};
        PlanesKept kept(axis);
        EXPECT_EQ(PoolPlanesUnderWay(axis), kept.WhenComplete(0));
        EXPECT_EQ(PoolPlanesUnderWay(axis), kept.InOrder(0));
      }
    }
  }
}

}  // namespace
}  // namespace tilesim
