#include "tiling/max_pool/max_pool_text.h"

#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {

std::string JsonOf(const MaxPoolTiling& tiling) {
  return JsonOfDataAndSplit(tiling, MaxPoolFields(), MaxPoolSplitFields());
}

MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where) {
  return ReadDataAndSplit<MaxPoolTiling>(text, where, MaxPoolFields(), MaxPoolSplitFields());
}

std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data) {
  return BytesOf(data, MaxPoolFields());
}

MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<MaxPool3DWithArgmaxTilingData>(bytes, "MaxPool3DWithArgmaxTilingData", where);
}

}  // namespace tilesim
