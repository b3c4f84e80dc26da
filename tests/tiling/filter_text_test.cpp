#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tests/tiling/data_from_bytes.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

FilterTiling Filled() {
  FilterTiling tiling;
  uint64_t value = 1;
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    WriteField(&tiling.data, field, value++);
  }
  tiling.data.dwTiling.singleCoreCin = INT64_MAX;
  for (const TilingField& field : FieldsIn<FilterSplit>()) {
    WriteField(&tiling.split, field, value++);
  }
  tiling.split.strategy = FilterStrategy::kBasicBlockNK;
  tiling.split.column_first = true;
  return tiling;
}

std::string Refusal(const std::string& text) {
  try {
    ParseFilterTiling(text, "t.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FilterText, ReadsWhatItWrites) {
  const FilterTiling tiling = Filled();
  const FilterTilingText read = ParseFilterTiling(JsonOf(tiling), "t.json");
  EXPECT_TRUE(Differences(read.data, tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
}

TEST(FilterText, ReadsALineOfPlan) {
  const FilterTiling tiling = Filled();
  ordered_json line = {{"id", "a"}, {"legal", true}};
  line["tiling"] = ParseOrderedJson(JsonOf(tiling));
  EXPECT_TRUE(Differences(ParseFilterTiling(Dump(line), "t.json").data, tiling.data).empty());
}

TEST(FilterText, WritesTheVendorsStructsInTheirOrder) {
  const ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(Dump(json["params"]), R"({"totalL1Size":1})");
  EXPECT_EQ(json["dwTiling"].size(), 52u);
  EXPECT_EQ(json["dwTiling"].begin().key(), "batch");
  EXPECT_EQ(Dump(json["basicBlockTiling"]), R"({"singleCoreM":54,"singleCoreN":55,"singleCoreK":56})");
  EXPECT_EQ(json["split"]["strategy"], "basic_block_nk");
  EXPECT_EQ(json["split"]["order"], "column_first");
}

TEST(FilterText, AcceptsAFileWithoutSplit) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json.erase("split");
  EXPECT_FALSE(ParseFilterTiling(Dump(json), "t.json").split.has_value());
}

TEST(FilterText, NamesEveryFieldThatIsMissing) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    ordered_json json = ParseOrderedJson(JsonOf(Filled()));
    json[std::string(field.section)].erase(std::string(field.name));
    EXPECT_EQ(Refusal(Dump(json)), "t.json: " + field.path() +
                                       " is missing; must be a whole number; `plan --format json` writes "
                                       "all fields");
  }
  for (const TilingField& field : FieldsIn<FilterSplit>()) {
    ordered_json json = ParseOrderedJson(JsonOf(Filled()));
    json["split"].erase(std::string(field.name));
    EXPECT_NE(Refusal(Dump(json)).find(field.path() + " is missing"), std::string::npos);
  }
}

TEST(FilterText, NamesFieldsThatAreMissingTogetherAndLast) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["dwTiling"].erase("baseK");
  json["dwTiling"].erase("baseN");
  json["split"].erase("kDim");
  EXPECT_EQ(Refusal(Dump(json)),
            "t.json: dwTiling.baseK, dwTiling.baseN and split.kDim are missing; must be whole numbers; "
            "`plan --format json` writes all fields");
  json["dwTiling"]["baseM"] = -1;
  EXPECT_EQ(Refusal(Dump(json))
                .find("t.json: dwTiling.baseM = -1 is out of range, must be 0 to 4294967295; "
                      "dwTiling.baseK, "),
            0U);
}

TEST(FilterText, RefusesNumbersOutOfRangeOrOfAnotherType) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["dwTiling"]["baseM"] = uint64_t{1} << 32;
  EXPECT_EQ(Refusal(Dump(json)),
            "t.json: dwTiling.baseM = 4294967296 is out of range, must be 0 to 4294967295");
  json["dwTiling"]["baseM"] = -16;
  EXPECT_EQ(Refusal(Dump(json)), "t.json: dwTiling.baseM = -16 is out of range, must be 0 to 4294967295");
  json["dwTiling"]["baseM"] = 16.0;
  EXPECT_EQ(Refusal(Dump(json)),
            "t.json: dwTiling.baseM = 16.0 is a number, must be a whole number 0 to 4294967295");
  json["dwTiling"]["baseM"] = "16";
  EXPECT_EQ(Refusal(Dump(json)),
            "t.json: dwTiling.baseM = \"16\" is a string, must be a whole number 0 to 4294967295");
  json["dwTiling"]["baseM"] = nullptr;
  EXPECT_NE(Refusal(Dump(json)).find("dwTiling.baseM = null is null"), std::string::npos);
  json["dwTiling"]["baseM"] = 16;
  EXPECT_EQ(Refusal(Dump(json)), "accepted");
}

TEST(FilterText, NamesUnknownFieldsAndTheNearestKnownOne) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["dwTiling"]["basem"] = 1;
  EXPECT_EQ(Refusal(Dump(json)), "t.json: unknown field 'dwTiling.basem'; did you mean 'dwTiling.baseM'?");
  json = ParseOrderedJson(JsonOf(Filled()));
  json["basicBlock"] = 1;
  EXPECT_EQ(Refusal(Dump(json)), "t.json: unknown field 'basicBlock'; did you mean 'basicBlockTiling'?");
  json = ParseOrderedJson(JsonOf(Filled()));
  json["split"]["coreNum"] = 1;
  EXPECT_EQ(Refusal(Dump(json)), "t.json: unknown field 'split.coreNum'; did you mean 'split.usedCoreNum'?");
  json = ParseOrderedJson(JsonOf(Filled()));
  json["split"]["colour"] = 1;  // like none
  EXPECT_EQ(Refusal(Dump(json)), "t.json: unknown field 'split.colour'; remove it");
}

TEST(FilterText, TellsEverythingThatIsWrongAtOnce) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["dwTiling"].erase("baseM");
  json["params"]["l1"] = 3;
  json["split"]["strategy"] = "diagonal";
  const std::string text = Refusal(Dump(json));
  EXPECT_NE(text.find("dwTiling.baseM is missing"), std::string::npos);
  EXPECT_NE(text.find("unknown field 'params.l1'"), std::string::npos);
  EXPECT_NE(
      text.find("split.strategy = \"diagonal\"; must be one of base_grid, basic_block_mk, basic_block_nk, "
                "basic_block_mn"),
      std::string::npos);
}

TEST(FilterText, NamesTheNearestWord) {
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["split"]["strategy"] = "basic_block";
  json["split"]["order"] = "rowfirst";
  EXPECT_EQ(
      Refusal(Dump(json)),
      "t.json: split.strategy = \"basic_block\"; did you mean basic_block_mk? must be one of base_grid, "
      "basic_block_mk, basic_block_nk, basic_block_mn; split.order = \"rowfirst\"; did you mean "
      "row_first? must be one of row_first, column_first");
  json = ParseOrderedJson(JsonOf(Filled()));
  json["split"]["order"] = "";
  EXPECT_EQ(Refusal(Dump(json)), "t.json: split.order = \"\"; must be one of row_first, column_first");
}

TEST(FilterText, RefusesWhatIsNoTiling) {
  EXPECT_NE(Refusal("{\"params\": ").find("t.json: not JSON at byte "), std::string::npos);
  EXPECT_NE(Refusal("[1, 2]").find("t.json: found an array, must be an object"), std::string::npos);
  EXPECT_NE(Refusal("{}").find("section 'dwTiling' is missing"), std::string::npos);
  ordered_json json = ParseOrderedJson(JsonOf(Filled()));
  json["params"] = 3;
  EXPECT_EQ(Refusal(Dump(json)), "t.json: section 'params' is a number, must be an object {...}");
  json = ParseOrderedJson(JsonOf(Filled()));
  json["split"] = ordered_json::array();
  EXPECT_EQ(Refusal(Dump(json)), "t.json: section 'split' is an array, must be an object {...}");
  json["split"] = {{"strategy", 1}};
  EXPECT_NE(Refusal(Dump(json)).find("split.strategy = 1; must be one of"), std::string::npos);
}

TEST(FilterText, RefusesAFieldThatStandsTwice) {
  std::string text = JsonOf(Filled());
  text.insert(text.find("\"baseM\""), "\"baseM\":1,");
  EXPECT_EQ(Refusal(text), "t.json: field 'baseM' stands twice in one object; keep one");
}

TEST(FilterBytes, AreTheStructsWithZeroPadding) {
  const FilterTiling tiling = Filled();
  const auto bytes = ToBytes(tiling.data);
  EXPECT_EQ(bytes.size(), 240u);
  for (const size_t padding : {4, 5, 6, 7, 236, 237, 238, 239}) {
    EXPECT_EQ(bytes[padding], std::byte{0});
  }
  EXPECT_EQ(std::to_integer<int>(bytes[8 + 33 * 4]), 35);  // baseM, the 35th field
  EXPECT_TRUE(Differences(DataFromBytes<Conv3DBackpropFilterTilingData>(
                              bytes, "Conv3DBackpropFilterTilingData", "t.bin"),
                          tiling.data)
                  .empty());
}

TEST(FilterBytes, RefuseAnotherLength) {
  const std::vector<std::byte> bytes(239);
  try {
    DataFromBytes<Conv3DBackpropFilterTilingData>(bytes, "Conv3DBackpropFilterTilingData", "t.bin");
    FAIL() << "239 bytes were accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "t.bin: 239 bytes, must be the 240 bytes of Conv3DBackpropFilterTilingData; "
                 "`plan --binary` writes them");
  }
}

}  // namespace
}  // namespace tilesim
