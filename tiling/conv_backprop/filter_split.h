#pragma once
#include <cstdint>
#include <span>
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
std::string_view Name(FilterStrategy strategy);  // "base_grid", "basic_block_mk", ...
std::span<const std::string_view> FilterStrategyNames();

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

  [[nodiscard]] int64_t parts() const;  // of all dimensions together; INT64_MAX when there are more
  friend bool operator==(const FilterSplit&, const FilterSplit&) = default;
};

}  // namespace tilesim
