#include "tiling/conv_backprop/filter_split.h"

#include <array>

namespace tilesim {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 4> kStrategyNames = {"base_grid", "basic_block_mk", "basic_block_nk",
                                                            "basic_block_mn"};

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

std::string_view Name(FilterStrategy strategy) { return kStrategyNames[static_cast<size_t>(strategy)]; }

std::span<const std::string_view> FilterStrategyNames() { return kStrategyNames; }

}  // namespace tilesim
