#include "tiling/matmul/matmul_text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/matmul/matmul_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kData = "matmulTiling";
constexpr std::string_view kSplit = "split";
constexpr std::string_view kOrder = "order";

MatmulSplit ReadSplit(const json& section, TilingTextReader& reader) {
  MatmulSplit split;
  split.order =
      ParseMatmulOrder(reader.OneOf(section, kSplit, kOrder, MatmulOrderNames())).value_or(split.order);
  std::vector<std::string_view> names = {kOrder};
  for (const MatmulSplitField& field : MatmulSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, INT32_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const MatmulTiling& tiling) {
  ordered_json object;
  for (const TilingField& field : MatmulFields()) {
    object[std::string(field.section)][std::string(field.name)] = ReadField(&tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  split[std::string(kOrder)] = Name(tiling.split.order);
  for (const MatmulSplitField& field : MatmulSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  return object;
}

MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {kData, kSplit});
  const json tiling = reader.Parse(text);
  MatmulTiling result;
  reader.ReadFields(tiling, MatmulFields(), &result.data);
  if (const json* section = reader.Section(tiling, kSplit)) {
    result.split = ReadSplit(*section, reader);
  }
  result.split.used_cores = result.data.usedCoreNum;
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(MatmulTilingData)> ToBytes(const MatmulTilingData& data) {
  return BytesOf(data, MatmulFields());
}

MatmulTilingData MatmulDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<MatmulTilingData>(bytes, "MatmulTilingData", where);
}

}  // namespace tilesim
