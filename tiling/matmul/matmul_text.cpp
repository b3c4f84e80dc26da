#include "tiling/matmul/matmul_text.h"

#include <array>
#include <string_view>

#include "formats/units.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {
namespace {

// They are signed in the text, as the numbers of the vendor's struct are.
constexpr auto kMatmulFields = FieldsOf<MatmulTilingData, int32_t>(
    "matmulTiling",
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 "
    "stepM stepN iterateOrder stepKa stepKb dbL0A dbL0B dbL0C");

}  // namespace

MatmulTiling TilingOf(const MatmulShape& shape, const CubeSize& part, int64_t used_cores) {
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  MatmulTiling tiling;
  tiling.data.usedCoreNum = narrow(used_cores);
  tiling.data.M = narrow(shape.m);
  tiling.data.N = narrow(shape.n);
  tiling.data.Ka = tiling.data.Kb = narrow(shape.k);
  tiling.data.singleCoreM = narrow(part.m);
  tiling.data.singleCoreN = narrow(part.n);
  tiling.data.singleCoreK = narrow(part.k);
  tiling.split.used_cores = used_cores;
  tiling.split.m_dim = CeilDiv(shape.m, part.m);
  tiling.split.n_dim = CeilDiv(shape.n, part.n);
  tiling.split.k_dim = CeilDiv(shape.k, part.k);
  return tiling;
}

template <>
std::span<const TilingField> FieldsIn<MatmulTilingData>() {
  return kMatmulFields;
}

template <>
std::span<const TilingField> FieldsIn<MatmulSplit>() {
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

MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where) {
  auto tiling = ParseTiling<MatmulTiling>(text, where);
  tiling.split.used_cores = tiling.data.usedCoreNum;
  return tiling;
}

}  // namespace tilesim
