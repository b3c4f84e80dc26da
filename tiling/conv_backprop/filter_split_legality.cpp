#include "tiling/conv_backprop/filter_split_legality.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

struct SplitRule {
  std::string_view rule;
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
};

std::vector<SplitRule> RulesOf(const FilterTiling& tiling, const FilterProblem& p, int64_t cores) {
  const FilterSplit& s = tiling.split;
  const FilterExtents e = ExtentsOf(p);
  const FilterTaskCounts counts = TaskCountsOf(p, tiling.data.dwTiling);
  const bool grid = s.strategy == FilterStrategy::kBaseGrid;
  const int64_t images = p.batch * p.dout;
  std::vector<SplitRule> rules = {
      {"must be the problem's", "split.groups", s.groups, p.groups, p.groups},
      {"must be the groups that one dense block holds", "split.mergedGroups", s.merged_groups, e.merged,
       e.merged},
      {"must be the parts of singleCoreCout", "split.mDim", s.m_dim, counts.m, counts.m},
      {"must be the parts of singleCoreHo", "split.kDim", s.k_dim, counts.k, counts.k},
      {"must be the parts of singleCoreCin", "split.nDim", s.n_dim, counts.n, counts.n},
      {"parts of batch * dout", "split.batchDim", s.batch_dim, grid ? 1 : images, images},
      {"parts of the merged groups", "split.groupDim", s.group_dim, grid ? 1 : e.real_groups, e.real_groups},
      {"parts of dk", "split.dkDim", s.dk_dim, grid ? 1 : p.dk, p.dk},
  };
  switch (s.strategy) {
    case FilterStrategy::kBaseGrid:
      rules.push_back(
          {"a cell of the grid is a core", "split.usedCoreNum", s.used_cores, s.parts(), s.parts()});
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
                   std::min(cores, s.parts())});
  return rules;
}

}  // namespace

void CheckSplit(const FilterTiling& tiling, const FilterProblem& problem, int64_t cores,
                Rejections& reasons) {
  for (const SplitRule& rule : RulesOf(tiling, problem, cores)) {
    if (rule.value < rule.least || rule.value > rule.most) {
      const int64_t limit = rule.value < rule.least ? rule.least : rule.most;
      reasons.push_back({std::string(rule.rule), std::string(rule.field), rule.value, limit,
                         Say(rule.field, " ", limit, " fits")});
    }
  }
}

}  // namespace tilesim
