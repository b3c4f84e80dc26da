#include "tiling/max_pool/max_pool_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/max_pool/pool_words.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kData = "data";
constexpr std::string_view kSplit = "split";

// The number of the word under `name` in its list; told and 0 where it is not there.
size_t NumberOf(const json& section, std::string_view name, std::span<const std::string_view> words,
                TilingTextReader& reader) {
  const auto found = std::ranges::find(words, reader.OneOf(section, kSplit, name, words));
  return found == words.end() ? 0 : static_cast<size_t>(found - words.begin());
}

MaxPoolSplit ReadSplit(const json& section, TilingTextReader& reader) {
  MaxPoolSplit split;
  std::vector<std::string_view> names = {"strategy", "lanes", "nan", "argmax"};
  split.strategy =
      static_cast<MaxPoolStrategy>(NumberOf(section, "strategy", MaxPoolStrategyNames(), reader));
  split.channels_last = NumberOf(section, "lanes", kPoolLaneWords, reader) == 1;
  split.ignores_nan = NumberOf(section, "nan", kPoolNanWords, reader) == 1;
  split.index = static_cast<PoolIndex>(NumberOf(section, "argmax", kPoolIndexWords, reader));
  for (const MaxPoolSplitField& field : MaxPoolSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, INT64_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const MaxPoolTiling& tiling) {
  ordered_json object;
  for (const TilingField& field : MaxPoolFields()) {
    object[std::string(field.section)][std::string(field.name)] = ReadField(&tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  const MaxPoolSplit& s = tiling.split;
  split["strategy"] = Name(s.strategy);
  split["lanes"] = kPoolLaneWords[s.channels_last ? 1 : 0];
  split["nan"] = kPoolNanWords[s.ignores_nan ? 1 : 0];
  split["argmax"] = kPoolIndexWords[static_cast<size_t>(s.index)];
  for (const MaxPoolSplitField& field : MaxPoolSplitFields()) {
    split[std::string(field.name)] = s.*field.member;
  }
  return object;
}

namespace {

MaxPoolTiling Read(const json& tiling, TilingTextReader& reader) {
  MaxPoolTiling result;
  reader.ReadFields(tiling, MaxPoolFields(), &result.data);
  if (const json* section = reader.Section(tiling, kSplit)) {
    result.split = ReadSplit(*section, reader);
  }
  return result;
}

}  // namespace

MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {kData, kSplit});
  const json tiling = reader.Parse(text);
  MaxPoolTiling result = Read(tiling, reader);
  reader.Finish();
  return result;
}

MaxPoolTiling ReadMaxPoolTiling(const json& tiling, std::string_view prefix, TilingTextReader& whole) {
  const std::vector<std::string_view> sections = {kData, kSplit};
  TilingTextReader reader("", sections);
  reader.RefuseUnknown(tiling, "", sections);
  MaxPoolTiling result = Read(tiling, reader);
  whole.TakeOver(reader, prefix);
  return result;
}

std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data) {
  return BytesOf(data, MaxPoolFields());
}

MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<MaxPool3DWithArgmaxTilingData>(bytes, "MaxPool3DWithArgmaxTilingData", where);
}

}  // namespace tilesim
