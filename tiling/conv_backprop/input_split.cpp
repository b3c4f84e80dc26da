#include "tiling/conv_backprop/input_split.h"

#include <array>

namespace tilesim {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 12> kStrategyNames = {
    "basic_block",  "list_mnd",     "list_dmn",     "list_dnm",     "list_nmd",     "list_ndm",
    "balanced_mdn", "balanced_mnd", "balanced_dmn", "balanced_dnm", "balanced_nmd", "balanced_ndm"};

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

std::string_view Name(InputStrategy strategy) { return kStrategyNames[static_cast<size_t>(strategy)]; }

std::span<const std::string_view> InputStrategyNames() { return kStrategyNames; }

}  // namespace tilesim
