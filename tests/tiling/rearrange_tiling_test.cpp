// Tilings of transposes and layout conversions: what each rule refuses, text, boxes of runs, the planner.
#include "tiling/rearrange/rearrange_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tiling/rearrange/rearrange_planner.h"

namespace tilesim {
namespace {

constexpr int64_t kUbBytes = 196608;
constexpr int64_t kCores = 48;

// A row-major tensor of `extents` to one whose axis k is its axis perm[k].
RearrangeShape Transposed(const std::vector<int64_t>& extents, const std::vector<size_t>& perm,
                          int64_t element_bytes) {
  std::vector<int64_t> to(extents.size());
  int64_t stride = 1;
  for (size_t k = perm.size(); k-- > 0;) {
    to[perm[k]] = stride;
    stride *= extents[perm[k]];
  }
  RearrangeShape shape;
  shape.element_bytes = element_bytes;
  std::vector<RearrangeDigit> digits(extents.size());
  stride = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    digits[axis] = {.extent = extents[axis], .src_stride = stride, .dst_stride = to[axis]};
    stride *= extents[axis];
  }
  for (const RearrangeDigit& digit : digits) {
    shape.Add(digit);
  }
  return shape;
}

// A 300 x 70 matrix of fp16, turned in tiles of 3 x 21.
RearrangeShape Matrix() { return Transposed({300, 70}, {1, 0}, 2); }
RearrangeTiling Tiling() {
  RearrangeTiling tiling;
  tiling.data.extent = {300, 70, 1, 1, 1, 1, 1, 1};
  tiling.data.tile = {3, 21, 1, 1, 1, 1, 1, 1};
  tiling.data.colDigits = 1;
  tiling.data.rowDigits = 1;
  tiling.data.inPitch = 2;
  tiling.data.outPitch = 1;
  tiling.data.bufferNum = 2;
  tiling.split.strategy = RearrangeStrategy::kTransposes;
  tiling.split.used_cores = 48;
  return tiling;
}

std::string WhyNotText(const RearrangeTiling& tiling, const RearrangeShape& shape = Matrix()) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, shape, kUbBytes, kCores)) {
    text += (text.empty() ? "" : "\n") + Sentence(rejection);
  }
  return text;
}

std::string With(std::initializer_list<std::pair<std::string_view, uint64_t>> changes) {
  RearrangeTiling tiling = Tiling();
  for (const auto& [name, value] : changes) {
    for (const TilingField& field : FieldsIn<RearrangeTilingData>()) {
      if (field.name == name) {
        WriteField(&tiling.data, field, value);
      }
    }
  }
  return WhyNotText(tiling);
}

TEST(RearrangeTiling, RefusesEachValueInWords) {
  EXPECT_EQ(WhyNotText(Tiling()), "");
  EXPECT_EQ(With({{"extent0", 299}}),
            "data.extent0: follows from the problem: found 299, must be 300; data.extent0 300 fits");
  EXPECT_EQ(With({{"tile1", 71}}),
            "data.tile1: steps of a digit in a tile: found 71, must be at most 70; data.tile1 70 fits");
  EXPECT_EQ(With({{"tile2", 0}}),
            "data.tile2: steps of a digit in a tile: found 0, must be 1; data.tile2 1 fits");
  EXPECT_EQ(With({{"colDigits", 0}}),
            "data.colDigits: digits of a row as loaded: found 0, must be at least 1; data.colDigits 1 fits");
  EXPECT_EQ(With({{"colDigits", 3}}),
            "data.colDigits: digits that make one run: found 3, must be at most 2; data.colDigits 2 fits");
  EXPECT_EQ(With({{"rowDigits", 2}, {"tile0", 300}}),
            "data.rowDigits: digits of the destination's run, none of which is one of the source's: found 2, "
            "must be at most 1; data.rowDigits 1 fits");
  EXPECT_EQ(With({{"bufferNum", 0}}),
            "data.bufferNum: buffers of a queue: found 0, must be at least 1; data.bufferNum 1 fits");
}

TEST(RearrangeTiling, RefusesAPartOfADigitWithinARun) {
  EXPECT_EQ(
      With({{"colDigits", 2}, {"rowDigits", 1}, {"tile0", 1}}),
      "data.tile1: within a run of 2 digits (data.colDigits) all but the last are whole: found 21, must be "
      "70; data.tile1 70 fits");
}

TEST(RearrangeTiling, RefusesTheStrategyThatDoesNotDoIt) {
  RearrangeTiling runs = Tiling();
  runs.split.strategy = RearrangeStrategy::kRuns;
  runs.data.rowDigits = 0;
  EXPECT_EQ(
      WhyNotText(runs),
      "split.strategy: with these innermost digits it is transposes, rowDigits at least 1; transposes fits");
}

// 21 columns of fp16 take two data blocks, 3 rows (16 where they are turned) one.
TEST(RearrangeTiling, RefusesAPitchOneBlockTooSmallAndOneTooLarge) {
  EXPECT_EQ(With({{"inPitch", 1}}),
            "data.inPitch: data blocks from row to row as loaded: found 1, must be at least 2; data.inPitch "
            "2 fits");
  EXPECT_EQ(
      With({{"outPitch", 0}}),
      "data.outPitch: data blocks from row to row as stored: found 0, must be at least 1; data.outPitch 1 "
      "fits");
  EXPECT_EQ(With({{"outPitch", 2048}}),
            "data.outPitch: data blocks from row to row as stored: found 2048, must be at most 2047; "
            "data.outPitch 2047 fits");
}

// Two buffers of 16 rows of `inPitch` and 32 columns of 1 data block.
TEST(RearrangeTiling, RefusesMoreThanUbHolds) {
  EXPECT_EQ(With({{"inPitch", 190}}), "");  // 2 * (16 * 190 + 32) * 32 = 196608
  EXPECT_EQ(With({{"inPitch", 191}}),
            "UB: bytes of UB: found 197632, must be at most 196608; smaller tiles fit");
}

TEST(RearrangeTiling, ReadsWhatItWrites) {
  const RearrangeTiling read = ParseTiling<RearrangeTiling>(JsonOf(Tiling()), "here");
  EXPECT_EQ(JsonOf(read), JsonOf(Tiling()));
  nlohmann::ordered_json json = ParseOrderedJson(JsonOf(Tiling()));
  json["data"].erase("tile7");
  json["split"]["strategy"] = "rows";
  try {
    ParseTiling<RearrangeTiling>(Dump(json), "here");
    FAIL() << "was read";
  } catch (const UserError& error) {
    for (const std::string_view part : {"here", "data.tile7", "\"rows\"", "runs", "transposes"}) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  }
}

TEST(BoxOfRuns, JoinsRunsThatLieBehindEachOtherOnBothSides) {
  BoxOfRuns box;
  box.run = 16;
  box.Add({.count = 4, .gm_stride = 100, .ub_stride = 8});
  box.Add({.count = 3, .gm_stride = 16, .ub_stride = 1});  // data blocks of 16 elements
  box.Add({.count = 1, .gm_stride = 7, .ub_stride = 7});
  EXPECT_EQ(box.pieces(), 12);
  box.Join(16);
  EXPECT_EQ(box.run, 48);
  ASSERT_EQ(box.num_loops, 1u);
  EXPECT_EQ(box.loops[0].count, 4);
  box.lead = 1;
  box.loops[0] = {.count = 4, .gm_stride = 48, .ub_stride = 3};
  box.Join(16);
  EXPECT_EQ(box.num_loops, 1u) << "what begins within a data block stays apart";
}

// Every element is loaded once and stored once, whatever the tiling, and every core's tiles are its own.
TEST(TileMoves, TouchEachElementOnce) {
  std::mt19937_64 random(20261121);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> extents(2 + random() % 4);
    std::vector<size_t> perm(extents.size());
    int64_t elements = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
      extents[i] = 2 + static_cast<int64_t>(random() % 11);
      perm[i] = i;
      elements *= extents[i];
    }
    std::shuffle(perm.begin(), perm.end(), random);
    const RearrangeShape shape = Transposed(extents, perm, int64_t{1} << random() % 4);
    const RearrangePlanned planned = PlanRearrange(shape, LoadSoc("unit"), 3);
    ASSERT_TRUE(planned.legal) << Sentence(planned.reasons.front());
    const TileMoves moves(shape, planned.tiling.data);
    std::vector<int> loaded(static_cast<size_t>(elements));
    std::vector<int> stored(loaded.size());
    const auto count = [](std::vector<int>& seen) {
      return [&seen](const BoxOfRuns& box) {
        for (int64_t piece = 0; piece < box.pieces(); ++piece) {
          int64_t at = box.gm_offset;
          int64_t rest = piece;
          for (size_t i = 0; i < box.num_loops; ++i) {
            at += rest % box.loops[i].count * box.loops[i].gm_stride;
            rest /= box.loops[i].count;
          }
          for (int64_t i = 0; i < box.run; ++i) {
            ++seen.at(static_cast<size_t>(at + i));
          }
        }
      };
    };
    for (int64_t tile = 0; tile < TilesOf(shape, planned.tiling.data); ++tile) {
      moves.ForEachLoad(TileAt(shape, planned.tiling.data, tile), count(loaded));
      moves.ForEachStore(TileAt(shape, planned.tiling.data, tile), count(stored));
    }
    EXPECT_EQ(std::ranges::count(loaded, 1), elements) << "round " << round;
    EXPECT_EQ(std::ranges::count(stored, 1), elements) << "round " << round;
  }
}

// A core more costs its launch, a transpose the scalar unit's issue: both are the part's figures.
TEST(RearrangePlanner, HeedsTheFiguresOfThePart) {
  const RearrangeShape shape = Transposed({64, 64}, {1, 0}, 2);
  const auto plan = [&](std::vector<std::string> set) {
    return PlanRearrange(shape, LoadSoc("ascend910b2", set), kCores);
  };
  EXPECT_EQ(plan({"launch.us_per_core=0.05"}).tiling.split.used_cores, 1);
  EXPECT_GT(plan({"launch.us_per_core=0"}).tiling.split.used_cores, 4);
  const RearrangeShape large = Transposed({512, 2048}, {1, 0}, 2);
  const std::vector<std::string> slow = {"scalar.issue_cycles=1000"};
  EXPECT_GT(PlanRearrange(large, LoadSoc("ascend910b2", slow), kCores).cycles,
            2 * PlanRearrange(large, LoadSoc("ascend910b2"), kCores).cycles);
}

TEST(RearrangePlanner, MovesByRunsWhereTheInnermostAxisStays) {
  const std::vector<std::string> free_launch = {"launch.us_per_core=0"};
  const SocConfig soc = LoadSoc("ascend910b2", free_launch);
  const RearrangePlanned runs = PlanRearrange(Transposed({8, 6, 128}, {1, 0, 2}, 2), soc, kCores);
  ASSERT_TRUE(runs.legal);
  EXPECT_EQ(runs.tiling.split.strategy, RearrangeStrategy::kRuns);
  const RearrangePlanned turned = PlanRearrange(Transposed({256, 512}, {1, 0}, 2), soc, kCores);
  ASSERT_TRUE(turned.legal);
  EXPECT_EQ(turned.tiling.split.strategy, RearrangeStrategy::kTransposes);
  EXPECT_EQ(turned.tiling.split.used_cores, kCores);
  EXPECT_GT(turned.tried, 10);
  const std::vector<std::string> why =
      Explained(turned.tiling, Transposed({256, 512}, {1, 0}, 2), soc.ub_bytes);
  ASSERT_EQ(why.size(), 2u);
  EXPECT_NE(why[0].find("elements, turned in UB, on 48 cores"), std::string::npos) << why[0];
}

}  // namespace
}  // namespace tilesim
