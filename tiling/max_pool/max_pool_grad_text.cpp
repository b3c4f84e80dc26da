#include "tiling/max_pool/max_pool_grad_text.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kData = "data";
constexpr std::string_view kSplit = "split";

PoolGradSplit ReadSplit(const json& section, TilingTextReader& reader) {
  PoolGradSplit split;
  const std::string strategy = reader.Word(section, kSplit, "strategy", KnownPoolGradStrategies());
  if (const auto known = ParsePoolGradStrategy(strategy)) {
    split.strategy = *known;
  } else if (!strategy.empty()) {
    reader.Complain(Say("split.strategy = \"", strategy, "\"; must be one of ", KnownPoolGradStrategies()));
  }
  std::vector<std::string_view> names = {"strategy"};
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, INT64_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const MaxPoolGradTiling& tiling) {
  ordered_json object;
  for (const TilingField& field : PoolGradFields()) {
    object[std::string(field.section)][std::string(field.name)] = ReadField(&tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  split["strategy"] = Name(tiling.split.strategy);
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  return object;
}

MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {kData, kSplit});
  const json tiling = reader.Parse(text);
  MaxPoolGradTiling result;
  reader.ReadFields(tiling, PoolGradFields(), &result.data);
  if (const json* section = reader.Section(tiling, kSplit)) {
    result.split = ReadSplit(*section, reader);
  }
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(MaxPool3DGradWithArgmaxTilingData)> ToBytes(
    const MaxPool3DGradWithArgmaxTilingData& data) {
  std::array<std::byte, sizeof(data)> bytes{};
  std::memcpy(bytes.data(), &data, sizeof(data));  // 64-bit numbers only: no padding
  return bytes;
}

MaxPool3DGradWithArgmaxTilingData MaxPoolGradDataFromBytes(std::span<const std::byte> bytes,
                                                           std::string_view where) {
  RequireUser(bytes.size() == sizeof(MaxPool3DGradWithArgmaxTilingData), where, ": ", bytes.size(),
              " bytes, must be the ", sizeof(MaxPool3DGradWithArgmaxTilingData),
              " bytes of MaxPool3DGradWithArgmaxTilingData; `plan --binary` writes them");
  MaxPool3DGradWithArgmaxTilingData data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim
