#include "tiling/tune/input_dealing.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

InputDealing::InputDealing(const InputProblem& problem, int64_t cores) : p_(problem), cores_(cores) {
  const InputExtents e = ExtentsOf(problem);
  for (int64_t lines = 1; lines <= e.cin1_g; ++lines) {
    if (lines * e.c0 % kFractalEdge == 0 || lines == e.cin1_g) {
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
  const InputExtents e = ExtentsOf(p_);
  return {.batch = p_.batch,
          .groups = e.real_groups,
          .rows = p_.hi,
          .rows_part = part.rows,
          .lines = CeilDiv(p_.cin, e.c0),
          .lines_g = e.cin1_g,
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

InputDealing::Busiest InputDealing::BusiestCore(const InputPart& part, const InputDeal& deal) const {
  const InputTaskSpace space = SpaceOf(part);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  const InputExtents e = ExtentsOf(p_);
  const int64_t pad_up = BackpropPadsOf(AxisH(p_)).before;
  const int64_t spread = (p_.ho - 1) * p_.stride_h + 1;
  Busiest busiest;
  int64_t most = -1;
  for (int64_t core = 0; core < deal.used_cores; ++core) {
    std::vector<InputSamePlanes> kinds;
    int64_t products = 0;
    ForEachInputTask(space, split, core, [&](const InputTask& task) {
      const bool inside = task.row >= pad_up &&
                          task.row - pad_up + task.rows - 1 + (p_.hk - 1) * p_.dilation_h < spread &&
                          p_.stride_h == 1;
      const int64_t outs = std::min(e.cout1_g, CeilDiv(p_.cout, e.c0) - task.group * e.cout1_g);
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
        kind.zeros += taps > 0 ? 0 : 1;
        kind.taps += taps;
        products += taps * task.rows * task.lines * outs;
      }
    });
    if (products > most && !kinds.empty()) {
      most = products;
      busiest = {static_cast<size_t>(core), std::move(kinds)};
    }
  }
  for (InputSamePlanes& kind : busiest.kinds) {  // rows inside: one of them
    kind.first_row = kind.first_row < 0 ? -1 - kind.first_row : kind.first_row;
  }
  return busiest;
}

int64_t InputDealing::active_pairs() const { return p_.batch * SpaceOf({}).depth.TapsBelow(p_.di); }

}  // namespace tilesim
