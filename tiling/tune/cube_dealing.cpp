#include "tiling/tune/cube_dealing.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_tiling.h"

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

int64_t HeaviestCore(const InputTaskList& list, int64_t cores) {
  int64_t heaviest = 0;
  double most = 0;
  double before = list.WorkBefore(list.FirstOf(0, cores));
  for (int64_t core = 0; core < cores; ++core) {
    const double end = list.WorkBefore(list.FirstOf(core + 1, cores));
    const double work = end - before;
    constexpr double kRounding = 1e-9;
    const bool weighs_more = core == 0 || work > most * (1 + kRounding);
    const bool weighs_as_much = work > most * (1 - kRounding);
    const bool has_neighbours = core > 0 && core + 1 < cores;
    const bool core_0_is_heaviest = heaviest == 0;
    if (weighs_more || (weighs_as_much && has_neighbours && core_0_is_heaviest)) {
      most = std::max(most, work);
      heaviest = core;
    }
    before = end;
  }
  return heaviest;
}

std::vector<InputStrategy> DifferentOrders(const InputTaskSpace& space) {
  std::vector<std::string> met;
  std::vector<InputStrategy> orders;
  for (auto order = InputStrategy::kBasicBlock; !IsBalanced(order);
       order = static_cast<InputStrategy>(static_cast<int>(order) + 1)) {
    std::string letters = LettersOf(order);
    std::erase_if(letters, [&](char letter) {
      return (letter == 'm'   ? space.row_parts()
              : letter == 'd' ? space.batch * space.din_parts()
                              : space.line_parts()) == 1;
    });
    if (std::ranges::find(met, letters) == met.end()) {
      met.push_back(letters);
      orders.push_back(order);
    }
  }
  return orders;
}

InputRowSpan RowsBehind(const InputProblem& p, int64_t row, int64_t rows) {
  const int64_t top = row + p.pad_up - (p.hk - 1) * p.dilation_h;
  const int64_t bottom = row + rows - 1 + p.pad_up;
  return {.begin = top > 0 ? CeilDiv(top, p.stride_h) : 0, .end = std::min(bottom / p.stride_h + 1, p.ho)};
}

InputDealing::InputDealing(const InputProblem& problem, int64_t cores)
    : p_(problem), e_(ExtentsOf(problem)), pad_up_(BackpropPadsOf(AxisH(problem)).before), cores_(cores) {
  for (int64_t lines = 1; lines <= e_.cin1_g; ++lines) {
    if (lines * e_.c0 % kFractalEdge == 0 || lines == e_.cin1_g) {
      lines_.push_back(lines);
    }
  }
  const InputTaskSpace space = SpaceOf({});
  for (int64_t group = 0; group < space.groups; ++group) {
    const int64_t lines = std::min(space.lines_g, space.lines - group * space.lines_g);
    all_products_ += space.rows * active_pairs() * lines * OutsOf(group);
  }
}

InputPart InputDealing::PartOf(int64_t index) const {
  const auto lines = static_cast<int64_t>(lines_.size());
  return {.rows = index / p_.di / lines + 1,
          .lines = lines_[static_cast<size_t>(index / p_.di % lines)],
          .dins = index % p_.di + 1};
}

InputTaskSpace InputDealing::SpaceOf(const InputPart& part) const {
  InputTaskSpace space = tilesim::SpaceOf(p_, {.rows = part.rows, .lines = part.lines});
  space.dins_part = part.dins;
  return space;
}

std::vector<InputDeal> InputDealing::DealsOf(const InputPart& part) const {
  const InputTaskSpace space = SpaceOf(part);
  const int64_t most = std::min(cores_, InputTaskList(space, InputStrategy::kBasicBlock).size());
  std::vector<InputDeal> deals;
  for (const InputStrategy order : DifferentOrders(space)) {
    for (const InputStrategy strategy : {order, Balanced(order)}) {
      for (int64_t cores = most; cores >= 1; --cores) {
        deals.push_back({strategy, cores});
      }
    }
  }
  return deals;
}

// Where a task's rows lie makes no difference then.
bool InputDealing::IsInside(const InputTask& task) const {
  const int64_t spread = (p_.ho - 1) * p_.stride_h + 1;
  return p_.stride_h == 1 && task.row >= pad_up_ &&
         task.row - pad_up_ + task.rows - 1 + (p_.hk - 1) * p_.dilation_h < spread;
}

int64_t InputDealing::OutsOf(int64_t group) const {
  return std::min(e_.cout1_g, CeilDiv(p_.cout, e_.c0) - group * e_.cout1_g);
}

size_t InputDealing::BusiestCore(const InputPart& part, const InputDeal& deal) const {
  return static_cast<size_t>(HeaviestCore(InputTaskList(SpaceOf(part), deal.strategy), deal.used_cores));
}

int64_t InputDealing::LeastProducts(const InputPart& part, int64_t cores) const {
  const InputTaskSpace space = SpaceOf(part);
  int64_t least = CeilDiv(all_products_, cores);
  if (space.groups > 1) {
    return least;
  }
  // tasks that are as large as any, and no less deep than one of these: a core has its share of them
  const int64_t planes = space.batch * (space.rows / part.rows) * (space.lines_g / part.lines);
  std::vector<int64_t> taps;
  for (int64_t din = 0; din + part.dins <= p_.di; din += part.dins) {
    taps.push_back(space.depth.TapsBelow(din + part.dins) - space.depth.TapsBelow(din));
  }
  std::ranges::sort(taps, std::greater<>());
  for (size_t i = 0; i < taps.size(); ++i) {
    const int64_t tasks = planes * static_cast<int64_t>(i + 1);
    least = std::max(least, CeilDiv(tasks, cores) * taps[i] * part.rows * part.lines * OutsOf(0));
  }
  return least;
}

std::vector<InputSamePlanes> InputDealing::KindsOf(const InputPart& part, const InputDeal& deal,
                                                   size_t core) const {
  const InputTaskSpace space = SpaceOf(part);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  std::vector<InputSamePlanes> kinds;
  std::optional<InputTask> last;
  ForEachInputTask(space, split, static_cast<int64_t>(core), [&](const InputTask& task) {
    const bool same_a = last && last->batch == task.batch && last->group == task.group &&
                        RowsBehind(p_, last->row, 1).begin == RowsBehind(p_, task.row, 1).begin;
    last = task;
    const bool inside = IsInside(task);
    const int64_t outs = OutsOf(task.group);
    const auto same = std::ranges::find_if(kinds, [&](const InputSamePlanes& kind) {
      const bool kind_inside = kind.first_row < 0;
      return kind.rows == task.rows && kind.lines == task.lines && kind.outs == outs &&
             inside == kind_inside && (inside || kind.first_row == task.row);
    });
    InputSamePlanes& kind =
        same != kinds.end()
            ? *same
            : kinds.emplace_back(InputSamePlanes{.rows = task.rows,
                                                 .lines = task.lines,
                                                 .outs = outs,
                                                 .first_row = inside ? -1 - task.row : task.row});
    for (int64_t din = task.din; din < task.din + task.dins; ++din) {
      const int64_t taps = space.depth.TapsOf(din);
      kind.planes += taps > 0 ? 1 : 0;
      kind.fresh += taps > 0 && !same_a ? 1 : 0;
      kind.zeros += taps > 0 ? 0 : 1;
      kind.taps += taps;
    }
  });
  for (InputSamePlanes& kind : kinds) {  // rows inside: one of them
    kind.first_row = kind.first_row < 0 ? -1 - kind.first_row : kind.first_row;
  }
  return kinds;
}

int64_t InputDealing::active_pairs() const { return p_.batch * SpaceOf({}).depth.TapsBelow(p_.di); }

}  // namespace tilesim
