#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilesim {

// How the work of one input gradient is dealt out to cores. A task is singleCoreM pixels x singleCoreCin
// channels of one (batch, din) and one merged group, over all of dk and cout: nothing is added up across
// cores.
enum class InputStrategy {
  // A core is a cell of the grid of all five dims; it owns a contiguous share of the batch, of the groups and
  // of
  // din, and runs its share's tasks group by group, then batch, then din.
  kBaseGrid,
  // Every task of the problem stands in one list, and each core takes a contiguous range of it, the first
  // `tasks % cores` cores one task more. The list runs, slowest to fastest: m, (batch, din), group, n.
  kBasicBlock,
};
std::string_view Name(InputStrategy strategy);  // "base_grid", "basic_block"
std::optional<InputStrategy> ParseInputStrategy(std::string_view name);
std::string KnownInputStrategies();

// What the operator's core split needs beyond the 280 bytes of tiling data: into how many parts each
// dimension is cut, and by whom the parts are taken. Knows no core and no address: ops/ enumerates the tasks.
struct InputSplit {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t batch_dim = 1;  // over the batch; every one of it in the basic-block strategy
  int64_t group_dim = 1;  // over the merged groups; every one in the basic-block strategy
  int64_t din_dim = 1;    // over di; every one in the basic-block strategy
  int64_t m_dim = 1;      // pixels hi * wi, in parts of singleCoreM
  int64_t n_dim = 1;      // input channels of one merged group, in parts of singleCoreCin
  int64_t used_cores = 1;
  int64_t groups = 1;         // of the problem; conv3DDxTiling.group counts the blocks they are merged into
  int64_t merged_groups = 1;  // groups computed together as one dense block

  [[nodiscard]] int64_t parts() const;  // of all dimensions together; INT64_MAX when there are more
  friend bool operator==(const InputSplit&, const InputSplit&) = default;
};

// The numbers of a split with the names they have in text: one row serves writing, reading and messages.
struct InputSplitField {
  std::string_view name;
  int64_t InputSplit::*member;
};
std::span<const InputSplitField> InputSplitFields();

}  // namespace tilesim
