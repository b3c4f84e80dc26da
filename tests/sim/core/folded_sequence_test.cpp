// A folded sequence against a vector of the same numbers.
#include "sim/core/folded_sequence.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/test_seed.h"

namespace tilesim {
namespace {

struct Both {
  std::vector<uint32_t> plain;
  FoldedSequence folded;
  void Add(uint32_t number) {
    plain.push_back(number);
    folded.push_back(number);
  }
};

void ExpectSameFrom(const Both& both, size_t first) {
  FoldedSequence::Cursor cursor(both.folded, first);
  for (size_t i = first; i < both.plain.size(); ++i, ++cursor) {
    ASSERT_FALSE(cursor.AtEnd()) << i;
    ASSERT_EQ(cursor.place(), i);
    ASSERT_EQ(*cursor, both.plain[i]) << i;
  }
  ASSERT_TRUE(cursor.AtEnd());
}

// Loops of bodies of few kinds of numbers, of which some ends are taken back.
TEST(FoldedSequence, IsAVectorOfItsNumbers) {
  std::mt19937_64 random(testing::TestSeed());
  const auto below = [&](uint64_t n) { return random() % n; };
  size_t numbers = 0, kept = 0;
  for (int round = 0; round < 2000; ++round) {
    Both both;
    for (uint64_t loops = 1 + below(6); loops > 0; --loops) {
      std::vector<uint32_t> body(1 + below(9));
      for (uint32_t& number : body) {
        number = static_cast<uint32_t>(below(1 + below(6)));
      }
      const uint64_t length = below(200);
      for (uint64_t i = 0; i < length; ++i) {
        both.Add(body[i % body.size()]);
      }
      for (uint64_t cut = below(3) == 0 ? below(60) : 0; cut > 0 && !both.plain.empty(); --cut) {
        ASSERT_EQ(both.folded.back(), both.plain.back());
        both.plain.pop_back();
        both.folded.pop_back();
      }
    }
    ASSERT_EQ(both.folded.size(), both.plain.size());
    ExpectSameFrom(both, 0);
    ExpectSameFrom(both, below(both.plain.size() + 1));
    numbers += both.plain.size();
    kept += both.folded.literals();
  }
  EXPECT_LT(kept, numbers / 3);
}

// Sixteen times a row of sixteen, and what is between them.
TEST(FoldedSequence, KeepsOneRoundOfEachInnerLoop) {
  Both both;
  for (uint32_t row = 0; row < 1000; ++row) {
    for (uint32_t i = 0; i < 16 * 16; ++i) {
      both.Add(i % 16);
    }
    both.Add(100);
  }
  EXPECT_EQ(both.folded.literals(), size_t{1000} * 17);
  EXPECT_EQ(both.folded.folds(), size_t{1000});
  ExpectSameFrom(both, 0);
}

}  // namespace
}  // namespace tilesim
