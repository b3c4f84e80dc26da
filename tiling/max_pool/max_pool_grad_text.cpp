#include "tiling/max_pool/max_pool_grad_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/max_pool/max_pool_text.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kData = "data";
constexpr std::string_view kSplit = "split";
constexpr std::string_view kPooling = "pooling";  // of tilings in two phases

PoolGradSplit ReadSplit(const json& section, TilingTextReader& reader) {
  PoolGradSplit split;
  const std::string strategy = reader.OneOf(section, kSplit, "strategy", PoolGradStrategyNames());
  split.strategy = ParsePoolGradStrategy(strategy).value_or(split.strategy);
  std::vector<std::string_view> names = {"strategy"};
  for (const PoolGradSplitWord& word : PoolGradSplitWords()) {
    names.push_back(word.name);
    const auto found = std::ranges::find(word.words, reader.OneOf(section, kSplit, word.name, word.words));
    split.*word.member = found == word.words.end() ? 0 : found - word.words.begin();
  }
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
  for (const PoolGradSplitWord& word : PoolGradSplitWords()) {
    split[std::string(word.name)] = word.Of(tiling.split);
  }
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  if (tiling.pooling) {
    object[std::string(kPooling)] = ToJson(*tiling.pooling);
  }
  return object;
}

MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {kData, kSplit}, {kPooling});
  const json tiling = reader.Parse(text);
  MaxPoolGradTiling result;
  reader.ReadFields(tiling, PoolGradFields(), &result.data);
  if (const json* section = reader.Section(tiling, kSplit)) {
    result.split = ReadSplit(*section, reader);
  }
  const json* const pooling = tiling.contains(kPooling) ? reader.Section(tiling, kPooling) : nullptr;
  if (pooling != nullptr) {
    result.pooling = ReadMaxPoolTiling(*pooling, Say(kPooling, ": "), reader);
  }
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(MaxPool3DGradWithArgmaxTilingData)> ToBytes(
    const MaxPool3DGradWithArgmaxTilingData& data) {
  return BytesOf(data, PoolGradFields());
}

std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling) {
  const auto gradient = ToBytes(tiling.data);
  std::vector<std::byte> bytes(gradient.begin(), gradient.end());
  if (tiling.pooling) {
    const auto pooling = ToBytes(tiling.pooling->data);
    bytes.insert(bytes.end(), pooling.begin(), pooling.end());
  }
  return bytes;
}

MaxPool3DGradWithArgmaxTilingData MaxPoolGradDataFromBytes(std::span<const std::byte> bytes,
                                                           std::string_view where) {
  return DataFromBytes<MaxPool3DGradWithArgmaxTilingData>(bytes, "MaxPool3DGradWithArgmaxTilingData", where);
}

}  // namespace tilesim
