// Tilings of the max pooling: what each rule refuses, text and bytes.
#include "tiling/max_pool/max_pool_tiling.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tests/tiling/data_from_bytes.h"
#include "tests/tiling/pool_examples.h"
#include "tests/tiling/pool_mends.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

using testing::kUb;
using testing::LongRows;
using testing::Shape;
using testing::Tile;
using testing::WhyNotText;

TEST(MaxPoolTiling, HasTheFieldsOfTheProblemAndOfItsCuts) {
  const MaxPoolTiling tiling = TilingOf(Shape(), Tile(), 48);
  const MaxPool3DWithArgmaxTilingData& t = tiling.data;
  EXPECT_EQ(t.nc, 80U);
  EXPECT_EQ(t.pf, 1U);
  EXPECT_EQ(t.pb, 0U);  // the last window ends at 9 * 2 - 1 + 3 = 20
  EXPECT_EQ(t.ncOuter, 2U);
  EXPECT_EQ(t.ncTail, 16U);
  EXPECT_EQ(t.dyOuter, 2U);
  EXPECT_EQ(t.hyOuter, 4U);
  EXPECT_EQ(t.hyTail, 1U);
  EXPECT_EQ(t.wyOuter, 1U);
  EXPECT_EQ(t.totalIdx, 16U);
  EXPECT_EQ(t.coreNums, 16U);
  EXPECT_EQ(t.blockFactor, 1U);
  EXPECT_EQ(ShapeOf(tiling, DType::kFp16), Shape());
  EXPECT_EQ(TileOf(tiling), Tile());
  EXPECT_EQ(WhyNotText(tiling), "");
}

// What follows from it comes behind.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

TEST(MaxPoolTiling, IsRefusedWithTheFieldThatIsWrong) {
  const auto refused = [](const auto& spoil) {
    MaxPoolTiling tiling = TilingOf(Shape(), Tile(), 48);
    spoil(tiling);
    return FirstLine(WhyNotText(tiling));
  };
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.ncFactor = 65; }),
            "data.ncFactor: lanes of the vector unit: found 65, must be at most 64; data.ncFactor 64 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.hyFactor = 0; }),
            "data.hyFactor: outputs along H of a block: found 0, must be at least 1; data.hyFactor 1 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.partH = 9; }),
            "data.partH: rows of x in one load: found 9, must be at most 8; data.partH 7 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.partW = 2; }),
            "data.wyFactor: 1 where a window's row comes in parts (partW below kw): found 10, must be 1; "
            "data.partW 3 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.kh = 4; }),
            "data.kh: repeats the problem: found 4, must be 3; data.kh 3 fits\n");
  EXPECT_EQ(
      refused([](MaxPoolTiling& t) { t.split.used_cores = 3; }),
      "split.usedCoreNum: follows from data.coreNums: found 3, must be 16; split.usedCoreNum 16 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.ignores_nan = true; }),
            "split.nan: repeats the problem: found ignore, must be propagate; split.nan propagate fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.index = PoolIndex::kNhwc; }),
            "split.argmax: repeats the problem: found nhwc, must be plane; split.argmax plane fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.channels_last = !t.split.channels_last; }),
            "split.lanes: repeats the problem: found c, must be nc; split.lanes nc fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.strategy = MaxPoolStrategy::kHuge; }),
            "split.strategy: follows from data.partW: found huge, must be no_expand_indices; "
            "split.strategy no_expand_indices fits\n");
  EXPECT_NE(refused([](MaxPoolTiling& t) { t.data.maskBufferSize += 1; })
                .find("data.maskBufferSize: follows from data.hyFactor, wyFactor and partH, and the case's "
                      "dtype: found "),
            std::string::npos);
  const MaxPoolTiling whole = TilingOf(
      Shape(), {.lanes = 64, .d = 10, .h = 10, .w = 10, .rows = 8, .taps_w = 3, .store_rows = 10}, 48);
  EXPECT_NE(WhyNotText(whole).find("UB: bytes of UB: loads "), std::string::npos) << WhyNotText(whole);
  EXPECT_NE(WhyNotText(whole).find("must be at most 188416"), std::string::npos) << WhyNotText(whole);
  const MaxPoolTiling good = TilingOf(Shape(), Tile(), 48);
  EXPECT_NE(WhyNotText(good, Shape(), kUb, 4).find("data.coreNums: cores: found 16, must be at most 4"),
            std::string::npos);
}

// Every other field has a rule of its own. partD is always 1.
TEST(MaxPoolTiling, RepeatsTheProblemInTheseFields) {
  const std::set<std::string> repeating = {
      "data.nc", "data.dx",    "data.hx",     "data.wx",   "data.kd",      "data.kh",     "data.kw",
      "data.sd", "data.sh",    "data.sw",     "data.pf",   "data.pb",      "data.pl",     "data.pr",
      "data.pt", "data.pd",    "data.dy",     "data.hy",   "data.wy",      "data.dD",     "data.dH",
      "data.dW", "data.partD", "split.lanes", "split.nan", "split.argmax", "split.batch", "split.channels"};
  EXPECT_EQ(
      testing::RepeatingTheProblem(
          TilingOf(Shape(), Tile(), 48), FieldsIn<MaxPool3DWithArgmaxTilingData>(), FieldsIn<MaxPoolSplit>(),
          [](const MaxPoolTiling& wrong) { return WhyNot(wrong, Shape(), kUb, 48); }),
      repeating);
}

// Whatever number is wrong, one refusal says all that it takes.
TEST(MaxPoolTiling, IsLegalOnceAllMendsAreFollowed) {
  constexpr int64_t kCores = 48;
  const PoolTile in_parts = {.lanes = 64, .d = 1, .h = 2, .w = 1, .rows = 2, .taps_w = 2, .store_rows = 1};
  size_t refused = 0;
  struct Case {
    PoolShape shape;
    PoolTile tile;
  };
  const Case cases[] = {
      {Shape(), Tile()},
      {Shape(), in_parts},
      {LongRows(1364, 8), {.lanes = 64, .d = 1, .h = 3, .w = 20, .rows = 3, .taps_w = 2, .store_rows = 1}}};
  for (const Case& test : cases) {
    const PoolShape& shape = test.shape;
    const PoolTile& tile = test.tile;
    const MaxPoolTiling right = TilingOf(shape, tile, kCores);
    ASSERT_EQ(WhyNotText(right, shape), "");
    testing::ForEachSpoiltNumber(JsonOf(right), [&](const std::string& what, const std::string& spoilt) {
      const Rejections reasons = WhyNot(ParseTiling<MaxPoolTiling>(spoilt, "a.json"), shape, kUb, kCores);
      refused += reasons.empty() ? 0 : 1;
      const MaxPoolTiling mended = ParseTiling<MaxPoolTiling>(testing::Mended(spoilt, reasons), "a.json");
      EXPECT_EQ(WhyNotText(mended, shape, kUb, kCores), "") << what;
    });
  }
  EXPECT_GT(refused, 500U);
}

// Rows of a store are bounded by those of a block, here by what these must be.
TEST(MaxPoolTiling, IsLegalOnceMendsOfTwoNumbersAreFollowed) {
  nlohmann::ordered_json spoilt = ParseOrderedJson(JsonOf(TilingOf(Shape(), Tile(), 48)));
  spoilt["data"]["hyFactor"] = 1000000;
  spoilt["split"]["storeRows"] = 12;  // of 10
  constexpr int64_t kLargeUb = 4 << 20;
  const Rejections reasons =
      WhyNot(ParseTiling<MaxPoolTiling>(Dump(spoilt), "a.json"), Shape(), kLargeUb, 48);
  const std::string mended = testing::Mended(Dump(spoilt), reasons);
  EXPECT_EQ(WhyNotText(ParseTiling<MaxPoolTiling>(mended, "a.json"), Shape(), kLargeUb), "");
}

// Rows that move whole are packed: parts of them take more of UB.
TEST(MaxPoolTiling, IsToldWholeRowsWhereOnlyTheyFit) {
  PoolShape shape = Shape();
  shape.batch = 3;
  shape.channels = 10;
  shape.d = {.in = 24, .out = 4, .window = 2, .stride = 6, .dilation = 1, .before = 0};
  shape.h = {.in = 8, .out = 2, .window = 2, .stride = 3, .dilation = 3, .before = 1};
  shape.w = {.in = 16, .out = 3, .window = 4, .stride = 6, .dilation = 1, .before = 1};
  PoolTile tile = {.lanes = 30, .d = 1, .h = 1, .w = 3, .rows = 1, .taps_w = 4, .store_rows = 1};
  const int64_t ub_bytes = MaxPoolBuffersOf(shape, tile).total() + kSelectScratchBytes;
  ASSERT_EQ(WhyNotText(TilingOf(shape, tile, 48), shape, ub_bytes), "");
  tile.w = 2;
  const Rejections reasons = WhyNot(TilingOf(shape, tile, 48), shape, ub_bytes, 48);
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons.front().mend, "data.wyFactor 3 fits");
}

TEST(MaxPoolTiling, OfAnotherProblemIsNotMendedFieldByField) {
  PoolShape larger = Shape();
  larger.batch = 4;
  EXPECT_EQ(WhyNotText(TilingOf(Shape(), Tile(), 48), larger),
            "data.nc: repeats the problem: found 80, must be 160\n"
            "split.batch: repeats the problem: found 2, must be 4; other fields are of another problem, too: "
            "plan this one\n");
}

TEST(MaxPoolTiling, IsToldSmallerSizesThatFitUb) {
  const PoolTile large = {.lanes = 64, .d = 10, .h = 10, .w = 10, .rows = 8, .taps_w = 3, .store_rows = 10};
  const int64_t needed = MaxPoolBuffersOf(Shape(), large).total() + kSelectScratchBytes;
  const std::string tiling = JsonOf(TilingOf(Shape(), large, 48));
  for (int64_t ub_bytes = needed - 1; ub_bytes > 60000; ub_bytes -= 20011) {
    const Rejections reasons = WhyNot(TilingOf(Shape(), large, 48), Shape(), ub_bytes, 48);
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(reasons.front().field, "UB");
    const std::string mended = testing::Mended(tiling, reasons);
    EXPECT_EQ(WhyNotText(ParseTiling<MaxPoolTiling>(mended, "a.json"), Shape(), ub_bytes), "")
        << reasons.front().mend;
  }
  const auto mend = [](const PoolTile& tile, int64_t ub_bytes) {
    const Rejections reasons = WhyNot(TilingOf(Shape(), tile, 48), Shape(), ub_bytes, 48);
    return reasons.empty() ? "" : reasons.front().mend;
  };
  const PoolTile least = {.lanes = 64, .d = 1, .h = 1, .w = 1, .rows = 1, .taps_w = 1, .store_rows = 1};
  const int64_t least_bytes = MaxPoolBuffersOf(Shape(), least).total() + kSelectScratchBytes;
  EXPECT_EQ(mend(least, least_bytes), "");
  EXPECT_EQ(mend(least, least_bytes - 1), Say("memory.ub_bytes ", least_bytes, " fits"));
  EXPECT_EQ(WhyNotText(TilingOf(Shape(), least, 48), Shape(), 64),
            Say("UB: bytes of UB, of which Select overwrites 8192 and this block takes ",
                least_bytes - kSelectScratchBytes, ": found 64, must be at least ", least_bytes,
                "; memory.ub_bytes ", least_bytes, " fits\n"));
}

TEST(MaxPoolTiling, MovesHave4095PointsAtMostWhereChannelsAreLast) {
  constexpr int64_t kLargeUb = 64 << 20;
  const auto why = [](const PoolShape& shape, const PoolTile& tile) {
    return FirstLine(WhyNotText(TilingOf(shape, tile, 1), shape, kLargeUb, 1));
  };
  const auto tile = [](int64_t w, int64_t rows, int64_t h, int64_t store_rows) {
    return PoolTile{.lanes = 64, .d = 1, .h = h, .w = w, .rows = rows, .taps_w = 2, .store_rows = store_rows};
  };
  // part of a row: 2 * w points of x
  EXPECT_EQ(why(LongRows(20000, 1), tile(2047, 1, 1, 1)), "");
  EXPECT_EQ(
      why(LongRows(20000, 1), tile(2048, 1, 1, 1)),
      "data.wyFactor: points of a row of x, the blocks of one move from GM: found 4096, must be at most "
      "4095; data.wyFactor 2047 fits\n");
  // whole rows come together
  EXPECT_EQ(why(LongRows(1364, 8), tile(682, 3, 3, 1)), "");
  EXPECT_EQ(why(LongRows(1366, 8), tile(683, 3, 3, 1)),
            "data.partH: points of whole rows of x, the blocks of one move from GM: found 4098, must be at "
            "most 4095; data.partH 2 fits\n");
  EXPECT_EQ(why(LongRows(1366, 8), tile(682, 8, 8, 8)), "");  // rows are cut: each moves alone
  EXPECT_EQ(why(LongRows(1170, 8), tile(585, 1, 8, 7)), "");
  EXPECT_EQ(
      why(LongRows(1170, 8), tile(585, 1, 8, 8)),
      "split.storeRows: points of whole rows of y, the blocks of one move to GM: found 4680, must be at "
      "most 4095; split.storeRows 7 fits\n");
  PoolShape padded = LongRows(4, 1);  // more outputs than inputs
  padded.w.stride = 1;
  padded.w.before = 4000;
  padded.w.out = 4096;
  EXPECT_EQ(why(padded, tile(4095, 1, 1, 1)), "");
  EXPECT_EQ(why(padded, tile(4096, 1, 1, 1)),
            "data.wyFactor: points of a row of y, the blocks of one move to GM: found 4096, must be at most "
            "4095; data.wyFactor 4095 fits\n");
  PoolShape first = LongRows(20000, 1);
  first.channels_last = false;  // the blocks of a move are lanes
  EXPECT_EQ(why(first, tile(2048, 1, 1, 1)), "");
}

TEST(MaxPoolTiling, ComesBackFromTextAndBytes) {
  MaxPoolTiling tiling = TilingOf(Shape(), Tile(), 48);
  tiling.split.channels_last = true;
  tiling.split.ignores_nan = true;
  tiling.split.index = PoolIndex::kBatchNhwc;
  const std::string text = JsonOf(tiling);
  const MaxPoolTiling read = ParseTiling<MaxPoolTiling>(text, "test");
  EXPECT_TRUE(DifferentFields(FieldsIn<MaxPool3DWithArgmaxTilingData>(), &read.data, &tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
  const auto bytes = ToBytes(tiling.data);
  EXPECT_EQ(std::memcmp(bytes.data(), &tiling.data, bytes.size()), 0);
  EXPECT_EQ(
      ToBytes(DataFromBytes<MaxPool3DWithArgmaxTilingData>(bytes, "MaxPool3DWithArgmaxTilingData", "test")),
      bytes);
  EXPECT_THROW((void)DataFromBytes<MaxPool3DWithArgmaxTilingData>(std::span(bytes).first(9),
                                                                  "MaxPool3DWithArgmaxTilingData", "test"),
               UserError);
  nlohmann::ordered_json spoilt = ParseOrderedJson(JsonOf(tiling));
  spoilt["split"]["strategy"] = "no_expand";
  spoilt["data"].erase("kd");
  spoilt["data"]["kdd"] = 1;
  try {
    (void)ParseTiling<MaxPoolTiling>(Dump(spoilt), "a.json");
    FAIL() << "was taken";
  } catch (const UserError& error) {
    const std::string why = error.what();
    EXPECT_NE(why.find("a.json"), std::string::npos) << why;
    EXPECT_NE(why.find("split.strategy = \"no_expand\"; did you mean no_expand_indices? must be one of "
                       "no_expand_indices, huge"),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("kdd"), std::string::npos) << why;
    EXPECT_NE(why.find("data.kd"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace tilesim
