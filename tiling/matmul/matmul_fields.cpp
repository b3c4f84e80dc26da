#include "tiling/matmul/matmul_fields.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace tilesim {
namespace {

using Data = MatmulTilingData;

constexpr TilingField Of(std::string_view name, MemberBytes bytes) {
  return {.section = "matmulTiling",
          .name = name,
          .offset_bytes = bytes.offset,
          .width_bytes = bytes.width,
          .is_signed = true};
}

constexpr std::array kFields = {
    Of("usedCoreNum", TILESIM_MEMBER(Data, usedCoreNum)),
    Of("M", TILESIM_MEMBER(Data, M)),
    Of("N", TILESIM_MEMBER(Data, N)),
    Of("Ka", TILESIM_MEMBER(Data, Ka)),
    Of("Kb", TILESIM_MEMBER(Data, Kb)),
    Of("singleCoreM", TILESIM_MEMBER(Data, singleCoreM)),
    Of("singleCoreN", TILESIM_MEMBER(Data, singleCoreN)),
    Of("singleCoreK", TILESIM_MEMBER(Data, singleCoreK)),
    Of("baseM", TILESIM_MEMBER(Data, baseM)),
    Of("baseN", TILESIM_MEMBER(Data, baseN)),
    Of("baseK", TILESIM_MEMBER(Data, baseK)),
    Of("depthA1", TILESIM_MEMBER(Data, depthA1)),
    Of("depthB1", TILESIM_MEMBER(Data, depthB1)),
    Of("stepM", TILESIM_MEMBER(Data, stepM)),
    Of("stepN", TILESIM_MEMBER(Data, stepN)),
    Of("iterateOrder", TILESIM_MEMBER(Data, iterateOrder)),
    Of("stepKa", TILESIM_MEMBER(Data, stepKa)),
    Of("stepKb", TILESIM_MEMBER(Data, stepKb)),
    Of("dbL0A", TILESIM_MEMBER(Data, dbL0A)),
    Of("dbL0B", TILESIM_MEMBER(Data, dbL0B)),
    Of("dbL0C", TILESIM_MEMBER(Data, dbL0C)),
};
static_assert(kFields.size() * 4 == sizeof(Data));

}  // namespace

std::span<const TilingField> MatmulFields() { return kFields; }

std::span<const TilingField> MatmulSplitFields() {
  using Split = MatmulSplit;
  static const std::array kSplitFields = {
      SplitWord("order", TILESIM_MEMBER(Split, order), MatmulOrderNames()),
      SplitNumber("mDim", TILESIM_MEMBER(Split, m_dim), INT32_MAX),
      SplitNumber("nDim", TILESIM_MEMBER(Split, n_dim), INT32_MAX),
      SplitNumber("kDim", TILESIM_MEMBER(Split, k_dim), INT32_MAX),
      SplitNumber("mTileCntL2", TILESIM_MEMBER(Split, m_tile_count_l2), INT32_MAX),
      SplitNumber("nTileCntL2", TILESIM_MEMBER(Split, n_tile_count_l2), INT32_MAX),
      SplitNumber("unitFlag", TILESIM_MEMBER(Split, unit_flag), INT32_MAX),
  };
  return kSplitFields;
}

}  // namespace tilesim
