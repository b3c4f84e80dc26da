#include "tiling/matmul/matmul_text.h"

#include "tiling/matmul/matmul_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {

std::string JsonOf(const MatmulTiling& tiling) {
  return JsonOfDataAndSplit(tiling, MatmulFields(), MatmulSplitFields());
}

MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where) {
  auto tiling = ReadDataAndSplit<MatmulTiling>(text, where, MatmulFields(), MatmulSplitFields());
  tiling.split.used_cores = tiling.data.usedCoreNum;
  return tiling;
}

std::array<std::byte, sizeof(MatmulTilingData)> ToBytes(const MatmulTilingData& data) {
  return BytesOf(data, MatmulFields());
}

MatmulTilingData MatmulDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<MatmulTilingData>(bytes, "MatmulTilingData", where);
}

}  // namespace tilesim
