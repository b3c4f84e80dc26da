#include "tiling/conv_backprop/input_split_legality.h"

#include <algorithm>
#include <array>

#include "tiling/conv_backprop/input_tasks.h"

namespace tilesim {

void CheckSplit(const InputTiling& tiling, const InputProblem& p, int64_t cores, Rejections& reasons) {
  const InputSplit& s = tiling.split;
  const InputExtents e = ExtentsOf(p);
  const InputTaskSpace space = InputTaskSpace::Of(tiling.data.conv3DDxTiling);
  InputSplit right = s;  // in which each core must have a task
  right.batch_dim = p.batch;
  right.group_dim = e.real_groups;
  right.din_dim = space.din_parts();
  right.m_dim = space.row_parts();
  right.n_dim = space.line_parts();
  const std::array<ValueRange, 8> ranges = {{
      {"groups of the problem", "split.groups", s.groups, p.groups, p.groups},
      {"groups that one dense block holds", "split.mergedGroups", s.merged_groups, e.merged, e.merged},
      {"a list has each image", "split.batchDim", s.batch_dim, p.batch, p.batch},
      {"a list has each merged group", "split.groupDim", s.group_dim, e.real_groups, e.real_groups},
      {"parts that singleCoreDin makes of di", "split.dinDim", s.din_dim, space.din_parts(),
       space.din_parts()},
      {"parts that singleCoreM makes of M", "split.mDim", s.m_dim, space.row_parts(), space.row_parts()},
      {"parts that singleCoreCin makes of N", "split.nDim", s.n_dim, space.line_parts(), space.line_parts()},
      {"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
       std::min(cores, right.parts())},
  }};
  CheckRanges(ranges, reasons);
}

}  // namespace tilesim
