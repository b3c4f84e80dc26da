#include "tiling/conv_backprop/filter_split.h"

#include <array>

namespace tilesim {
namespace {

struct StrategyRow {
  FilterStrategy strategy;
  std::string_view name;
};

constexpr std::array<StrategyRow, 4> kStrategies = {{
    {FilterStrategy::kBaseGrid, "base_grid"},
    {FilterStrategy::kBasicBlockMK, "basic_block_mk"},
    {FilterStrategy::kBasicBlockNK, "basic_block_nk"},
    {FilterStrategy::kBasicBlockMN, "basic_block_mn"},
}};

constexpr std::array<FilterSplitField, 9> kFields = {{
    {"batchDim", &FilterSplit::batch_dim},
    {"groupDim", &FilterSplit::group_dim},
    {"dkDim", &FilterSplit::dk_dim},
    {"mDim", &FilterSplit::m_dim},
    {"kDim", &FilterSplit::k_dim},
    {"nDim", &FilterSplit::n_dim},
    {"usedCoreNum", &FilterSplit::used_cores},
    {"groups", &FilterSplit::groups},
    {"mergedGroups", &FilterSplit::merged_groups},
}};

}  // namespace

int64_t FilterSplit::parts() const {
  int64_t product = 1;
  for (const int64_t dim : {batch_dim, group_dim, dk_dim, m_dim, k_dim, n_dim}) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

std::string_view Name(FilterStrategy strategy) { return kStrategies[static_cast<size_t>(strategy)].name; }

std::optional<FilterStrategy> ParseFilterStrategy(std::string_view name) {
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) {
      return row.strategy;
    }
  }
  return std::nullopt;
}

std::string KnownFilterStrategies() {
  std::string names;
  for (const StrategyRow& row : kStrategies) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

std::span<const FilterSplitField> FilterSplitFields() { return kFields; }

}  // namespace tilesim
