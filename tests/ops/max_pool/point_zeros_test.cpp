// What PointZeros zeroes of UB: the ranges it is told and nothing beside them, however they follow each
// other.
#include "lib/max_pool/point_zeros.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr int64_t kPoints = 600;

// Zeroes the ranges of `kPoints` points of ones and holds each point to what it has to be.
void ExpectZeros(const std::vector<PoolRange>& ranges, const std::string& what) {
  std::vector<float> expected(kPoints, 1.0F);
  for (const PoolRange& range : ranges) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      expected[static_cast<size_t>(i)] = 0.0F;
    }
  }
  std::vector<float> found(kPoints * kPoolLanes);
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .threads = 1};
  options.gm.Add({.name = "points",
                  .address = reinterpret_cast<uint64_t>(found.data()),
                  .size_bytes = found.size() * sizeof(float)});
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, static_cast<uint32_t>(kPoints * kPointBytes));
    AscendC::LocalTensor<float> points = queue.AllocTensor<float>();
    AscendC::Duplicate(points, 1.0F, static_cast<int32_t>(kPoints * kPoolLanes));
    PointZeros zeros(points);
    for (const PoolRange& range : ranges) {
      zeros.Add(range);
    }
    zeros.Finish();
    queue.EnQue(points);
    points = queue.DeQue<float>();
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer(found.data(), found.size());
    AscendC::DataCopy(out, points, static_cast<uint32_t>(kPoints * kPoolLanes));
    queue.FreeTensor(points);
  });
  for (const Fault& fault : result.faults) {
    FAIL() << what << ": " << fault.Text();
  }
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i / kPoolLanes]) << what << ", point " << i / kPoolLanes;
  }
}

// `count` single points `apart` from each other, from `first` on.
std::vector<PoolRange> Singles(int64_t first, int64_t apart, int64_t count) {
  std::vector<PoolRange> ranges;
  for (int64_t i = 0; i < count; ++i) {
    ranges.push_back({first + i * apart, first + i * apart + 1});
  }
  return ranges;
}

TEST(PointZeros, TakesSinglesAsFarApartAsARepeatReaches) {
  for (const int64_t apart : {2, 30, 31, 32, 33, 64}) {  // 31: a repeat's stride is 8 bits of data blocks
    for (const int64_t first : {0, 1, 40}) {
      ExpectZeros(Singles(first, apart, 8), std::to_string(apart) + " apart from " + std::to_string(first));
    }
  }
}

TEST(PointZeros, TakesAsManySinglesAsAnInstructionRepeats) {
  for (const int64_t count : {1, 254, 255, 256, 299}) {
    ExpectZeros(Singles(1, 2, count), std::to_string(count) + " singles");
  }
}

TEST(PointZeros, EndsWithSinglesRangesAndNothing) {
  ExpectZeros({}, "nothing");
  ExpectZeros({{5, 5}}, "an empty range");
  ExpectZeros({{0, 1}, {7, 7}}, "an empty range last");
  ExpectZeros({{3, 4}, {4, 5}, {5, 5}, {5, 9}}, "neighbours");
  ExpectZeros({{1, 2}, {4, 5}, {7, 8}, {8, 12}, {20, 21}}, "singles, a range that follows one, a single");
  ExpectZeros({{0, kPoints}}, "all");
}

TEST(PointZeros, OfRandomRangesAreThoseAlone) {
  constexpr uint32_t kSeed = 20261122;
  std::mt19937 random(kSeed + static_cast<uint32_t>(TestTurn()));
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int trial = 0; trial < Repetitions(60); ++trial) {
    std::vector<PoolRange> ranges;
    const int64_t gap = pick(1, 40);
    for (int64_t at = pick(0, 9); at < kPoints;) {
      const int64_t end = std::min(kPoints, at + (pick(0, 2) == 0 ? pick(0, 12) : 1));
      ranges.push_back({at, end});
      at = end + (pick(0, 2) == 0 ? pick(0, 40) : gap);
    }
    ExpectZeros(ranges, "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
  }
}

}  // namespace
}  // namespace tilesim
