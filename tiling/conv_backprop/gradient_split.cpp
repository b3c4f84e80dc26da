#include "tiling/conv_backprop/gradient_split.h"

#include <array>
#include <initializer_list>

namespace tilesim {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 4> kFilterStrategies = {"base_grid", "basic_block_mk",
                                                               "basic_block_nk", "basic_block_mn"};
constexpr std::array<std::string_view, 12> kInputStrategies = {
    "basic_block",  "list_mnd",     "list_dmn",     "list_dnm",     "list_nmd",     "list_ndm",
    "balanced_mdn", "balanced_mnd", "balanced_dmn", "balanced_dnm", "balanced_nmd", "balanced_ndm"};

int64_t PartsOfAll(std::initializer_list<int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

}  // namespace

int64_t FilterSplit::parts() const { return PartsOfAll({batch_dim, group_dim, dk_dim, m_dim, k_dim, n_dim}); }
int64_t InputSplit::parts() const { return PartsOfAll({batch_dim, group_dim, din_dim, m_dim, n_dim}); }

std::string_view Name(FilterStrategy strategy) { return kFilterStrategies[static_cast<size_t>(strategy)]; }
std::string_view Name(InputStrategy strategy) { return kInputStrategies[static_cast<size_t>(strategy)]; }
std::span<const std::string_view> FilterStrategyNames() { return kFilterStrategies; }
std::span<const std::string_view> InputStrategyNames() { return kInputStrategies; }

}  // namespace tilesim
