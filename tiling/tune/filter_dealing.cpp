#include "tiling/tune/filter_dealing.h"

#include <algorithm>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_tasks.h"

namespace tilesim {

FilterDealing::FilterDealing(const FilterProblem& problem, int64_t cores)
    : p_(problem),
      e_(ExtentsOf(problem)),
      depth_(p_),
      cores_(cores),
      images_(problem.batch * problem.dout),
      fractals_(e_.m / kFractalEdge) {}

FilterTaskSize FilterDealing::PartOf(int64_t index) const {
  return {.m = (index / (e_.cin1_g * p_.ho) + 1) * kFractalEdge,
          .lines = index / p_.ho % e_.cin1_g + 1,
          .rows = index % p_.ho + 1};
}

std::vector<FilterSplit> FilterDealing::SplitsInto(const FilterTaskSize& part) const {
  FilterSplit cut;
  cut.m_dim = CeilDiv(e_.m, part.m);
  cut.n_dim = CeilDiv(e_.cin1_g, part.lines);
  cut.k_dim = CeilDiv(p_.ho, part.rows);
  cut.groups = p_.groups;
  cut.merged_groups = e_.merged;
  std::vector<FilterSplit> splits;
  AddLists(cut, splits);
  AddGrids(cut, splits);
  return splits;
}

// With two dimensions whole, strategies differ by name only, and so do both orders with all three.
void FilterDealing::AddLists(const FilterSplit& cut, std::vector<FilterSplit>& splits) const {
  FilterSplit list = cut;
  if (cut.n_dim == 1) {
    list.strategy = FilterStrategy::kBasicBlockMK;
  } else if (cut.m_dim == 1) {
    list.strategy = FilterStrategy::kBasicBlockNK;
  } else if (cut.k_dim == 1) {
    list.strategy = FilterStrategy::kBasicBlockMN;
  } else {
    return;
  }
  list.batch_dim = images_;
  list.group_dim = e_.real_groups;
  list.dk_dim = p_.dk;
  const int64_t most = std::min(cores_, list.parts());
  for (const bool row_first : {true, false}) {
    list.row_first = row_first;
    for (list.used_cores = most; list.used_cores >= 1; --list.used_cores) {
      splits.push_back(list);
    }
    if (cut.m_dim * cut.n_dim * cut.k_dim == 1) {
      break;
    }
  }
}

void FilterDealing::AddGrids(const FilterSplit& cut, std::vector<FilterSplit>& splits) const {
  FilterSplit grid = cut;
  grid.strategy = FilterStrategy::kBaseGrid;
  const int64_t cells = cut.m_dim * cut.n_dim * cut.k_dim;
  for (grid.group_dim = 1; grid.group_dim <= e_.real_groups && cells * grid.group_dim <= cores_;
       ++grid.group_dim) {
    for (grid.dk_dim = 1; grid.dk_dim <= p_.dk && cells * grid.group_dim * grid.dk_dim <= cores_;
         ++grid.dk_dim) {
      for (grid.batch_dim = 1; grid.batch_dim <= images_; ++grid.batch_dim) {
        grid.used_cores = cells * grid.group_dim * grid.dk_dim * grid.batch_dim;
        if (grid.used_cores > cores_) {
          break;
        }
        splits.push_back(grid);
      }
    }
  }
}

FilterCoreTasks FilterDealing::TasksOf(const FilterCut& cut, int64_t core) const {
  const FilterTaskSpace space = {.batch_dout = images_, .groups = e_.real_groups, .dk = p_.dk};
  const int64_t cout1 = CeilDiv(p_.cout, e_.c0);
  const int64_t cin1 = CeilDiv(p_.cin, e_.c0);
  const int64_t cout1_g = e_.cout_g / e_.c0;
  const int64_t part_m1 = cut.part.m / e_.c0;
  FilterCoreTasks tasks;
  ForEachFilterTask(cut.split, space, core, [&](const FilterTask& task) {
    if (!depth_.Exists(depth_.PlaneOf(task.batch_dout % p_.dout, task.dk))) {
      return;
    }
    const int64_t planes_m =
        std::min(part_m1, std::min(cout1_g, cout1 - task.group * cout1_g) - task.m * part_m1);
    const int64_t lines = std::min(
        cut.part.lines, std::min(e_.cin1_g, cin1 - task.group * e_.cin1_g) - task.n * cut.part.lines);
    const int64_t first_row = task.k * cut.part.rows;
    const int64_t rows = std::min(cut.part.rows, p_.ho - first_row);
    if (planes_m <= 0 || lines <= 0 || rows <= 0) {
      return;
    }
    const int64_t top = first_row * p_.stride_h - p_.pad_up;
    const int64_t bottom = (first_row + rows - 1) * p_.stride_h - p_.pad_up + (p_.hk - 1) * p_.dilation_h;
    const bool inside = top >= 0 && bottom < p_.hi;
    const FilterTaskSize size = {.m = planes_m * e_.c0, .lines = lines, .rows = rows};
    const auto same = std::ranges::find_if(tasks, [&](const FilterSameTasks& kind) {
      return kind.size == size && (inside ? kind.first_row == -1 : kind.first_row == first_row);
    });
    if (same != tasks.end()) {
      ++same->count;
      return;
    }
    tasks.push_back({size, inside ? -1 : first_row, 1});
  });
  for (FilterSameTasks& kind : tasks) {  // rows inside: any, such as the first
    kind.first_row = kind.first_row == -1 ? CeilDiv(p_.pad_up, p_.stride_h) : kind.first_row;
  }
  return tasks;
}

FilterDealing::Busiest FilterDealing::BusiestCore(const FilterCut& cut) const {
  Busiest busiest;
  int64_t most = -1;
  for (int64_t core = 0; core < cut.split.used_cores; ++core) {
    FilterCoreTasks tasks = TasksOf(cut, core);
    int64_t products = 0;
    for (const FilterSameTasks& kind : tasks) {
      products += kind.count * kind.size.m * kind.size.lines * kind.size.rows;
    }
    if (products > most) {
      most = products;
      busiest = {static_cast<size_t>(core), std::move(tasks)};
    }
  }
  return busiest;
}

}  // namespace tilesim
