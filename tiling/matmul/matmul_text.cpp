#include "tiling/matmul/matmul_text.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

using MatmulData = MatmulTilingData;

constexpr TilingField MatmulField(std::string_view name, MemberBytes bytes) {
  return {.section = "matmulTiling",
          .name = name,
          .offset_bytes = bytes.offset,
          .width_bytes = bytes.width,
          .is_signed = true};
}

constexpr std::array kMatmulFields = {
    MatmulField("usedCoreNum", TILESIM_MEMBER(MatmulData, usedCoreNum)),
    MatmulField("M", TILESIM_MEMBER(MatmulData, M)),
    MatmulField("N", TILESIM_MEMBER(MatmulData, N)),
    MatmulField("Ka", TILESIM_MEMBER(MatmulData, Ka)),
    MatmulField("Kb", TILESIM_MEMBER(MatmulData, Kb)),
    MatmulField("singleCoreM", TILESIM_MEMBER(MatmulData, singleCoreM)),
    MatmulField("singleCoreN", TILESIM_MEMBER(MatmulData, singleCoreN)),
    MatmulField("singleCoreK", TILESIM_MEMBER(MatmulData, singleCoreK)),
    MatmulField("baseM", TILESIM_MEMBER(MatmulData, baseM)),
    MatmulField("baseN", TILESIM_MEMBER(MatmulData, baseN)),
    MatmulField("baseK", TILESIM_MEMBER(MatmulData, baseK)),
    MatmulField("depthA1", TILESIM_MEMBER(MatmulData, depthA1)),
    MatmulField("depthB1", TILESIM_MEMBER(MatmulData, depthB1)),
    MatmulField("stepM", TILESIM_MEMBER(MatmulData, stepM)),
    MatmulField("stepN", TILESIM_MEMBER(MatmulData, stepN)),
    MatmulField("iterateOrder", TILESIM_MEMBER(MatmulData, iterateOrder)),
    MatmulField("stepKa", TILESIM_MEMBER(MatmulData, stepKa)),
    MatmulField("stepKb", TILESIM_MEMBER(MatmulData, stepKb)),
    MatmulField("dbL0A", TILESIM_MEMBER(MatmulData, dbL0A)),
    MatmulField("dbL0B", TILESIM_MEMBER(MatmulData, dbL0B)),
    MatmulField("dbL0C", TILESIM_MEMBER(MatmulData, dbL0C)),
};
static_assert(kMatmulFields.size() * 4 == sizeof(MatmulData));

}  // namespace

std::span<const TilingField> MatmulFields() { return kMatmulFields; }

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
