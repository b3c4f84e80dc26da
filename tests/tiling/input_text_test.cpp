#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tests/support/json_text.h"
#include "tests/tiling/data_from_bytes.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

InputTiling FilledInput() {
  InputTiling tiling;
  uint64_t value = 1;
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    WriteField(&tiling.data, field, value++);
  }
  tiling.data.conv3DDxTiling.singleCoreCin = INT64_MAX;
  for (const TilingField& field : FieldsIn<InputSplit>()) {
    WriteField(&tiling.split, field, value++);
  }
  tiling.split.strategy = InputStrategy::kListDmn;
  return tiling;
}

std::string InputRefusal(const std::string& text) {
  try {
    ParseInputTiling(text, "t.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InputText, ReadsWhatItWrites) {
  const InputTiling tiling = FilledInput();
  const InputTilingText read = ParseInputTiling(JsonOf(tiling), "t.json");
  EXPECT_TRUE(Differences(read.data, tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
}

TEST(InputText, ReadsALineOfPlan) {
  const InputTiling tiling = FilledInput();
  ordered_json line = {{"id", "a"}, {"legal", true}};
  line["tiling"] = ParseOrderedJson(JsonOf(tiling));
  EXPECT_TRUE(Differences(ParseInputTiling(Dump(line), "t.json").data, tiling.data).empty());
}

TEST(InputText, WritesTheVendorsStructInItsOrder) {
  const ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  EXPECT_EQ(json.size(), 2u);
  EXPECT_EQ(json["conv3DDxTiling"].size(), 66u);
  EXPECT_EQ(json["conv3DDxTiling"].begin().key(), "batch");
  EXPECT_EQ(std::prev(json["conv3DDxTiling"].end()).key(), "singleCoreCin");
  EXPECT_EQ(json["split"].begin().key(), "strategy");
}

TEST(InputText, AcceptsAFileWithoutSplit) {
  ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  json.erase("split");
  EXPECT_FALSE(ParseInputTiling(Dump(json), "t.json").split.has_value());
}

TEST(InputText, NamesEveryFieldThatIsMissing) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
    json[std::string(field.section)].erase(std::string(field.name));
    EXPECT_EQ(InputRefusal(Dump(json)),
              "t.json: " + field.path() +
                  " is missing; must be a whole number; `plan --format json` writes "
                  "all fields");
  }
  for (const TilingField& field : FieldsIn<InputSplit>()) {
    ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
    json["split"].erase(std::string(field.name));
    EXPECT_NE(InputRefusal(Dump(json)).find(field.path() + " is missing"), std::string::npos);
  }
}

TEST(InputText, RefusesNumbersOutOfRangeOrOfAnotherType) {
  ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  json["conv3DDxTiling"]["initOutputFlag"] = int64_t{INT32_MAX} + 1;
  EXPECT_EQ(InputRefusal(Dump(json)),
            "t.json: conv3DDxTiling.initOutputFlag = 2147483648 is out of range, must be 0 to 2147483647");
  json["conv3DDxTiling"]["initOutputFlag"] = -1;
  EXPECT_NE(InputRefusal(Dump(json)).find("= -1 is out of range"), std::string::npos);
  json["conv3DDxTiling"]["initOutputFlag"] = 1.5;
  EXPECT_NE(InputRefusal(Dump(json)).find("= 1.5 is a number, must be a whole number"), std::string::npos);
  json["conv3DDxTiling"]["initOutputFlag"] = 1;
  EXPECT_EQ(InputRefusal(Dump(json)), "accepted");
}

TEST(InputText, TellsEverythingThatIsWrongAtOnce) {
  ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  json["conv3DDxTiling"].erase("baseM");
  json["conv3DDxTiling"]["basem"] = 3;
  json["dwTiling"] = 1;
  json["split"]["strategy"] = "diagonal";
  const std::string text = InputRefusal(Dump(json));
  EXPECT_NE(text.find("conv3DDxTiling.baseM is missing"), std::string::npos);
  EXPECT_NE(text.find("unknown field 'conv3DDxTiling.basem'; did you mean 'conv3DDxTiling.baseM'?"),
            std::string::npos);
  EXPECT_NE(text.find("unknown field 'dwTiling'"), std::string::npos);
  EXPECT_NE(text.find("split.strategy = \"diagonal\"; must be one of "), std::string::npos);
}

TEST(InputText, NamesTheNearestWord) {
  ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  json["split"]["strategy"] = "basicblock";
  EXPECT_EQ(InputRefusal(Dump(json)).substr(0, 86),
            "t.json: split.strategy = \"basicblock\"; did you mean basic_block? must be one of basic_");
  json["split"].erase("strategy");
  EXPECT_EQ(InputRefusal(Dump(json)).substr(0, 59),
            "t.json: split.strategy is missing; must be one of basic_blo");
}

TEST(InputText, RefusesWhatIsNoTiling) {
  EXPECT_NE(InputRefusal("{\"conv3DDxTiling\": ").find("t.json: not JSON at byte "), std::string::npos);
  EXPECT_EQ(InputRefusal("[1, 2]"),
            "t.json: found an array, must be an object with conv3DDxTiling and split; `plan --format json` "
            "writes one");
  EXPECT_NE(InputRefusal("{}").find("section 'conv3DDxTiling' is missing"), std::string::npos);
  ordered_json json = ParseOrderedJson(JsonOf(FilledInput()));
  json["conv3DDxTiling"] = 3;
  EXPECT_EQ(InputRefusal(Dump(json)),
            "t.json: section 'conv3DDxTiling' is a number, must be an object {...}");
  json = ParseOrderedJson(JsonOf(FilledInput()));
  json["split"] = ordered_json::array();
  EXPECT_NE(InputRefusal(Dump(json)).find("section 'split' is an array, must be an object {...}"),
            std::string::npos);
}

TEST(InputText, RefusesAFieldThatStandsTwice) {
  std::string text = JsonOf(FilledInput());
  text.insert(text.find("\"baseM\""), "\"baseM\":1,");
  EXPECT_EQ(InputRefusal(text), "t.json: field 'baseM' stands twice in one object; keep one");
}

TEST(InputBytes, AreTheStructWithZeroPadding) {
  const InputTiling tiling = FilledInput();
  const auto bytes = ToBytes(tiling.data);
  EXPECT_EQ(bytes.size(), 280u);
  for (const size_t padding : {252, 253, 254, 255}) {
    EXPECT_EQ(bytes[padding], std::byte{0});
  }
  EXPECT_EQ(std::to_integer<int>(bytes[47 * 4]), 48);  // baseM, the 48th field
  EXPECT_TRUE(Differences(DataFromBytes<Conv3DBackpropInputTilingData>(bytes, "Conv3DBackpropInputTilingData",
                                                                       "t.bin"),
                          tiling.data)
                  .empty());
}

TEST(InputBytes, RefuseAnotherLength) {
  const std::vector<std::byte> bytes(279);
  try {
    DataFromBytes<Conv3DBackpropInputTilingData>(bytes, "Conv3DBackpropInputTilingData", "t.bin");
    FAIL() << "279 bytes were accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "t.bin: 279 bytes, must be the 280 bytes of Conv3DBackpropInputTilingData; `plan --binary` "
                 "writes them");
  }
}

}  // namespace
}  // namespace tilesim
