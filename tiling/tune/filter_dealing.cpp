#include <algorithm>
#include <initializer_list>
#include <utility>

#include "formats/units.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

void Count(const FilterSameTasks& more, FilterCoreTasks& tasks) {
  const auto same = std::ranges::find_if(tasks, [&](const FilterSameTasks& kind) {
    return kind.size == more.size && kind.first_row == more.first_row;
  });
  if (same != tasks.end()) {
    same->count += more.count;
  } else {
    tasks.push_back(more);
  }
}

}  // namespace

FilterDealing::FilterDealing(const FilterProblem& problem, int64_t cores)
    : p_(problem),
      e_(ExtentsOf(problem)),
      depth_(DepthOf(p_)),
      cores_(cores),
      images_(problem.batch * problem.dout),
      fractals_(e_.m / kFractalEdge) {}

FilterTaskSize FilterDealing::PartOf(int64_t index) const {
  return {.m = (index / (e_.cin1_g * p_.ho) + 1) * kFractalEdge,
          .lines = index / p_.ho % e_.cin1_g + 1,
          .rows = index % p_.ho + 1};
}

FilterSplit FilterDealing::CutInto(const FilterTaskSize& part) const {
  FilterSplit cut;
  cut.strategy = FilterStrategy::kBaseGrid;
  cut.m_dim = CeilDiv(e_.m, part.m);
  cut.n_dim = CeilDiv(e_.cin1_g, part.lines);
  cut.k_dim = CeilDiv(p_.ho, part.rows);
  cut.groups = p_.groups;
  cut.merged_groups = e_.merged;
  return cut;
}

std::vector<FilterSplit> FilterDealing::SplitsInto(const FilterTaskSize& part) const {
  std::vector<FilterSplit> splits;
  if (FilterSplit list = ListOf(CutInto(part)); list.strategy != FilterStrategy::kBaseGrid) {
    for (const bool column_first : OrdersOf(list)) {
      list.column_first = column_first;
      for (list.used_cores = std::min(cores_, list.parts()); list.used_cores >= 1; --list.used_cores) {
        splits.push_back(list);
      }
    }
  }
  FilterSplit grid = CutInto(part);
  const int64_t cells = grid.m_dim * grid.n_dim * grid.k_dim;
  for (grid.group_dim = 1; grid.group_dim <= e_.real_groups && cells * grid.group_dim <= cores_;
       ++grid.group_dim) {
    for (grid.dk_dim = 1; grid.dk_dim <= p_.dk && cells * grid.group_dim * grid.dk_dim <= cores_;
         ++grid.dk_dim) {
      for (grid.batch_dim = 1; grid.batch_dim <= images_; ++grid.batch_dim) {
        grid.used_cores = grid.parts();
        if (grid.used_cores > cores_) {
          break;
        }
        splits.push_back(grid);
      }
    }
  }
  return splits;
}

std::vector<FilterSplit> FilterDealing::EvenSplitsInto(const FilterTaskSize& part) const {
  std::vector<FilterSplit> splits;
  FilterSplit grid = CutInto(part);
  const int64_t cells = grid.m_dim * grid.n_dim * grid.k_dim;
  const auto add = [&] {
    grid.used_cores = grid.parts();
    splits.push_back(grid);
  };
  const int64_t left = cores_ / cells;  // cores of each cell: given to dk, groups and images
  for (grid.dk_dim = 1; grid.dk_dim <= std::min(p_.dk, left); ++grid.dk_dim) {
    grid.group_dim = std::min(e_.real_groups, left / grid.dk_dim);
    grid.batch_dim = std::min(images_, left / grid.dk_dim / grid.group_dim);
    add();
    if (e_.real_groups > 1) {
      grid.batch_dim = std::min(images_, left / grid.dk_dim);
      grid.group_dim = std::min(e_.real_groups, left / grid.dk_dim / grid.batch_dim);
      add();
    }
  }
  if (FilterSplit list = ListOf(CutInto(part)); list.strategy != FilterStrategy::kBaseGrid) {
    // more would not have fewer tasks on the busiest
    list.used_cores = CeilDiv(list.parts(), CeilDiv(list.parts(), cores_));
    for (const bool column_first : OrdersOf(list)) {
      list.column_first = column_first;
      splits.push_back(list);
    }
  }
  return splits;
}

// With two dimensions whole, strategies differ by name only, and so do both orders with all three.
FilterSplit FilterDealing::ListOf(FilterSplit cut) const {
  cut.strategy = cut.n_dim == 1   ? FilterStrategy::kBasicBlockMK
                 : cut.m_dim == 1 ? FilterStrategy::kBasicBlockNK
                 : cut.k_dim == 1 ? FilterStrategy::kBasicBlockMN
                                  : FilterStrategy::kBaseGrid;
  cut.batch_dim = images_;
  cut.group_dim = e_.real_groups;
  cut.dk_dim = p_.dk;
  return cut;
}

std::vector<bool> FilterDealing::OrdersOf(const FilterSplit& list) {
  return list.m_dim * list.n_dim * list.k_dim == 1 ? std::vector{false} : std::vector{false, true};
}

FilterTaskSize FilterDealing::SizeOf(const FilterTaskSize& part, const FilterTask& task) const {
  if (depth_.InputPlaneOf(task.batch_dout % p_.dout, task.dk) < 0) {
    return {};
  }
  const int64_t cout1 = CeilDiv(p_.cout, e_.c0);
  const int64_t cin1 = CeilDiv(p_.cin, e_.c0);
  const int64_t cout1_g = e_.cout_g / e_.c0;
  const int64_t part_m1 = part.m / e_.c0;
  const int64_t planes_m =
      std::min(part_m1, std::min(cout1_g, cout1 - task.group * cout1_g) - task.m * part_m1);
  const int64_t lines =
      std::min(part.lines, std::min(e_.cin1_g, cin1 - task.group * e_.cin1_g) - task.n * part.lines);
  const int64_t rows = std::min(part.rows, p_.ho - task.k * part.rows);
  return planes_m <= 0 || lines <= 0 || rows <= 0
             ? FilterTaskSize{}
             : FilterTaskSize{.m = planes_m * e_.c0, .lines = lines, .rows = rows};
}

int64_t FilterDealing::FirstRowOf(const FilterTaskSize& part, const FilterTask& task, int64_t rows) const {
  const int64_t first_row = task.k * part.rows;
  const int64_t top = first_row * p_.stride_h - p_.pad_up;
  const int64_t bottom = (first_row + rows - 1) * p_.stride_h - p_.pad_up + (p_.hk - 1) * p_.dilation_h;
  return top >= 0 && bottom < p_.hi ? CeilDiv(p_.pad_up, p_.stride_h) : first_row;
}

FilterCoreTasks FilterDealing::TasksOf(const FilterCut& cut, int64_t core) const {
  FilterCoreTasks tasks;
  ForEachFilterTask(cut.split, SpaceOf(), core, [&](const FilterTask& task) {
    const FilterTaskSize size = SizeOf(cut.part, task);
    if (size.m > 0) {
      Count({size, FirstRowOf(cut.part, task, size.rows), 1}, tasks);
    }
  });
  return tasks;
}

FilterCoreTasks FilterDealing::AllTasks(const FilterTaskSize& part) const {
  FilterCoreTasks tasks;
  FilterTask task;
  while (task.batch_dout < p_.dout && SizeOf(part, task).m == 0) {  // a pair that is no padding
    if (++task.dk == p_.dk) {
      task.dk = 0;
      ++task.batch_dout;
    }
  }
  for (task.group = 0; task.group < e_.real_groups; ++task.group) {
    for (task.m = 0; task.m < CeilDiv(e_.m, part.m); ++task.m) {
      for (task.n = 0; task.n < CeilDiv(e_.cin1_g, part.lines); ++task.n) {
        for (task.k = 0; task.k < CeilDiv(p_.ho, part.rows); ++task.k) {
          const FilterTaskSize size = SizeOf(part, task);
          if (size.m > 0) {
            Count({size, FirstRowOf(part, task, size.rows), active_pairs()}, tasks);
          }
        }
      }
    }
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
