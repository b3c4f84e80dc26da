#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/core_memory.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/trials.h"

namespace tilesim {

// What a size may be: what it is for sure, or within which ends it lies.
struct MatmulSizeChoice {
  std::optional<int64_t> fixed = std::nullopt;
  int64_t least = 1;
  int64_t most = std::numeric_limits<int64_t>::max();
  int64_t multiple_of = 16;  // where it is not the whole extent

  [[nodiscard]] bool Takes(int64_t size) const {
    return fixed ? size == *fixed : size >= least && size <= most;
  }
};

// What a search for tilings may choose among.
struct MatmulChoices {
  CoreMemory memory = {};
  int64_t cores = 1;          // at most so many take part
  int64_t tasks_of_core = 1;  // each takes so many tasks, one after the other
  bool splits_k = false;      // parts of K may add into C
  int64_t k_copies = 2;       // stepM and stepN may be 2 where so many copies of a step hold all of K in L1
  int64_t most_block = std::numeric_limits<int64_t>::max();  // elements of baseM * baseN
  MatmulSizeChoice single_m = {}, single_n = {}, single_k = {};
  MatmulSizeChoice base_m = {}, base_n = {}, base_k = {};
  std::optional<uint32_t> iterate_order = std::nullopt;
};

struct MatmulCandidates {
  // Legal. Their cycles are those of MatmulWork::Promise; candidates whose tasks are of one size are of one
  // cut.
  std::vector<Candidate<MatmulTiling>> best_first;
  MatmulTiling smallest;  // the smallest blocks there are, on one core; legal or not
  int64_t tried = 0;      // tilings whose work was counted
};

// Of the grids, base blocks and steps that fit, the `most` that promise most.
MatmulCandidates FindMatmulTilings(const MatmulShape& shape, const SocConfig& soc,
                                   const MatmulChoices& choices, size_t most);

}  // namespace tilesim
