#include "tiling/conv_backprop/input_split.h"

#include <array>

namespace tilesim {
namespace {

struct StrategyRow {
  InputStrategy strategy;
  std::string_view name;
};

constexpr std::array<StrategyRow, 12> kStrategies = {{
    {InputStrategy::kBasicBlock, "basic_block"},
    {InputStrategy::kListMnd, "list_mnd"},
    {InputStrategy::kListDmn, "list_dmn"},
    {InputStrategy::kListDnm, "list_dnm"},
    {InputStrategy::kListNmd, "list_nmd"},
    {InputStrategy::kListNdm, "list_ndm"},
    {InputStrategy::kBalancedMdn, "balanced_mdn"},
    {InputStrategy::kBalancedMnd, "balanced_mnd"},
    {InputStrategy::kBalancedDmn, "balanced_dmn"},
    {InputStrategy::kBalancedDnm, "balanced_dnm"},
    {InputStrategy::kBalancedNmd, "balanced_nmd"},
    {InputStrategy::kBalancedNdm, "balanced_ndm"},
}};

constexpr std::array<InputSplitField, 8> kFields = {{
    {"batchDim", &InputSplit::batch_dim},
    {"groupDim", &InputSplit::group_dim},
    {"dinDim", &InputSplit::din_dim},
    {"mDim", &InputSplit::m_dim},
    {"nDim", &InputSplit::n_dim},
    {"usedCoreNum", &InputSplit::used_cores},
    {"groups", &InputSplit::groups},
    {"mergedGroups", &InputSplit::merged_groups},
}};

}  // namespace

int64_t InputSplit::parts() const {
  int64_t product = 1;
  for (const int64_t dim : {batch_dim, group_dim, din_dim, m_dim, n_dim}) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

std::string_view Name(InputStrategy strategy) { return kStrategies[static_cast<size_t>(strategy)].name; }

std::optional<InputStrategy> ParseInputStrategy(std::string_view name) {
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) {
      return row.strategy;
    }
  }
  return std::nullopt;
}

std::string KnownInputStrategies() {
  std::string names;
  for (const StrategyRow& row : kStrategies) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

std::span<const InputSplitField> InputSplitFields() { return kFields; }

}  // namespace tilesim
