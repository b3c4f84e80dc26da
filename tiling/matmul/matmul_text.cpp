#include "tiling/matmul/matmul_text.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

// They are signed in the text, as the numbers of the vendor's struct are.
constexpr auto kMatmulFields = FieldsOf<MatmulTilingData, int32_t>(
    "matmulTiling",
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 "
    "stepM stepN iterateOrder stepKa stepKb dbL0A dbL0B dbL0C");

}  // namespace

std::span<const TilingField> MatmulFields() { return kMatmulFields; }

std::span<const TilingField> MatmulSplitFields() {
  using Split = MatmulSplit;
  static const std::array kSplitFields = {
      SplitWord("order", TILESIM_MEMBER(Split, order), kMatmulOrderNames),
      SplitNumber("mDim", TILESIM_MEMBER(Split, m_dim), INT32_MAX),
      SplitNumber("nDim", TILESIM_MEMBER(Split, n_dim), INT32_MAX),
      SplitNumber("kDim", TILESIM_MEMBER(Split, k_dim), INT32_MAX),
      SplitNumber("mTileCntL2", TILESIM_MEMBER(Split, m_tile_count_l2), INT32_MAX),
      SplitNumber("nTileCntL2", TILESIM_MEMBER(Split, n_tile_count_l2), INT32_MAX),
      SplitNumber("unitFlag", TILESIM_MEMBER(Split, unit_flag), INT32_MAX),
  };
  return kSplitFields;
}

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
