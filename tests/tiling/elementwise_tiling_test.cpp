// Tilings of copies, fills and sums: what each rule refuses, text, tiles, the planner.
#include "tiling/elementwise/elementwise_tiling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tiling/elementwise/elementwise_planner.h"

namespace tilesim {
namespace {

constexpr int64_t kUbBytes = 196608;
constexpr int64_t kCores = 48;

ElementwiseShape Shape(ElementwiseKind kind = ElementwiseKind::kAdd, DType dtype = DType::kFp16,
                       int64_t elements = 64 * 1000) {
  return {.kind = kind, .dtype = dtype, .elements = elements};
}

ElementwiseTiling Tiling() {
  ElementwiseTiling tiling;
  tiling.data = {.rows = 64,
                 .columns = 1000,
                 .tileRows = 3,
                 .tileColumns = 500,
                 .bufferNum = 2,
                 .bufferBytes = 3072,
                 .l2Bypass = 0};
  tiling.split.used_cores = 8;
  return tiling;
}

std::string WhyNotText(const ElementwiseTiling& tiling, const ElementwiseShape& shape = Shape()) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, shape, kUbBytes, kCores)) {
    text += (text.empty() ? "" : "\n") + Sentence(rejection);
  }
  return text;
}

std::string With(std::string_view name, uint64_t value) {
  ElementwiseTiling tiling = Tiling();
  for (const TilingField& field : FieldsIn<ElementwiseTilingData>()) {
    if (field.name == name) {
      WriteField(&tiling.data, field, value);
    }
  }
  return WhyNotText(tiling);
}

TEST(ElementwiseTiling, RefusesEachValueInWords) {
  EXPECT_EQ(WhyNotText(Tiling()), "");
  EXPECT_EQ(
      With("rows", 0),
      "data.rows: rows of the tensor: found 0, must be at least 1; data.rows 1 fits\n"
      "data.tileRows: rows of a tile, the blocks of one move: found 3, must be 1; data.tileRows 1 fits");
  EXPECT_EQ(With("rows", 63),
            "data.columns: rows times columns are the elements of the tensor: found 1000, must be 1015; with "
            "data.rows 1, data.columns 64000 fits");
  EXPECT_EQ(With("tileRows", 65),
            "data.tileRows: rows of a tile, the blocks of one move: found 65, must be at most 64; "
            "data.tileRows 64 fits");
  EXPECT_EQ(
      With("tileColumns", 1001),
      "data.tileColumns: columns of a tile: found 1001, must be at most 1000; data.tileColumns 1000 fits");
  EXPECT_EQ(With("bufferNum", 3),
            "data.bufferNum: buffers of a queue: found 3, must be at most 2; data.bufferNum 2 fits");
  EXPECT_EQ(With("l2Bypass", 2),
            "data.l2Bypass: the cache hint: found 2, must be at most 1; data.l2Bypass 1 fits");
  ElementwiseTiling many = Tiling();
  many.split.used_cores = 49;
  EXPECT_EQ(WhyNotText(many),
            "split.usedCoreNum: cores: found 49, must be at most 48; split.usedCoreNum 48 fits");
}

// 3 rows of 500 fp16 take 3 * 1024 bytes: a row starts in a data block.
TEST(ElementwiseTiling, RefusesABufferOneByteTooSmall) {
  EXPECT_EQ(With("bufferBytes", 3072), "");
  EXPECT_EQ(With("bufferBytes", 3071),
            "data.bufferBytes: bytes of a tile, which one buffer holds: found 3071, must be at least 3072; "
            "data.bufferBytes 3072 fits");
}

// Three queues of two buffers: a sixth of UB each.
TEST(ElementwiseTiling, RefusesMoreThanUbHolds) {
  EXPECT_EQ(With("bufferBytes", kUbBytes / 6), "");
  EXPECT_EQ(With("bufferBytes", kUbBytes / 6 + 1),
            "UB: bytes of UB: found 196800, must be at most 196608; smaller tiles fit");
  EXPECT_EQ(With("bufferBytes", uint64_t{1} << 62),
            "UB: bytes of UB: found 4611686018427387904, must be at most 196608; smaller tiles fit");
}

TEST(ElementwiseTiling, RefusesAMoveThatNoInstructionMakes) {
  const int64_t columns = int64_t{1} << 31;
  ElementwiseTiling tiling = Tiling();
  tiling.data = {.rows = 2,
                 .columns = static_cast<uint64_t>(columns),
                 .tileRows = 2,
                 .tileColumns = 16,
                 .bufferNum = 1,
                 .bufferBytes = 512,
                 .l2Bypass = 0};
  const ElementwiseShape large = Shape(ElementwiseKind::kCopy, DType::kFp32, 2 * columns);
  EXPECT_EQ(
      WhyNotText(tiling, large),
      "data.tileRows: bytes between the rows of a tile, the gap of one move: found 8589934528, must be at "
      "most 4294967295; data.tileRows 1 fits");
  tiling.data.tileRows = 1;
  EXPECT_EQ(WhyNotText(tiling, large), "");
  tiling.data.tileColumns = 524288;
  EXPECT_EQ(WhyNotText(tiling, large),
            "data.tileColumns: bytes of a tile's row, one block of a move: found 2097152, must be at most "
            "2097151; data.tileColumns 524287 fits");
}

TEST(ElementwiseTiling, ReadsWhatItWrites) {
  const ElementwiseTiling tiling = Tiling();
  const ElementwiseTiling read = ParseTiling<ElementwiseTiling>(JsonOf(tiling), "here");
  EXPECT_EQ(JsonOf(read), JsonOf(tiling));
  EXPECT_EQ(read.data.tileColumns, 500u);
  EXPECT_EQ(read.split.used_cores, 8);
}

TEST(ElementwiseTiling, NamesEverythingThatIsWrongInAText) {
  nlohmann::ordered_json json = ParseOrderedJson(JsonOf(Tiling()));
  json["data"].erase("rows");
  json["data"]["colums"] = 1;
  json["split"]["strategy"] = "rows_by_core";
  try {
    ParseTiling<ElementwiseTiling>(Dump(json), "here");
    FAIL() << "was read";
  } catch (const UserError& error) {
    for (const std::string_view part :
         {"here", "data.rows", "data.colums", "rows_by_core", "tiles_by_core"}) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  }
}

TEST(ElementwiseTiling, GivesEachTileToOneCore) {
  for (const int64_t tiles : {1, 5, 47, 48, 49, 1000}) {
    for (const int64_t cores : {1, 7, 48}) {
      EXPECT_EQ(FirstTileOf(0, cores, tiles), 0);
      EXPECT_EQ(FirstTileOf(cores, cores, tiles), tiles);
      for (int64_t core = 0; core < cores; ++core) {
        const int64_t taken = FirstTileOf(core + 1, cores, tiles) - FirstTileOf(core, cores, tiles);
        EXPECT_GE(taken, tiles / cores);
        EXPECT_LE(taken, CeilDiv(tiles, cores));
      }
    }
  }
}

TEST(ElementwisePlanner, GivesLegalTilingsForAnySizeTypePartAndCores) {
  std::mt19937_64 random(20261121);
  for (const char* const part : {"ascend910b2", "unit"}) {
    const SocConfig soc = LoadSoc(part);
    for (int round = 0; round < 400; ++round) {
      const auto kind = static_cast<ElementwiseKind>(round % 3);
      const DType dtype = kAllDTypes[random() % std::size(kAllDTypes)];
      const int64_t elements = 1 + static_cast<int64_t>(random() % (uint64_t{1} << (1 + random() % 36)));
      const int64_t cores = 1 + static_cast<int64_t>(random() % 48);
      const ElementwiseShape shape = Shape(kind, dtype, elements);
      const ElementwiseTiling tiling = PlanElementwiseTiles(shape, soc, cores);
      const Rejections reasons = WhyNot(tiling, shape, soc.ub_bytes, cores);
      EXPECT_TRUE(reasons.empty()) << part << " " << elements << " " << Name(dtype) << ": "
                                   << Sentence(reasons.front());
    }
  }
}

// A core more costs its launch: it is started where it gains more than that.
TEST(ElementwisePlanner, StartsTheCoresThatGainMoreThanTheirLaunch) {
  const ElementwiseShape small = Shape(ElementwiseKind::kMemSet, DType::kFp32, 64 * 64);
  const auto cores = [&](const ElementwiseShape& shape, const char* launch) {
    const std::vector<std::string> set = {launch};
    return PlanElementwiseTiles(shape, LoadSoc("ascend910b2", set), kCores).split.used_cores;
  };
  EXPECT_LE(cores(small, "launch.us_per_core=0.05"), 2);
  EXPECT_GT(cores(small, "launch.us_per_core=0"), 4);
  const ElementwiseShape large = Shape(ElementwiseKind::kAdd, DType::kFp16, 256 * 256);
  const int64_t some = cores(large, "launch.us_per_core=0.05");
  EXPECT_GT(some, 2);
  EXPECT_LT(some, 24);
}

TEST(ElementwisePlanner, UsesAllCoresAndSaysWhatItDoes) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const ElementwiseShape shape = Shape(ElementwiseKind::kAdd, DType::kFp16, 2048 * 2048);
  const ElementwiseTiling tiling = PlanElementwiseTiles(shape, soc, 12);
  EXPECT_EQ(tiling.split.used_cores, 12);
  EXPECT_EQ(tiling.data.bufferNum, 2u);
  const std::vector<std::string> why = Explained(tiling, shape, soc.ub_bytes);
  ASSERT_EQ(why.size(), 2u);
  EXPECT_NE(why[0].find("elements of fp16 on 12 cores, at most "), std::string::npos) << why[0];
  EXPECT_NE(why[1].find("3 queues of 2 x "), std::string::npos) << why[1];
}

}  // namespace
}  // namespace tilesim
