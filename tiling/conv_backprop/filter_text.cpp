#include "tiling/conv_backprop/filter_text.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kSplit = "split";

FilterSplit ReadSplit(const json& section, TilingTextReader& reader) {
  FilterSplit split;
  const std::string strategy = reader.Word(section, kSplit, "strategy", KnownFilterStrategies());
  if (const auto known = ParseFilterStrategy(strategy)) {
    split.strategy = *known;
  } else if (!strategy.empty()) {
    reader.Complain(Say("split.strategy = \"", strategy, "\"; must be one of ", KnownFilterStrategies()));
  }
  const std::string order = reader.Word(section, kSplit, "order", "row_first, column_first");
  split.row_first = order != "column_first";
  if (!order.empty() && order != "row_first" && order != "column_first") {
    reader.Complain(Say("split.order = \"", order, "\"; must be row_first or column_first"));
  }
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
  split["order"] = tiling.split.row_first ? "row_first" : "column_first";
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
  // field by field: the padding between the structs stays zero
  std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> bytes{};
  for (const FilterField& field : FilterFields()) {
    std::memcpy(bytes.data() + field.offset_bytes,
                reinterpret_cast<const std::byte*>(&data) + field.offset_bytes, field.width_bytes);
  }
  return bytes;
}

Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  RequireUser(bytes.size() == sizeof(Conv3DBackpropFilterTilingData), where, ": ", bytes.size(),
              " bytes, must be the ", sizeof(Conv3DBackpropFilterTilingData),
              " bytes of Conv3DBackpropFilterTilingData; `plan --binary` writes them");
  Conv3DBackpropFilterTilingData data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim
