#include "tiling/matmul/matmul_fields.h"

#include <array>
#include <cstddef>

namespace tilesim {
namespace {

using Data = MatmulTilingData;

constexpr TilingField Of(std::string_view name, size_t offset) {
  return {
      .section = "matmulTiling", .name = name, .offset_bytes = offset, .width_bytes = 4, .is_signed = true};
}

constexpr std::array kFields = {
    Of("usedCoreNum", offsetof(Data, usedCoreNum)),
    Of("M", offsetof(Data, M)),
    Of("N", offsetof(Data, N)),
    Of("Ka", offsetof(Data, Ka)),
    Of("Kb", offsetof(Data, Kb)),
    Of("singleCoreM", offsetof(Data, singleCoreM)),
    Of("singleCoreN", offsetof(Data, singleCoreN)),
    Of("singleCoreK", offsetof(Data, singleCoreK)),
    Of("baseM", offsetof(Data, baseM)),
    Of("baseN", offsetof(Data, baseN)),
    Of("baseK", offsetof(Data, baseK)),
    Of("depthA1", offsetof(Data, depthA1)),
    Of("depthB1", offsetof(Data, depthB1)),
    Of("stepM", offsetof(Data, stepM)),
    Of("stepN", offsetof(Data, stepN)),
    Of("iterateOrder", offsetof(Data, iterateOrder)),
    Of("stepKa", offsetof(Data, stepKa)),
    Of("stepKb", offsetof(Data, stepKb)),
    Of("dbL0A", offsetof(Data, dbL0A)),
    Of("dbL0B", offsetof(Data, dbL0B)),
    Of("dbL0C", offsetof(Data, dbL0C)),
};
static_assert(kFields.size() * 4 == sizeof(Data));

}  // namespace

std::span<const TilingField> MatmulFields() { return kFields; }

std::span<const TilingField> MatmulSplitFields() {
  using Split = MatmulSplit;
  static const std::array kSplitFields = {
      SplitWord("order", offsetof(Split, order), sizeof(Split::order), MatmulOrderNames()),
      SplitNumber("mDim", offsetof(Split, m_dim), INT32_MAX),
      SplitNumber("nDim", offsetof(Split, n_dim), INT32_MAX),
      SplitNumber("kDim", offsetof(Split, k_dim), INT32_MAX),
      SplitNumber("mTileCntL2", offsetof(Split, m_tile_count_l2), INT32_MAX),
      SplitNumber("nTileCntL2", offsetof(Split, n_tile_count_l2), INT32_MAX),
      SplitNumber("unitFlag", offsetof(Split, unit_flag), INT32_MAX),
  };
  return kSplitFields;
}

}  // namespace tilesim
