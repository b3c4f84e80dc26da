#include "tiling/conv_backprop/input_text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/input_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kSplit = "split";

InputSplit ReadSplit(const json& section, TilingTextReader& reader) {
  InputSplit split;
  const std::string strategy = reader.OneOf(section, kSplit, "strategy", InputStrategyNames());
  split.strategy = ParseInputStrategy(strategy).value_or(split.strategy);
  std::vector<std::string_view> names = {"strategy"};
  for (const InputSplitField& field : InputSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, UINT32_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const InputTiling& tiling) {
  ordered_json object;
  for (const TilingField& field : InputFields()) {
    object[std::string(field.section)][std::string(field.name)] = Get(tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  split["strategy"] = Name(tiling.split.strategy);
  for (const InputSplitField& field : InputSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  return object;
}

InputTilingText ParseInputTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {"conv3DDxTiling", kSplit});
  const json tiling = reader.Parse(text);
  InputTilingText result;
  reader.ReadFields(tiling, InputFields(), &result.data);
  if (tiling.contains(kSplit)) {
    if (const json* section = reader.Section(tiling, kSplit)) {
      result.split = ReadSplit(*section, reader);
    }
  }
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data) {
  return BytesOf(data, InputFields());
}

Conv3DBackpropInputTilingData InputDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<Conv3DBackpropInputTilingData>(bytes, "Conv3DBackpropInputTilingData", where);
}

}  // namespace tilesim
