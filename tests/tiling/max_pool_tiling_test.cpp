// Tilings of the max pooling: what each rule refuses, text and bytes, the walk over loads, the planner.
#include "tiling/max_pool/max_pool_tiling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/max_pool/max_pool_legality.h"
#include "tiling/max_pool/max_pool_op_planner.h"
#include "tiling/max_pool/max_pool_text.h"

namespace tilesim {
namespace {

constexpr int64_t kUb = 196608;

PoolShape Shape() {
  const PoolAxis axis = {.in = 20, .out = 10, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  PoolShape shape;
  shape.dtype = DType::kFp16;
  shape.batch = 2;
  shape.channels = 40;
  shape.d = axis;
  shape.h = axis;
  shape.w = axis;
  return shape;
}
PoolTile Tile() { return {.lanes = 64, .d = 5, .h = 3, .w = 10, .rows = 2, .taps_w = 3, .store_rows = 1}; }

std::string WhyNotText(const MaxPoolTiling& tiling, const PoolShape& shape = Shape(), int64_t ub_bytes = kUb,
                       int64_t cores = 48) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, shape, ub_bytes, cores)) {
    text += Sentence(rejection) + "\n";
  }
  return text;
}

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

TEST(MaxPoolTiling, IsRefusedWithTheFieldThatIsWrong) {
  const auto refused = [](const auto& spoil) {
    MaxPoolTiling tiling = TilingOf(Shape(), Tile(), 48);
    spoil(tiling);
    return WhyNotText(tiling);
  };
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.ncFactor = 65; }),
            "data.ncFactor: lanes of the vector unit: found 65, must be at most 64; data.ncFactor 64 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.hyFactor = 0; }),
            "data.hyFactor: outputs along H of a block: found 0, must be at least 1; data.hyFactor 1 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.partH = 9; }),
            "data.partH: rows of x in one load: found 9, must be at most 8; data.partH 8 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.partW = 2; }),
            "data.wyFactor: 1 where a window's row comes in parts (partW below kw): found 10, must be 1; "
            "data.wyFactor 1 fits, as does data.partW 3\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.data.kh = 4; }),
            "data.kh: repeats the problem: found 4, must be 3; data.kh 3 fits\n");
  EXPECT_EQ(
      refused([](MaxPoolTiling& t) { t.split.used_cores = 3; }),
      "split.usedCoreNum: follows from data.coreNums: found 3, must be 16; split.usedCoreNum 16 fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.ignores_nan = true; }),
            "split.nan: is another problem's; propagate fits\n");
  EXPECT_EQ(refused([](MaxPoolTiling& t) { t.split.index = PoolIndex::kNhwc; }),
            "split.argmax: is another problem's; plane fits\n");
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

// What the message offers, taken at its word.
TEST(MaxPoolTiling, IsToldSmallerSizesThatFitUb) {
  const PoolTile large = {.lanes = 64, .d = 10, .h = 10, .w = 10, .rows = 8, .taps_w = 3, .store_rows = 10};
  const auto mend = [](const PoolTile& tile, int64_t ub_bytes) {
    const Rejections reasons = WhyNot(TilingOf(Shape(), tile, 48), Shape(), ub_bytes, 48);
    return reasons.empty() ? "" : reasons.back().mend;
  };
  const auto fits = [&](const PoolTile& tile, int64_t ub_bytes) { return mend(tile, ub_bytes).empty(); };
  // What is offered of that field alone: "A 9 with B 9 or C 6 fits" offers A and C. 0: nothing.
  const auto after = [](const std::string& text, const std::string& field) {
    const std::string offers = " or " + text;
    const std::string start = " or " + field + " ";
    const size_t at = offers.find(start);
    return at == std::string::npos ? 0 : std::stoll(offers.substr(at + start.size()));
  };
  constexpr int64_t kLargeUb = 4 << 20;
  const int64_t needed = MaxPoolBuffersOf(Shape(), large).total() + kSelectScratchBytes;
  ASSERT_LT(needed, kLargeUb);
  size_t offers = 0;
  for (int64_t ub_bytes = needed - 1; ub_bytes > 60000; ub_bytes -= 20011) {
    const std::string text = mend(large, ub_bytes);
    for (const auto& [field, size] : {std::pair{"data.dyFactor", &PoolTile::d},
                                      {"data.hyFactor", &PoolTile::h},
                                      {"data.wyFactor", &PoolTile::w},
                                      {"data.partH", &PoolTile::rows},
                                      {"split.storeRows", &PoolTile::store_rows}}) {
      if (const int64_t value = after(text, field); value > 0 && text.ends_with(" fits")) {
        PoolTile smaller = large;
        smaller.*size = value;
        smaller.store_rows = std::min(smaller.store_rows, smaller.h);
        EXPECT_TRUE(fits(smaller, ub_bytes)) << ub_bytes << ": " << text;
        ++offers;
      }
    }
    EXPECT_NE(text.find("fit"), std::string::npos) << ub_bytes;
  }
  EXPECT_GT(offers, 10U);
  const PoolTile least = {.lanes = 64, .d = 1, .h = 1, .w = 1, .rows = 1, .taps_w = 1, .store_rows = 1};
  const int64_t least_bytes = MaxPoolBuffersOf(Shape(), least).total() + kSelectScratchBytes;
  EXPECT_TRUE(fits(least, least_bytes));
  EXPECT_EQ(mend(least, least_bytes - 1),
            Say("nothing smaller fits: memory.ub_bytes ", least_bytes, " fits"));
  EXPECT_EQ(WhyNotText(TilingOf(Shape(), least, 48), Shape(), 64),
            Say("UB: bytes of UB, of which Select overwrites 8192 and this block takes ",
                least_bytes - kSelectScratchBytes, ": found 64, must be at least ", least_bytes,
                "; memory.ub_bytes ", least_bytes, " fits\n"));
}

// One row of `in` points, channels last, windows of 1 x 2 that do not overlap.
PoolShape LongRows(int64_t in, int64_t rows) {
  PoolShape shape;
  shape.dtype = DType::kFp32;
  shape.channels = 64;
  shape.channels_last = true;
  shape.h = {.in = rows, .out = rows, .window = 1, .stride = 1, .dilation = 1, .before = 0};
  shape.w = {.in = in, .out = in / 2, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  return shape;
}

TEST(MaxPoolTiling, MovesHave4095PointsAtMostWhereChannelsAreLast) {
  constexpr int64_t kLargeUb = 64 << 20;
  const auto why = [](const PoolShape& shape, const PoolTile& tile) {
    return WhyNotText(TilingOf(shape, tile, 1), shape, kLargeUb, 1);
  };
  const auto tile = [](int64_t w, int64_t rows, int64_t h, int64_t store_rows) {
    return PoolTile{.lanes = 64, .d = 1, .h = h, .w = w, .rows = rows, .taps_w = 2, .store_rows = store_rows};
  };
  // part of a row: 2 * w points of x
  EXPECT_EQ(why(LongRows(20000, 1), tile(2047, 1, 1, 1)), "");
  EXPECT_EQ(
      why(LongRows(20000, 1), tile(2048, 1, 1, 1)),
      "data.wyFactor: points of a row of x, the blocks of one move from GM: found 4096, must be at most "
      "4095; a smaller data.wyFactor, and at 1 a smaller data.partW, fits\n");
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
  const std::string text = ToJson(tiling).dump();
  const MaxPoolTiling read = ParseMaxPoolTiling(text, "test");
  EXPECT_TRUE(Differences(read.data, tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
  const auto bytes = ToBytes(tiling.data);
  EXPECT_TRUE(Differences(MaxPoolDataFromBytes(bytes, "test"), tiling.data).empty());
  EXPECT_THROW((void)MaxPoolDataFromBytes(std::span(bytes).first(9), "test"), UserError);
  nlohmann::ordered_json spoilt = ToJson(tiling);
  spoilt["split"]["strategy"] = "no_expand";
  spoilt["data"].erase("kd");
  spoilt["data"]["kdd"] = 1;
  try {
    (void)ParseMaxPoolTiling(spoilt.dump(), "a.json");
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

class RandomTile {
 public:
  explicit RandomTile(uint32_t seed) : random_(seed) {}
  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  PoolAxis Axis() {
    return {.in = Pick(1, 12),
            .out = Pick(1, 7),
            .window = Pick(1, 4),
            .stride = Pick(1, 4),
            .dilation = Pick(1, 3),
            .before = Pick(0, 4)};
  }

 private:
  std::mt19937 random_;
};

// Every tap of every output in bounds lies in some load of its block, in order, and nothing is loaded twice
// for a block.
TEST(PoolChunkWalk, BringsEachRowThatIsReadOnce) {
  constexpr uint32_t kSeed = 4;
  RandomTile random(kSeed);
  for (int trial = 0; trial < 300; ++trial) {
    PoolShape shape;
    shape.d = random.Axis();
    shape.h = random.Axis();
    shape.w = random.Axis();
    PoolTile tile{.lanes = 1,
                  .d = random.Pick(1, shape.d.out),
                  .h = random.Pick(1, shape.h.out),
                  .w = random.Pick(1, shape.w.out),
                  .rows = random.Pick(1, 3),
                  .taps_w = shape.w.window,
                  .store_rows = 1};
    tile.taps_w = tile.w == 1 ? random.Pick(1, shape.w.window) : shape.w.window;
    std::set<std::vector<int64_t>> loaded;  // block, d, h, first tap
    int64_t block = -1;
    for (PoolChunkWalk walk(shape, tile, {0, BlockCountsOf(shape, tile).total()}); !walk.Done();
         walk.Advance()) {
      const PoolChunk& chunk = walk.now();
      block += chunk.begins_block ? 1 : 0;
      ASSERT_LE(chunk.h.size(), tile.rows);
      for (int64_t h = chunk.h.begin; h < chunk.h.end; ++h) {
        ASSERT_TRUE(loaded.insert({block, chunk.d, h, chunk.taps.begin}).second)
            << "seed " << kSeed << ", trial " << trial;
      }
    }
    const PoolTaps d(shape.d);
    const PoolTaps h(shape.h);
    const auto read = [](const PoolTaps& taps, int64_t i, const PoolRange& outputs) {
      return taps.NextRead(i, i + 1, outputs) == i;
    };
    const int64_t parts = CeilDiv(shape.w.window, tile.taps_w);
    int64_t expected = 0;
    for (int64_t b = 0; b < BlockCountsOf(shape, tile).total(); ++b) {
      const PoolBlock at = BlockAt(b, shape, tile);
      for (int64_t i = 0; i < shape.d.in; ++i) {
        for (int64_t j = 0; j < shape.h.in; ++j) {
          const bool both = read(d, i, at.d) && read(h, j, at.h);
          expected += both ? parts : 0;
          ASSERT_EQ(loaded.contains({b, i, j, 0}), both) << "seed " << kSeed << ", trial " << trial;
        }
      }
    }
    ASSERT_EQ(static_cast<int64_t>(loaded.size()), expected) << "seed " << kSeed << ", trial " << trial;
  }
}

TEST(MaxPoolOpPlanner, PlansWhatFitsAndSaysWhy) {
  const SocConfig soc = LoadSoc("ascend910b2");
  constexpr uint32_t kSeed = 11;
  RandomTile random(kSeed);
  for (int trial = 0; trial < 200; ++trial) {
    PoolShape shape;
    shape.dtype = trial % 2 == 0 ? DType::kFp32 : DType::kBf16;
    shape.batch = random.Pick(1, 3);
    shape.channels = random.Pick(1, 300);
    shape.channels_last = trial % 3 == 0;
    shape.d = random.Axis();
    shape.h = random.Axis();
    shape.w = random.Axis();
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 48);
    ASSERT_TRUE(plan.legal) << "seed " << kSeed << ", trial " << trial;
    ASSERT_EQ(WhyNotText(plan.tiling, shape), "");
    EXPECT_LE(MaxPoolBuffersOf(shape, TileOf(plan.tiling)).total(), UsableUbBytes(soc.ub_bytes));
    EXPECT_GE(plan.explanation.size(), 4U);
    EXPECT_GT(plan.estimate.cycles(), 0);
  }
}

TEST(MaxPoolOpPlanner, HeedsThePointsOfAMoveInALargeUb) {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.ub_bytes = 8 << 20;
  for (const PoolShape& shape : {LongRows(20000, 1), LongRows(1366, 8)}) {
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 1);
    ASSERT_TRUE(plan.legal);
    EXPECT_LE(LoadedColumns(shape, TileOf(plan.tiling)), kMostMovePoints);
    EXPECT_EQ(WhyNotText(plan.tiling, shape, soc.ub_bytes, 1), "");
  }
}

TEST(MaxPoolOpPlanner, SaysWhatTheSmallestBlockNeeds) {
  SocConfig soc = LoadSoc("ascend910b2");
  PoolShape shape;
  shape.dtype = DType::kFp32;
  shape.channels = 64;
  shape.h = shape.w = {.in = 4, .out = 2, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  PoolShape last = LongRows(20000, 1);
  PoolShape wide = shape;
  wide.w = {.in = 900, .out = 1, .window = 900, .stride = 1, .dilation = 1, .before = 0};
  for (const PoolShape& each : {shape, last, wide}) {
    soc.ub_bytes = 9000;
    const MaxPoolOpPlan plan = PlanMaxPoolOp(each, soc, 1);
    EXPECT_FALSE(plan.legal);
    ASSERT_EQ(plan.reasons.size(), 1U);
    const int64_t least = plan.reasons[0].value;
    const std::string sentence = Sentence(plan.reasons[0]);
    EXPECT_TRUE(sentence.ends_with(Say("found ", least, ", must be at most ", 9000 - kSelectScratchBytes,
                                       "; this is the smallest block: memory.ub_bytes ",
                                       least + kSelectScratchBytes, " fits")))
        << sentence;
    soc.ub_bytes = least + kSelectScratchBytes;  // it does, and no less
    EXPECT_TRUE(PlanMaxPoolOp(each, soc, 1).legal) << sentence;
    soc.ub_bytes -= 1;
    EXPECT_FALSE(PlanMaxPoolOp(each, soc, 1).legal) << sentence;
  }
}

TEST(MaxPoolOpPlanner, SaysTheSameSmallestBlockInAnyUb) {
  SocConfig soc = LoadSoc("ascend910b2");
  PoolShape shape;  // a whole row of 6 takes less than a part of it
  shape.dtype = DType::kFp16;
  shape.channels = 10;
  shape.h = shape.w = {.in = 11, .out = 6, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  std::set<std::string> mends;
  for (const int64_t ub_bytes : {64, 8191, 8192, 9000, 20000}) {
    soc.ub_bytes = ub_bytes;
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 1);
    ASSERT_EQ(plan.reasons.size(), 1U) << ub_bytes;
    EXPECT_GE(plan.reasons[0].limit, 0) << Sentence(plan.reasons[0]);
    mends.insert(plan.reasons[0].mend);
  }
  EXPECT_EQ(mends.size(), 1U) << *mends.begin() << *mends.rbegin();
}

TEST(MaxPoolOpPlanner, RefusesNoCores) {
  const MaxPoolOpPlan plan = PlanMaxPoolOp(Shape(), LoadSoc("ascend910b2"), 0);
  EXPECT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1);
  EXPECT_EQ(plan.reasons[0].field, "cores");
}

}  // namespace
}  // namespace tilesim
