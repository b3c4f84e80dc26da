#include "tiling/conv_backprop/input_work.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "formats/units.h"

namespace tilesim {
namespace {

// How much of a plane's rows a span adds to those met before. What was met of a plane is taken for one piece.
class RowsMet {
 public:
  double Add(int64_t plane, const InputRowSpan& span) {
    if (span.end <= span.begin) {
      return 0;
    }
    const auto [at, is_new] = met_.try_emplace(plane, span);
    if (is_new) {
      return static_cast<double>(span.end - span.begin);
    }
    InputRowSpan& met = at->second;
    const int64_t before = met.end - met.begin;
    met = {std::min(met.begin, span.begin), std::max(met.end, span.end)};
    return static_cast<double>(std::min(met.end - met.begin - before, span.end - span.begin));
  }

 private:
  std::unordered_map<int64_t, InputRowSpan> met_;
};

}  // namespace

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

InputCoreWork BusiestCore(const InputProblem& p, const InputCut& cut, int64_t most_looked_at) {
  const InputTaskSpace space = SpaceOf(p, cut);
  const InputTaskList list(space, cut.strategy);
  InputCoreWork work;
  work.core = HeaviestCore(list, cut.cores);
  const int64_t begin = list.FirstOf(work.core, cut.cores);
  const int64_t end = list.FirstOf(work.core + 1, cut.cores);
  const int64_t looked_at = std::min(end - begin, most_looked_at);
  RowsMet rows_met;
  std::unordered_set<int64_t> weights_met;
  for (int64_t index = begin; index < begin + looked_at; ++index) {
    const InputTask task = list.At(index);
    if (task.lines <= 0) {
      continue;
    }
    work.tasks += 1;
    work.dx += static_cast<double>(task.rows * task.lines);
    const InputRowSpan span = RowsBehind(p, task.row, task.rows);
    for (int64_t tap = 0; tap < p.dk; ++tap) {
      const int64_t dout = space.depth.PlaneOf(task.din, tap);
      if (dout < 0) {
        continue;
      }
      work.products += static_cast<double>(task.rows * task.lines);
      work.dy_new_rows += rows_met.Add((task.batch * p.dout + dout) * space.groups + task.group, span);
      const int64_t weights = (task.group * p.dk + tap) * space.lines_g + task.line;
      work.weights_new += weights_met.insert(weights).second ? static_cast<double>(task.lines) : 0;
    }
  }
  if (looked_at < end - begin) {
    const double seen = list.WorkBefore(begin + looked_at) - list.WorkBefore(begin);
    const double scale = (list.WorkBefore(end) - list.WorkBefore(begin)) / std::max(seen, 1.0);
    work.tasks *= scale;
    work.dx *= scale;
    work.products *= scale;
    work.dy_new_rows *= scale;
    // a stretch long enough to be cut off has met all weights it is going to meet, unless groups pass by
    work.weights_new *= space.groups > 1 ? scale : 1;
  }
  // what all cores meet they fetch once between them, as if each met as much as this one
  const auto cores = static_cast<double>(cut.cores);
  const auto dy_rows = static_cast<double>(p.batch * p.dout * space.groups * p.ho);
  const auto weights = static_cast<double>(space.groups * p.dk * space.lines_g);
  work.dy_fetched = std::min(1.0, dy_rows / std::max(1.0, cores * work.dy_new_rows));
  work.weights_fetched = std::min(1.0, weights / std::max(1.0, cores * work.weights_new));
  return work;
}

}  // namespace tilesim
