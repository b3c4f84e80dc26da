// Tilings of the matrix product: what each rule refuses, text and bytes.
#include "tiling/matmul/matmul_tiling.h"

#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tests/tiling/data_from_bytes.h"
#include "tests/tiling/full_matmul_tiling.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_text.h"

namespace tilesim {
namespace {

using testing::MatmulExample;
using testing::Tiling;

std::string WhyNotText(const MatmulTiling& tiling, const MatmulShape& shape = MatmulExample(),
                       int64_t cores = 24) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, shape, CoreMemory{}, cores)) {
    text += (text.empty() ? "" : "\n") + Sentence(rejection);
  }
  return text;
}

struct Change {
  std::string_view field;
  uint32_t value;
};
MatmulTiling With(std::initializer_list<Change> changes) {
  MatmulTiling tiling = Tiling();
  for (const Change& change : changes) {
    bool found = false;
    for (const TilingField& field : FieldsIn<MatmulTilingData>()) {
      if (field.name == change.field) {
        WriteField(&tiling.data, field, change.value);
        found = true;
      }
    }
    for (const TilingField& field : FieldsIn<MatmulSplit>()) {
      if (field.name == change.field) {
        WriteField(&tiling.split, field, change.value);
        found = true;
      }
    }
    EXPECT_TRUE(found) << change.field;
  }
  tiling.split.used_cores = tiling.data.usedCoreNum;
  return tiling;
}

TEST(MatmulLegality, TakesATilingThatFillsEveryMemory) {
  EXPECT_EQ(WhyNotText(Tiling()), "");
  const MatmulBytes bytes = MatmulBytesOf(Tiling().data, DType::kFp16);
  EXPECT_EQ(bytes.l1, CoreMemory{}.l1_bytes);
  EXPECT_EQ(bytes.l0b, CoreMemory{}.l0b_bytes);
  EXPECT_EQ(bytes.l0c, CoreMemory{}.l0c_bytes);
}

TEST(MatmulLegality, RefusesWhatIsOneStepBeyond) {
  struct Row {
    std::initializer_list<Change> changes;
    std::string_view words;
  };
  const Row rows[] = {
      {{{"M", 1001}}, "matmulTiling.M: rows of A and C: found 1001, must be 1000; matmulTiling.M 1000 fits"},
      {{{"N", 1535}}, "matmulTiling.N: columns of B and C: found 1535, must be 1536"},
      {{{"Ka", 2049}}, "matmulTiling.Ka: K of A: found 2049, must be 2048"},
      {{{"Kb", 2047}}, "matmulTiling.Kb: K of B: found 2047, must be 2048"},
      {{{"baseM", 120}},
       "matmulTiling.baseM: m of a Mmad, whole fractals: found 120, must be a multiple of 16"},
      {{{"baseM", 0}}, "matmulTiling.baseM: m of a Mmad, whole fractals: found 0, must be at least 16"},
      {{{"baseN", 4096}},
       "matmulTiling.baseN: n of a Mmad, whole fractals: found 4096, must be at most 4080"},
      {{{"baseK", 8}}, "matmulTiling.baseK: k of a Mmad, whole fractals: found 8, must be at least 16"},
      {{{"stepM", 0}}, "matmulTiling.stepM: base blocks of M in L1: found 0, must be at least 1"},
      {{{"iterateOrder", 2}},
       "matmulTiling.iterateOrder: 0: M first, 1: N first: found 2, must be at most 1"},
      {{{"dbL0C", 3}}, "matmulTiling.dbL0C: buffers in L0C: found 3, must be at most 2"},
      {{{"dbL0A", 0}}, "matmulTiling.dbL0A: buffers in L0A: found 0, must be at least 1"},
      {{{"singleCoreM", 250}},
       "matmulTiling.singleCoreM: of a task, whole fractals or all there is: found 250, "
       "must be a multiple of 16"},
      {{{"singleCoreM", 1001}},
       "singleCoreM: of a task, whole fractals or all there is: found 1001, must be at "
       "most 1000"},
      {{{"singleCoreM", 0}}, "found 0, must be at least 16; matmulTiling.singleCoreM 16 fits"},
      {{{"mDim", 5}}, "split.mDim: tasks of 256 in 1000: found 5, must be 4; split.mDim 4 fits"},
      {{{"kDim", 1}}, "split.kDim: tasks of 1024 in 2048: found 1, must be 2"},
      {{{"usedCoreNum", 25}},
       "matmulTiling.usedCoreNum: cores, of which each has a task: found 25, must be at "
       "most 24"},
      {{{"usedCoreNum", 0}},
       "matmulTiling.usedCoreNum: cores, of which each has a task: found 0, must be at "
       "least 1"},
      {{{"mTileCntL2", 5}},
       "split.mTileCntL2: parts of the tasks along M for L2: found 5, must be at most 4"},
      {{{"mTileCntL2", 3}}, "split.mTileCntL2: 4 tasks in parts of 2 leave some empty: found 3, must be 2"},
      {{{"nTileCntL2", 0}},
       "split.nTileCntL2: parts of the tasks along N for L2: found 0, must be at least 1"},
      {{{"unitFlag", 2}}, "split.unitFlag: 0: flags of the pipes, 1: unit flags: found 2, must be at most 1"},
      {{{"depthA1", 15}},
       "matmulTiling.depthA1: base blocks in L1, stepM * stepKa = 8 or twice that: found 15; "
       "depthA1 8 and 16 fit"},
      {{{"stepKb", 3}, {"depthB1", 6}},
       "matmulTiling.stepKa: of stepKa and stepKb one is a multiple of the other, "
       "here of 3: found 8, must be a multiple of 3"},
      {{{"stepM", 2}, {"depthA1", 16}},
       "matmulTiling.stepM: 1 where not all of K lies in L1 (512 of singleCoreK 1024): found 2, must be 1"},
      {{{"baseK", 80}, {"stepKa", 4}, {"depthA1", 8}, {"depthB1", 4}},
       "matmulTiling.baseK: bytes of L0B: found 81920, must be at most 65536; baseK 64 fits"},
      {{{"baseM", 272}, {"baseN", 16}},
       "matmulTiling.baseK: bytes of L0A: found 69632, must be at most 65536; baseK 48 fits"},
      {{{"baseM", 144}, {"depthA1", 8}},
       "matmulTiling.baseN: bytes of L0C: found 147456, must be at most 131072; baseN 224 fits"},
      {{{"stepKa", 16}, {"depthA1", 32}},
       "matmulTiling.depthA1: bytes of L1: depthA1 blocks of A and depthB1 of B: found 786432, must be at "
       "most "
       "524288; smaller stepKa and stepKb, with their depths, fit"},
  };
  for (const Row& row : rows) {
    EXPECT_NE(WhyNotText(With(row.changes)).find(row.words), std::string::npos)
        << row.words << "\nfound\n"
        << WhyNotText(With(row.changes));
  }
}

TEST(MatmulLegality, TakesTheOtherSideOfEachEdge) {
  for (const std::initializer_list<Change>& changes : std::initializer_list<std::initializer_list<Change>>{
           {{"usedCoreNum", 1}},
           {{"usedCoreNum", 23}},
           {{"iterateOrder", 1}, {"unitFlag", 1}},
           {{"mTileCntL2", 2}, {"nTileCntL2", 3}},
           {{"mTileCntL2", 4}},
           {{"singleCoreM", 1000}, {"mDim", 1}, {"usedCoreNum", 6}},
           {{"depthA1", 8}},
           {{"stepKb", 2}, {"depthB1", 4}},
           {{"baseM", 16}, {"baseN", 16}, {"baseK", 16}, {"dbL0C", 2}},
           {{"stepM", 2}, {"baseM", 64}, {"singleCoreK", 512}, {"kDim", 4}, {"depthA1", 16}},
           {{"baseM", 256}, {"baseN", 128}, {"stepKa", 4}, {"stepKb", 8}, {"depthA1", 8}, {"depthB1", 16}}}) {
    EXPECT_EQ(WhyNotText(With(changes)), "") << changes.begin()->field;
  }
  const std::string larger = WhyNotText(With({{"singleCoreM", 512}}));  // what follows is told with it
  EXPECT_NE(larger.find("split.mDim: tasks of 512 in 1000: found 4, must be 2"), std::string::npos) << larger;
  EXPECT_NE(larger.find("cores, of which each has a task: found 24, must be at most 12"), std::string::npos)
      << larger;
  MatmulShape shape = MatmulExample();
  shape.out = DType::kFp16;
  EXPECT_EQ(WhyNotText(Tiling(), shape),
            "split.kDim: parts of K add into C, which must be fp32 and is fp16: found 2, must be 1; "
            "matmulTiling.singleCoreK 2048 with split.kDim 1 fits, or out_dtype fp32");
  EXPECT_EQ(WhyNotText(With({{"singleCoreK", 2048}, {"kDim", 1}, {"usedCoreNum", 12}}), shape), "");
  EXPECT_EQ(WhyNotText(Tiling(), MatmulExample(), 23),
            "matmulTiling.usedCoreNum: cores, of which each has a task: found 24, must be at most 23; "
            "matmulTiling.usedCoreNum 23 fits");
}

TEST(MatmulText, GoesRoundThroughTextAndBytes) {
  constexpr uint32_t kSeed = 3;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  for (int trial = 0; trial < 50; ++trial) {
    MatmulTiling tiling;
    for (const TilingField& field : FieldsIn<MatmulTilingData>()) {
      WriteField(&tiling.data, field, random() >> 1);
    }
    for (const TilingField& field : FieldsIn<MatmulSplit>()) {
      WriteField(&tiling.split, field, field.words.empty() ? random() >> 1 : random() % field.words.size());
    }
    tiling.split.used_cores = tiling.data.usedCoreNum;
    const MatmulTiling read = ParseMatmulTiling(JsonOf(tiling), "test");
    EXPECT_EQ(ToBytes(read.data), ToBytes(tiling.data));
    EXPECT_EQ(read.split, tiling.split);
    EXPECT_EQ(ToBytes(DataFromBytes<MatmulTilingData>(ToBytes(tiling.data), "MatmulTilingData", "test")),
              ToBytes(tiling.data));
  }
}

TEST(MatmulText, TellsAllThatIsWrong) {
  nlohmann::json text = ParseJson(JsonOf(Tiling()));
  text["matmulTiling"].erase("baseM");
  text["matmulTiling"]["baseL"] = 3;
  text["split"]["order"] = "rows";
  text["split"]["unitFlag"] = -1;
  try {
    ParseMatmulTiling(Dump(text), "a.json");
    ADD_FAILURE();
  } catch (const UserError& error) {
    for (const std::string_view words :
         {"a.json: ", "matmulTiling.baseM is missing", "unknown field 'matmulTiling.baseL'; did you mean",
          "split.order = \"rows\"; did you mean row? must be one of row, column, diagonal",
          "split.unitFlag = -1 is out of range"}) {
      EXPECT_NE(std::string_view(error.what()).find(words), std::string::npos) << words << "\n"
                                                                               << error.what();
    }
  }
  EXPECT_THROW(DataFromBytes<MatmulTilingData>({}, "MatmulTilingData", "a.bin"), UserError);
}

}  // namespace
}  // namespace tilesim
