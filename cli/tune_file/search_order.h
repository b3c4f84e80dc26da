#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "cli/tune_file/varied.h"

namespace tilesim {

// Which combinations are tried next: neighbours of the best so far and, beside them, others in a random order
// that is always the same one. In the end all are. Knows no result but which is better.
class SearchOrder {
 public:
  SearchOrder(const CombinationSpace& space, std::vector<size_t> candidates);

  // A batch, which does not depend on how many threads try it; empty when all were tried. `best_first`: what
  // was tried and may be right.
  std::vector<size_t> Next(const std::function<bool(size_t)>& was_tried, std::span<const size_t> best_first);

 private:
  const CombinationSpace& space_;
  std::vector<size_t> random_;
  size_t random_at_ = 0;
  std::set<size_t> candidates_;
};

}  // namespace tilesim
