#include "sim/isa/vector_sort.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "tests/sim/isa/vector_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kDst = 2 * kThird;

// Bubbles `pairs` into order: NaN first, then descending; equal ones do not pass each other.
struct Pair {
  float score;
  std::array<std::byte, 8> bytes;
};
bool Before(float a, float b) { return std::isnan(a) ? !std::isnan(b) : !std::isnan(b) && a > b; }
void Bubble(std::vector<Pair>& pairs) {
  for (size_t end = pairs.size(); end > 1; --end) {
    for (size_t i = 0; i + 1 < end; ++i) {
      if (Before(pairs[i + 1].score, pairs[i].score)) {
        std::swap(pairs[i], pairs[i + 1]);
      }
    }
  }
}

template <class T>
constexpr VectorType TypeOf() {
  return sizeof(T) == 2 ? VectorType::kFp16 : VectorType::kFp32;
}

// Numbers of which some are equal, and specials.
template <class T>
T RandomScore(Random& random) {
  return random.Coin() ? T(static_cast<float>(random.Int(-3, 3))) : RandomElement<T>(random);
}

template <class T>
Pair RandomPair(Random& random) {
  Pair pair{};
  const T score = RandomScore<T>(random);
  const auto index = static_cast<uint32_t>(random.engine());
  std::memcpy(pair.bytes.data(), static_cast<const void*>(&score), sizeof(T));
  std::memcpy(pair.bytes.data() + 4, &index, 4);
  pair.score = float(score);
  return pair;
}
void Put(std::byte* to, const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) {
    std::memcpy(to, pair.bytes.data(), 8);
    to += 8;
  }
}

template <class T>
void SortsRandomPairs(int64_t repeats) {
  Random random;
  VectorCore core;
  core.FillUb(random);
  Bytes expected = core.Ub();
  for (int64_t r = 0; r < repeats; ++r) {
    std::vector<Pair> pairs;
    for (int64_t i = 0; i < 32; ++i) {
      pairs.push_back(RandomPair<T>(random));
      const int64_t place = r * 32 + i;
      std::memcpy(expected.data() + place * static_cast<int64_t>(sizeof(T)), pairs.back().bytes.data(),
                  sizeof(T));
      std::memcpy(expected.data() + kThird + place * 4, pairs.back().bytes.data() + 4, 4);
    }
    std::memcpy(core->ub(), expected.data(), static_cast<size_t>(kDst));
    Bubble(pairs);
    Put(expected.data() + kDst + r * 256, pairs);
  }
  const VectorSort32 sort{.dst = In(Memory::kUb, kDst),
                          .scores = In(Memory::kUb, 0),
                          .indices = In(Memory::kUb, kThird),
                          .type = TypeOf<T>(),
                          .repeats = repeats};
  core.Issue(sort);
  EXPECT_EQ(FirstDifference<uint32_t>(core.Ub(), expected), -1) << repeats;
  const Operands operands = sort.Footprint(*core);
  const auto written = UbBytes(operands, Use::kWrite, expected.size());
  const auto read = UbBytes(operands, Use::kRead, expected.size());
  EXPECT_EQ(std::count(written.begin(), written.end(), true), repeats * 256);
  EXPECT_EQ(std::count(read.begin(), read.end(), true), repeats * 32 * (4 + static_cast<int64_t>(sizeof(T))));
}

TEST(VectorSort32, SortsEachRepeatAlone) {
  for (const int64_t repeats : {0, 1, 2, 7}) {
    SortsRandomPairs<float>(repeats);
    SortsRandomPairs<Half>(repeats);
  }
}

TEST(VectorSort32, RefusesByName) {
  VectorCore core;
  VectorSort32 sort{
      .dst = In(Memory::kUb, kDst), .scores = In(Memory::kUb, 0), .indices = In(Memory::kUb, kThird)};
  VectorSort32 other = sort;
  other.type = VectorType::kInt32;
  EXPECT_SAYS(core.FaultOf(other), "int32");
  other = sort;
  other.repeats = 256;
  EXPECT_SAYS(core.FaultOf(other), "repeatTime = 256, must be in [0, 255]");
  other = sort;
  other.dst = In(Memory::kUb, 96);
  EXPECT_SAYS(core.FaultOf(other), "must be apart from every source");
  other = sort;
  other.scores = In(Memory::kUb, 8);
  EXPECT_SAYS(core.FaultOf(other), "must be a multiple of 32");
}

// A queue, and the way back to it.
struct Queues {
  std::array<std::vector<Pair>, 4> pairs;
  std::array<size_t, 4> taken{};
};

std::vector<Pair> Merged(Queues& queues, size_t valid, bool stops) {
  std::vector<Pair> merged;
  while (true) {
    int best = -1;
    for (size_t q = 0; q < valid; ++q) {
      if (queues.taken[q] == queues.pairs[q].size()) {
        if (stops) {
          return merged;
        }
        continue;
      }
      if (best < 0 ||
          Before(queues.pairs[q][queues.taken[q]].score,
                 queues.pairs[static_cast<size_t>(best)][queues.taken[static_cast<size_t>(best)]].score)) {
        best = static_cast<int>(q);
      }
    }
    if (best < 0) {
      return merged;
    }
    const auto q = static_cast<size_t>(best);
    merged.push_back(queues.pairs[q][queues.taken[q]++]);
  }
}

template <class T>
void MergesRandomQueues(Random& random) {
  VectorCore core;
  core.FillUb(random);
  const auto valid = static_cast<size_t>(random.Int(2, 4));
  VectorMergeSort merge{.dst = In(Memory::kUb, kDst),
                        .src = {},
                        .type = TypeOf<T>(),
                        .valid_bits = (int64_t{1} << valid) - 1,
                        .stops_at_first_end = random.Coin(),
                        .repeats = 1};
  Queues queues;
  int64_t at = random.Int(0, 9) * 8;
  for (size_t q = 0; q < valid; ++q) {
    merge.lengths[q] = random.Int(0, 3) == 0 ? 0 : random.Int(1, 40);
    for (int64_t i = 0; i < merge.lengths[q]; ++i) {
      queues.pairs[q].push_back(RandomPair<T>(random));
    }
    Bubble(queues.pairs[q]);
    merge.src[q] = In(Memory::kUb, at);
    Put(core->ub() + at, queues.pairs[q]);
    at += merge.lengths[q] * 8 + random.Int(0, 4) * 8;
  }
  Bytes expected = core.Ub();
  const std::vector<Pair> merged = Merged(queues, valid, merge.stops_at_first_end);
  Put(expected.data() + kDst, merged);
  const Operands operands = merge.Footprint(*core);
  const auto written = UbBytes(operands, Use::kWrite, expected.size());
  EXPECT_EQ(std::count(written.begin(), written.end(), true), static_cast<int64_t>(merged.size()) * 8);
  core.Issue(merge);
  EXPECT_EQ(FirstDifference<uint32_t>(core.Ub(), expected), -1);
  std::array<uint16_t, 4> pairs{};
  core.Issue(ScalarReadMerged{.pairs = &pairs});
  for (size_t q = 0; q < 4; ++q) {
    EXPECT_EQ(pairs[q], queues.taken[q]) << q;
  }
}

TEST(VectorMergeSort, MergesTwoToFourQueues) {
  Random random;
  for (int i = 0; i < Repetitions(60); ++i) {
    MergesRandomQueues<float>(random);
    MergesRandomQueues<Half>(random);
  }
}

TEST(VectorMergeSort, RepeatsOnQueuesBehindEachOther) {
  Random random;
  VectorCore core;
  core.FillUb(random);
  constexpr int64_t kLength = 5;
  VectorMergeSort merge{.dst = In(Memory::kUb, kDst), .src = {}, .repeats = 3};
  Bytes expected = core.Ub();
  for (size_t r = 0; r < 3; ++r) {
    Queues queues;
    for (size_t q = 0; q < 4; ++q) {
      for (int64_t i = 0; i < kLength; ++i) {
        queues.pairs[q].push_back(RandomPair<float>(random));
      }
      Bubble(queues.pairs[q]);
      Put(expected.data() + (r * 4 + q) * kLength * 8, queues.pairs[q]);
      merge.src[q] = In(Memory::kUb, static_cast<int64_t>(q) * kLength * 8);
      merge.lengths[q] = kLength;
    }
    Put(expected.data() + kDst + r * 4 * kLength * 8, Merged(queues, 4, false));
  }
  std::memcpy(core->ub(), expected.data(), static_cast<size_t>(kDst));
  core.Issue(merge);
  EXPECT_EQ(FirstDifference<uint32_t>(core.Ub(), expected), -1);
  const auto read = UbBytes(merge.Footprint(*core), Use::kRead, expected.size());
  EXPECT_EQ(std::count(read.begin(), read.end(), true), 3 * 4 * kLength * 8);

  merge.stops_at_first_end = true;
  EXPECT_SAYS(core.FaultOf(merge), "repeatTimes = 3 has no effect here");
  merge.stops_at_first_end = false;
  merge.lengths[2] = 4;
  EXPECT_SAYS(core.FaultOf(merge), "repeatTimes = 3 has no effect here");
}

TEST(VectorMergeSort, RefusesByName) {
  VectorCore core;
  std::array<uint16_t, 4> pairs{};
  EXPECT_SAYS(core.FaultOf(ScalarReadMerged{.pairs = &pairs}), "no MrgSort came before");
  const VectorMergeSort merge{.dst = In(Memory::kUb, kDst),
                              .src = {In(Memory::kUb, 0), In(Memory::kUb, 64)},
                              .lengths = {8, 8},
                              .valid_bits = 3};
  EXPECT_EQ(core.FaultOf(merge), "(no fault)");
  VectorMergeSort other = merge;
  other.valid_bits = 5;
  EXPECT_SAYS(core.FaultOf(other), "validBit = 5, must be 3, 7 or 15");
  other = merge;
  other.lengths[1] = 4096;
  EXPECT_SAYS(core.FaultOf(other), "must be in [0, 4095]");
  other = merge;
  other.src[1] = In(Memory::kUb, 68);
  EXPECT_SAYS(core.FaultOf(other), "multiple of the 8 bytes of a pair");
  other = merge;
  other.dst = In(Memory::kUb, 64);
  EXPECT_SAYS(core.FaultOf(other), "dst must be apart from every source");
  other = merge;
  other.type = VectorType::kBf16;
  EXPECT_SAYS(core.FaultOf(other), "bf16");
  other = merge;
  other.src[1].limit = 100;
  EXPECT_SAYS(core.FaultOf(other), "src2");
}

TEST(VectorMergeSort, WithoutValuesTheQueuesEndTogether) {
  VectorCore core({.values = false, .time = true, .hazards = false});
  core.Issue(VectorMergeSort{.dst = In(Memory::kUb, kDst),
                             .src = {In(Memory::kUb, 0), In(Memory::kUb, 64), In(Memory::kUb, 256)},
                             .lengths = {8, 20, 5},
                             .valid_bits = 7,
                             .stops_at_first_end = true});
  std::array<uint16_t, 4> pairs{};
  core.Issue(ScalarReadMerged{.pairs = &pairs});
  EXPECT_EQ(pairs, (std::array<uint16_t, 4>{5, 5, 5, 0}));
}

// 6 cycles, and one for each two pairs that come out; a stop saves those that do not.
TEST(VectorSortCost, FollowsThePairs) {
  const auto busy = [](const auto& op) {
    VectorCore core;
    return core.CostOf(op).busy_cycles;
  };
  VectorMergeSort merge{
      .dst = In(Memory::kUb, kDst),
      .src = {In(Memory::kUb, 0), In(Memory::kUb, 64), In(Memory::kUb, 128), In(Memory::kUb, 192)},
      .lengths = {8, 8, 8, 8}};
  EXPECT_EQ(busy(merge), 6 + 16);
  merge.repeats = 3;
  EXPECT_EQ(busy(merge), 6 + 48);
  merge.repeats = 1;
  merge.stops_at_first_end = true;  // all scores are equal: the first queue comes first
  EXPECT_EQ(busy(merge), 6 + 4);
  EXPECT_EQ(busy(VectorSort32{.dst = In(Memory::kUb, kDst),
                              .scores = In(Memory::kUb, 0),
                              .indices = In(Memory::kUb, kThird),
                              .repeats = 4}),
            6 + 64);
  EXPECT_EQ(busy(VectorExtract{.dst = In(Memory::kUb, kDst), .src = In(Memory::kUb, 0), .repeats = 4}), 56);
}

template <class T>
void ExtractsBoth() {
  Random random;
  VectorCore core;
  core.FillUb(random);
  Bytes expected = core.Ub();
  constexpr int64_t kRepeats = 3;
  for (int64_t i = 0; i < kRepeats * 32; ++i) {
    Store(expected, Unsigned(kThird + i * static_cast<int64_t>(sizeof(T))),
          Load<T>(expected, Unsigned(i * 8)));
    Store(expected, Unsigned(kDst + i * 4), Load<uint32_t>(expected, Unsigned(i * 8 + 4)));
  }
  VectorExtract extract{
      .dst = In(Memory::kUb, kThird), .src = In(Memory::kUb, 0), .type = TypeOf<T>(), .repeats = kRepeats};
  const auto read = UbBytes(extract.Footprint(*core), Use::kRead, expected.size());
  EXPECT_TRUE(read[8]);
  EXPECT_FALSE(read[4]);
  core.Issue(extract);
  extract.dst = In(Memory::kUb, kDst);
  extract.indices = true;
  core.Issue(extract);
  EXPECT_EQ(FirstDifference<uint32_t>(core.Ub(), expected), -1);
  extract.dst = In(Memory::kUb, 256);
  EXPECT_SAYS(core.FaultOf(extract), "dst must be apart from every source");
}

TEST(VectorExtract, TakesScoresAndIndicesApart) {
  ExtractsBoth<float>();
  ExtractsBoth<Half>();
}

}  // namespace
}  // namespace tilesim::isa
