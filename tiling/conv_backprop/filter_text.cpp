#include "tiling/conv_backprop/filter_text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kSplit = "split";
constexpr std::array<std::string_view, 2> kOrders = {"row_first", "column_first"};

FilterSplit ReadSplit(const json& section, TilingTextReader& reader) {
  FilterSplit split;
  const std::string strategy = reader.OneOf(section, kSplit, "strategy", FilterStrategyNames());
  split.strategy = ParseFilterStrategy(strategy).value_or(split.strategy);
  split.row_first = reader.OneOf(section, kSplit, "order", kOrders) != kOrders[1];
  std::vector<std::string_view> names = {"strategy", "order"};
  for (const FilterSplitField& field : FilterSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, UINT32_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const FilterTiling& tiling) {
  ordered_json object;
  for (const FilterField& field : FilterFields()) {
    object[std::string(field.section)][std::string(field.name)] = Get(tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  split["strategy"] = Name(tiling.split.strategy);
  split["order"] = kOrders[tiling.split.row_first ? 0 : 1];
  for (const FilterSplitField& field : FilterSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  return object;
}

FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {"params", "dwTiling", "basicBlockTiling", kSplit});
  const json tiling = reader.Parse(text);
  FilterTilingText result;
  reader.ReadFields(tiling, FilterFields(), &result.data);
  if (tiling.contains(kSplit)) {
    if (const json* section = reader.Section(tiling, kSplit)) {
      result.split = ReadSplit(*section, reader);
    }
  }
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data) {
  return BytesOf(data, FilterFields());
}

Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<Conv3DBackpropFilterTilingData>(bytes, "Conv3DBackpropFilterTilingData", where);
}

}  // namespace tilesim
