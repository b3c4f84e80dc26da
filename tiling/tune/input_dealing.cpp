#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {

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
