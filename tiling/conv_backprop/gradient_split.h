#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tilesim {

// How the work of one filter gradient is dealt out to cores. A task is singleCoreM x singleCoreN x
// singleCoreK of one (batch, dout), one merged group and one dk.
enum class FilterStrategy {
  // A core is a cell of the grid of all six dims; it owns a contiguous share of (batch, dout), of the groups
  // and of dk, and runs its share's tasks group by group, then (batch, dout), then dk.
  kBaseGrid,
  // Every task of the problem stands in one list, and each core takes a contiguous range of it, the first
  // `tasks % cores` cores one task more. The dimension a name leaves out is never cut. Row-first the list
  // runs, slowest to fastest: k, (batch, dout), group, dk, m  /  k, (batch, dout), group, dk, n  /
  // m, (batch, dout), group, dk, n. Column-first the first and the last change places.
  kBasicBlockMK,
  kBasicBlockNK,
  kBasicBlockMN,
};
inline constexpr std::array<std::string_view, 4> kFilterStrategyNames = {"base_grid", "basic_block_mk",
                                                                         "basic_block_nk", "basic_block_mn"};
constexpr std::string_view Name(FilterStrategy strategy) {
  return kFilterStrategyNames[static_cast<size_t>(strategy)];
}

// Parts of all dimensions together; INT64_MAX when there are more.
constexpr int64_t PartsOfAll(std::initializer_list<int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

// What the operator's core split needs beyond the 240 bytes of tiling data: into how many parts each
// dimension is cut, and by whom the parts are taken. Knows no core and no address: ops/ enumerates the tasks.
struct FilterSplit {
  FilterStrategy strategy = FilterStrategy::kBasicBlockMK;
  bool column_first = false;
  int64_t batch_dim = 1;  // over batch * dout; every one of them in the basic-block strategies
  int64_t group_dim = 1;  // over the merged groups; every one in the basic-block strategies
  int64_t dk_dim = 1;     // over dk; every one in the basic-block strategies
  int64_t m_dim = 1;      // output channels, in parts of singleCoreCout
  int64_t k_dim = 1;      // output rows, in parts of singleCoreHo
  int64_t n_dim = 1;      // input channels, in parts of singleCoreCin
  int64_t used_cores = 1;
  int64_t groups = 1;         // of the problem; dwTiling.group counts the blocks they are merged into
  int64_t merged_groups = 1;  // groups computed together as one dense block

  [[nodiscard]] constexpr int64_t parts() const {
    return PartsOfAll({batch_dim, group_dim, dk_dim, m_dim, k_dim, n_dim});
  }
  friend bool operator==(const FilterSplit&, const FilterSplit&) = default;
};

// How the work of one input gradient is dealt out to cores. A task is singleCoreM pixels x singleCoreCin
// channels of singleCoreDin depth planes of one image and one merged group, over all of dk and cout: nothing
// is added up across cores. Every task of the problem stands in one list, group by group, and each core takes
// a contiguous range of it. Letters give the order within a group, slowest to fastest: m rows, d (batch,
// din), n channels.
enum class InputStrategy {
  // As many tasks a core, the first `tasks % cores` cores one more. The first is the vendor's basic block.
  kBasicBlock,  // m d n
  kListMnd,
  kListDmn,
  kListDnm,
  kListNmd,
  kListNdm,
  // As much work a core, as nearly as whole tasks allow: depth planes that fewer taps of dk reach count less.
  kBalancedMdn,
  kBalancedMnd,
  kBalancedDmn,
  kBalancedDnm,
  kBalancedNmd,
  kBalancedNdm,
};
// Orders of a list: each stands twice among the strategies, first by number of tasks, then by work.
constexpr int kInputOrders = static_cast<int>(InputStrategy::kBalancedMdn);
// The letters of a strategy's order, slowest first.
constexpr const char* LettersOf(InputStrategy strategy) {
  constexpr const char* kOrders[kInputOrders] = {"mdn", "mnd", "dmn", "dnm", "nmd", "ndm"};
  return kOrders[static_cast<int>(strategy) % kInputOrders];
}
constexpr bool IsBalanced(InputStrategy strategy) { return strategy >= InputStrategy::kBalancedMdn; }
constexpr InputStrategy Balanced(InputStrategy even) {
  return static_cast<InputStrategy>(static_cast<int>(even) + kInputOrders);
}
inline constexpr std::array<std::string_view, 12> kInputStrategyNames = {
    "basic_block",  "list_mnd",     "list_dmn",     "list_dnm",     "list_nmd",     "list_ndm",
    "balanced_mdn", "balanced_mnd", "balanced_dmn", "balanced_dnm", "balanced_nmd", "balanced_ndm"};
constexpr std::string_view Name(InputStrategy strategy) {
  return kInputStrategyNames[static_cast<size_t>(strategy)];
}

// What the operator's core split needs beyond the 280 bytes of tiling data: into how many parts each
// dimension is cut, and by whom the parts are taken. Knows no core and no address: input_tasks.h enumerates.
struct InputSplit {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t batch_dim = 1;  // every image
  int64_t group_dim = 1;  // every merged group
  int64_t din_dim = 1;    // of di, in parts of singleCoreDin
  int64_t m_dim = 1;      // of the pixels hi * wi, in parts of singleCoreM
  int64_t n_dim = 1;      // of the input channels of one merged group, in parts of singleCoreCin
  int64_t used_cores = 1;
  int64_t groups = 1;         // of the problem; conv3DDxTiling.group counts the blocks they are merged into
  int64_t merged_groups = 1;  // groups computed together as one dense block

  [[nodiscard]] constexpr int64_t parts() const {
    return PartsOfAll({batch_dim, group_dim, din_dim, m_dim, n_dim});
  }
  friend bool operator==(const InputSplit&, const InputSplit&) = default;
};

}  // namespace tilesim
