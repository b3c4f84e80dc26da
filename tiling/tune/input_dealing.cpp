#include "tiling/tune/input_dealing.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

InputDealing::InputDealing(const InputProblem& problem, int64_t cores)
    : p_(problem), e_(ExtentsOf(problem)), pad_up_(BackpropPadsOf(AxisH(problem)).before), cores_(cores) {
  for (int64_t lines = 1; lines <= e_.cin1_g; ++lines) {
    if (lines * e_.c0 % kFractalEdge == 0 || lines == e_.cin1_g) {
      lines_.push_back(lines);
    }
  }
}

InputPart InputDealing::PartOf(int64_t index) const {
  const auto lines = static_cast<int64_t>(lines_.size());
  return {.rows = index / p_.di / lines + 1,
          .lines = lines_[static_cast<size_t>(index / p_.di % lines)],
          .dins = index % p_.di + 1};
}

InputTaskSpace InputDealing::SpaceOf(const InputPart& part) const {
  return {.batch = p_.batch,
          .groups = e_.real_groups,
          .rows = p_.hi,
          .rows_part = part.rows,
          .lines = CeilDiv(p_.cin, e_.c0),
          .lines_g = e_.cin1_g,
          .lines_part = part.lines,
          .dins_part = part.dins,
          .depth = {.di = p_.di,
                    .dout = p_.dout,
                    .dk = p_.dk,
                    .stride = p_.stride_d,
                    .dilation = p_.dilation_d,
                    .pad_front = p_.pad_front}};
}

std::vector<InputDeal> InputDealing::DealsOf(const InputPart& part) const {
  const InputTaskSpace space = SpaceOf(part);
  struct Order {
    InputStrategy even, balanced;
    const char* digits;
  };
  using enum InputStrategy;
  constexpr std::array<Order, 6> kOrders = {{{kBasicBlock, kBalancedMdn, "mdn"},
                                             {kListMnd, kBalancedMnd, "mnd"},
                                             {kListDmn, kBalancedDmn, "dmn"},
                                             {kListDnm, kBalancedDnm, "dnm"},
                                             {kListNmd, kBalancedNmd, "nmd"},
                                             {kListNdm, kBalancedNdm, "ndm"}}};
  const auto count = [&](char digit) {
    return digit == 'm'   ? space.row_parts()
           : digit == 'd' ? space.batch * space.din_parts()
                          : space.line_parts();
  };
  std::vector<std::string> met;
  std::vector<InputDeal> deals;
  for (const Order& order : kOrders) {
    std::string cut;  // the digits that are
    for (const char* digit = order.digits; *digit != 0; ++digit) {
      cut += count(*digit) > 1 ? std::string(1, *digit) : "";
    }
    if (std::ranges::find(met, cut) != met.end()) {
      continue;
    }
    met.push_back(cut);
    const int64_t all = space.groups * count('m') * count('d') * count('n');
    for (const InputStrategy strategy : {order.even, order.balanced}) {
      for (int64_t cores = std::min(cores_, all); cores >= 1; --cores) {
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

int64_t InputDealing::OutsOf(const InputTask& task) const {
  return std::min(e_.cout1_g, CeilDiv(p_.cout, e_.c0) - task.group * e_.cout1_g);
}

InputDealing::Ordered::Ordered(const InputTaskSpace& space, InputStrategy strategy)
    : list(space, strategy), products_before(1), tasks_before(1) {}

InputDealing::Ordered InputDealing::OrderedBy(const InputPart& part, InputStrategy strategy) const {
  const InputTaskSpace space = SpaceOf(part);
  Ordered ordered(space, strategy);
  for (int64_t index = 0; index < ordered.list.size(); ++index) {
    const InputTask task = ordered.list.At(index);
    const int64_t taps = space.depth.TapsBelow(task.din + task.dins) - space.depth.TapsBelow(task.din);
    const bool is_any = task.lines > 0;
    ordered.products_before.push_back(ordered.products_before.back() +
                                      (is_any ? taps * task.rows * task.lines * OutsOf(task) : 0));
    ordered.tasks_before.push_back(ordered.tasks_before.back() + (is_any ? 1 : 0));
  }
  return ordered;
}

InputDealing::Busiest InputDealing::BusiestCore(const InputPart& part, const InputDeal& deal,
                                                const Ordered& ordered) const {
  Busiest busiest;
  int64_t most = -1;
  int64_t begin = 0;
  for (int64_t core = 0; core < deal.used_cores; ++core) {
    const int64_t end = ordered.list.FirstOf(core + 1, deal.used_cores);
    const auto in = [&](const std::vector<int64_t>& before) {
      return end <= begin ? 0 : before[static_cast<size_t>(end)] - before[static_cast<size_t>(begin)];
    };
    if (in(ordered.tasks_before) > 0 && in(ordered.products_before) > most) {
      most = in(ordered.products_before);
      busiest.core = static_cast<size_t>(core);
    }
    begin = end;
  }
  if (most >= 0) {
    busiest.kinds = KindsOf(part, deal, static_cast<int64_t>(busiest.core));
  }
  return busiest;
}

std::vector<InputSamePlanes> InputDealing::KindsOf(const InputPart& part, const InputDeal& deal,
                                                   int64_t core) const {
  const InputTaskSpace space = SpaceOf(part);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  std::vector<InputSamePlanes> kinds;
  for (const InputDealtTask& own : TasksOf(space, split, core)) {
    const InputTask& task = own.task;
    const bool inside = IsInside(task);
    const int64_t outs = own.outs;
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
      kind.fresh += taps > 0 && !own.same_a ? 1 : 0;
      kind.zeros += taps > 0 ? 0 : 1;
      kind.taps += taps;
    }
  }
  for (InputSamePlanes& kind : kinds) {  // rows inside: one of them
    kind.first_row = kind.first_row < 0 ? -1 - kind.first_row : kind.first_row;
  }
  return kinds;
}

int64_t InputDealing::active_pairs() const { return p_.batch * SpaceOf({}).depth.TapsBelow(p_.di); }

}  // namespace tilesim
