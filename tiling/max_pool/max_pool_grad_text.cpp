#include "tiling/max_pool/max_pool_grad_text.h"

#include "formats/error.h"
#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/max_pool/max_pool_text.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

constexpr std::string_view kPooling = "pooling";  // of tilings in two phases

}  // namespace

std::string JsonOf(const MaxPoolGradTiling& tiling) {
  std::string text = JsonOfDataAndSplit(tiling, PoolGradFields(), PoolGradSplitFields());
  if (tiling.pooling) {
    text.pop_back();
    text += Say(",\"", kPooling, "\":", JsonOf(*tiling.pooling), "}");
  }
  return text;
}

MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where) {
  MaxPoolGradTiling result;
  MaxPoolTiling pooling;
  bool two_phases = false;
  const TilingPartToRead parts[] = {{PoolGradFields(), &result.data},
                                    {PoolGradSplitFields(), &result.split},
                                    {MaxPoolFields(), &pooling.data, &two_phases, kPooling},
                                    {MaxPoolSplitFields(), &pooling.split, &two_phases, kPooling}};
  ReadTiling(text, where, parts);
  if (two_phases) {
    result.pooling = pooling;
  }
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
