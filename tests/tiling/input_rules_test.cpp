// Each rule on a tiling of the input gradient: its words, and its edge from both sides.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/tiling/legal_input_tiling.h"

namespace tilesim {
namespace {

using testing::kCores;
using testing::Legal;
using testing::Problem;
using testing::Told;

// One field changed: what is told must begin with `words`.
struct Broken {
  const char* name;
  const char* field;
  uint64_t value;
  const char* words;
};
class InputRule : public ::testing::TestWithParam<Broken> {};

TEST_P(InputRule, IsToldWithValueLimitAndMend) {
  const Broken& broken = GetParam();
  InputTiling tiling = Legal();
  bool found = false;
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    if (field.name == broken.field) {
      WriteField(&tiling.data, field, broken.value);
      found = true;
    }
  }
  ASSERT_TRUE(found);
  const std::string words = std::string("conv3DDxTiling.") + broken.words;
  EXPECT_EQ(Told(tiling).substr(0, words.size()), words);
}

INSTANTIATE_TEST_SUITE_P(
    Of, InputRule,
    ::testing::Values(
        Broken{
            "Copies", "al1Pbuffer", 3,
            "al1Pbuffer: copies, one or two: found 3, must be at most 2; conv3DDxTiling.al1Pbuffer 2 fits\n"},
        Broken{"NoCopies", "cl0Pbuffer", 0,
               "cl0Pbuffer: copies, one or two: found 0, must be at least 1; conv3DDxTiling.cl0Pbuffer 1 "
               "fits\n"},
        Broken{"BlockFractal", "baseM", 250,
               "baseM: whole fractals, in the 12 bits of an Mmad: found 250, must be a multiple of 16; "
               "conv3DDxTiling.baseM 240 fits\n"},
        Broken{"BlockBits", "baseN", 4096,
               "baseN: whole fractals, in the 12 bits of an Mmad: found 4096, must be at most 4080; "},
        Broken{
            "BlockOfK", "baseK", 64,
            "baseK: a block of K divides, or is a multiple of, hk * wk * c0 = 144; conv3DDxTiling.baseK 48 "
            "fits\n"},
        Broken{"L0A", "baseK", 144,
               "baseM: bytes of L0A for both halves of A: found 147456, must be at most 65536; baseM 112 "
               "fits\n"},
        Broken{"L0C", "baseN", 96,
               "baseM: bytes of L0C for all fp32 results: found 196608, must be at most 131072; cl0Pbuffer 1 "
               "fits\n"},
        Broken{"L1OfA", "stepKa", 72,
               "stepKa: bytes of L1 for all copies of A and B, of A 10 rows of 32 pixels in 24 lines of "
               "channels: found 638976, must be at most 524288; stepKa 48 fits\n"},
        Broken{"L1OfB", "stepKb", 72,
               "stepKa: bytes of L1 for all copies of A and B, of A 10 rows of 32 pixels in 4 lines of "
               "channels: found 966656, must be at most 524288; stepKb 36 fits\n"},
        Broken{"StepM", "stepM", 2,
               "stepM: blocks side by side in L1: found 2, must be 1; conv3DDxTiling.stepM 1 fits\n"},
        Broken{"StepN", "stepN", 2, "stepN: blocks side by side in L1: found 2, must be 1; "},
        Broken{"StepBatch", "stepBatch", 2, "stepBatch: blocks side by side in L1: found 2, must be 1; "},
        Broken{"BaseD", "baseD", 2, "baseD: blocks side by side in L1: found 2, must be 1; "},
        Broken{"StepsDivide", "stepKa", 18,
               "stepKa: the larger of stepKa and stepKb is whole steps of the smaller: found 18, must be a "
               "multiple of 12; conv3DDxTiling.stepKa 12 fits\n"},
        Broken{"WholeLines", "stepKa", 4,
               "stepKa: a load to L1 brings whole lines of hk * wk * c0 = 144, that is of K: found 192, must "
               "be a multiple of 144; conv3DDxTiling.stepKa 6 fits\n"},
        Broken{"Order", "iterateOrder", 2,
               "iterateOrder: 0: A stays, 1: B stays: found 2, must be at most 1; "},
        Broken{"Hf32", "hf32Flag", 1, "hf32Flag: 1 for a problem in HF32, else 0: found 1, must be 0; "},
        Broken{
            "InitOutput", "initOutputFlag", 3,
            "initOutputFlag: 0: nothing is zeroed first, 1: through L0C, 2: through L1 (the tile program "
            "here stores zeros where no tap reaches and reads none of them): found 3, must be at most 2; "},
        Broken{"Reserved", "reserved", 1, "reserved: not in use: found 1, must be 0; "},
        Broken{"Cout", "singleCoreCout", 64,
               "singleCoreCout: every output channel: K is never cut between cores: found 64, must be 128; "},
        Broken{"Cout1", "singleCoreCout1", 4,
               "singleCoreCout1: every output channel: K is never cut between cores: found 4, must be 8; "},
        Broken{"Cin", "singleCoreCin", 24,
               "singleCoreCin: channels of one task: found 24, must be a multiple of 16; "},
        Broken{"Cin1", "singleCoreCin1", 3,
               "singleCoreCin1: singleCoreCin in c0-lines: found 3, must be 4; "},
        Broken{"Din", "singleCoreDin", 9,
               "singleCoreDin: depth planes of one task: found 9, must be at most 8; "},
        Broken{"Ho", "singleCoreHo", 2, "singleCoreHo: a task never holds more: found 2, must be 1; "},
        Broken{"Rows", "singleCoreM", 500,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 500, must be a multiple of 32; conv3DDxTiling.singleCoreM 480 fits\n"},
        Broken{"NoRow", "singleCoreM", 16,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 16, must be at least 32; "},
        Broken{"TooManyRows", "singleCoreM", 32 * 1000,
               "singleCoreM: pixels of one task in whole rows of dx, of hi * wi rounded up to baseM at most: "
               "found 32000, must be at most 1024; conv3DDxTiling.singleCoreM 1024 fits\n"},
        Broken{"OtherProblem", "strideH", 2,
               "strideH: repeats the problem: found 2, must be 1; conv3DDxTiling.strideH 1 is this "
               "problem's\n"},
        Broken{"OtherPads", "backpropPadUp", 2, "backpropPadUp: repeats the problem: found 2, must be 1; "},
        Broken{
            "OtherTail", "backpropPadTail", 0,
            "backpropPadTail: repeats the problem: found 0, must be 1; conv3DDxTiling.backpropPadTail 1 is "
            "this problem's\n"},
        Broken{"OtherDown", "backpropPadDown", 255,
               "backpropPadDown: repeats the problem: found 255, must be 1; "},
        Broken{"OtherRight", "backpropPadRight", 2,
               "backpropPadRight: repeats the problem: found 2, must be 1; "}),
    [](const auto& test) { return test.param.name; });

// Two values of a field, the first of which is the last that fits and the other the next of its granule.
struct Edge {
  const char* field;
  uint64_t fits;
  uint64_t too_much;
  const char* because;
};
class InputEdge : public ::testing::TestWithParam<Edge> {};

TEST_P(InputEdge, LiesBetweenTheValues) {
  const Edge& edge = GetParam();
  const auto fields = FieldsIn<Conv3DBackpropInputTilingData>();
  const auto field = std::ranges::find(fields, std::string_view(edge.field), &TilingField::name);
  ASSERT_NE(field, fields.end()) << edge.field;
  InputTiling tiling = Legal();
  tiling.data.conv3DDxTiling.cl0Pbuffer = 1;
  WriteField(&tiling.data, *field, edge.fits);
  tiling.split = DealOut(Problem(), tiling.data.conv3DDxTiling, kCores);
  EXPECT_EQ(Told(tiling), "");
  WriteField(&tiling.data, *field, edge.too_much);
  const std::string told = Told(tiling);
  EXPECT_NE(told.find(edge.because), std::string::npos) << told;
}

INSTANTIATE_TEST_SUITE_P(
    Of, InputEdge,
    ::testing::Values(Edge{"baseM", 336, 352, "bytes of L0A"}, Edge{"baseN", 128, 144, "bytes of L0C"},
                      Edge{"stepKa", 48, 72, "bytes of L1"}, Edge{"stepKb", 36, 48, "bytes of L1"},
                      Edge{"singleCoreM", 1024, 1056, "found 1056, must be at most 1024"},
                      Edge{"singleCoreDin", 8, 9, "found 9, must be at most 8"}),
    [](const auto& test) { return test.param.field; });

}  // namespace
}  // namespace tilesim
