#include "tiling/conv_backprop/filter_split_legality.h"

#include <algorithm>
#include <vector>

namespace tilesim {
namespace {

std::vector<ValueRange> RulesOf(const FilterTiling& tiling, const FilterProblem& p, int64_t cores) {
  const FilterSplit& s = tiling.split;
  const FilterExtents e = ExtentsOf(p);
  const FilterTaskCounts counts = TaskCountsOf(p, tiling.data.dwTiling);
  const bool grid = s.strategy == FilterStrategy::kBaseGrid;
  const int64_t images = p.batch * p.dout;
  FilterSplit right = s;  // in which each core must have a task
  right.m_dim = counts.m;
  right.k_dim = counts.k;
  right.n_dim = counts.n;
  right.batch_dim = grid ? std::clamp<int64_t>(s.batch_dim, 1, images) : images;
  right.group_dim = grid ? std::clamp<int64_t>(s.group_dim, 1, e.real_groups) : e.real_groups;
  right.dk_dim = grid ? std::clamp<int64_t>(s.dk_dim, 1, p.dk) : p.dk;
  std::vector<ValueRange> rules = {
      {"groups of the problem", "split.groups", s.groups, p.groups, p.groups},
      {"groups that one dense block holds", "split.mergedGroups", s.merged_groups, e.merged, e.merged},
      {"parts that singleCoreCout makes of M", "split.mDim", s.m_dim, counts.m, counts.m},
      {"parts that singleCoreHo makes of K", "split.kDim", s.k_dim, counts.k, counts.k},
      {"parts that singleCoreCin makes of N", "split.nDim", s.n_dim, counts.n, counts.n},
      {grid ? "parts of batch * dout" : "a list has each image of batch * dout", "split.batchDim",
       s.batch_dim, grid ? 1 : images, images},
      {grid ? "parts of the merged groups" : "a list has each merged group", "split.groupDim", s.group_dim,
       grid ? 1 : e.real_groups, e.real_groups},
      {grid ? "parts of dk" : "a list has each dk", "split.dkDim", s.dk_dim, grid ? 1 : p.dk, p.dk},
  };
  switch (s.strategy) {
    case FilterStrategy::kBaseGrid:
      rules.push_back({"each cell of the grid is a core", "split.usedCoreNum", s.used_cores, right.parts(),
                       right.parts()});
      break;
    case FilterStrategy::kBasicBlockMK:
      rules.push_back({"basic_block_mk leaves N whole", "split.nDim", s.n_dim, 1, 1});
      break;
    case FilterStrategy::kBasicBlockNK:
      rules.push_back({"basic_block_nk leaves M whole", "split.mDim", s.m_dim, 1, 1});
      break;
    case FilterStrategy::kBasicBlockMN:
      rules.push_back({"basic_block_mn leaves K whole", "split.kDim", s.k_dim, 1, 1});
      break;
  }
  rules.push_back({"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
                   std::min(cores, right.parts())});
  return rules;
}

}  // namespace

void CheckSplit(const FilterTiling& tiling, const FilterProblem& problem, int64_t cores,
                Rejections& reasons) {
  CheckRanges(RulesOf(tiling, problem, cores), reasons);
}

}  // namespace tilesim
