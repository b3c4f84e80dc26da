// What is known of the busiest core's tasks beside their sums: which of them bring what nobody has brought.
#include <algorithm>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "tiling/conv_backprop/input_work.h"
#include "tiling/tune/input_dealing.h"

namespace tilesim {
namespace {

constexpr int64_t kNobody = -1;
constexpr int64_t kMany = -2;

// Operands of tasks, by number.
struct Places {
  const InputTaskSpace& space;

  [[nodiscard]] size_t all_a() const {
    return static_cast<size_t>(space.batch * space.groups * space.din_parts() * space.row_parts());
  }
  [[nodiscard]] size_t all_b() const { return static_cast<size_t>(space.groups * space.line_parts()); }
  [[nodiscard]] size_t OfA(const InputTask& task) const {
    const int64_t image = task.batch * space.groups + task.group;
    return static_cast<size_t>((image * space.din_parts() + task.din / space.dins_part) * space.row_parts() +
                               task.row / space.rows_part);
  }
  [[nodiscard]] size_t OfB(const InputTask& task) const {
    return static_cast<size_t>(task.group * space.line_parts() + task.line / space.lines_part);
  }
};

// How many of the operands none of the earlier tasks of these cores has.
int64_t CountNew(std::vector<char>& met, const std::vector<size_t>& places) {
  int64_t count = 0;
  for (const size_t place : places) {
    count += met[place] == 0 ? 1 : 0;
    met[place] = 1;
  }
  return count;
}

}  // namespace

std::vector<InputDealtTask> InputDealing::TasksOf(const InputTaskSpace& space, const InputSplit& split,
                                                  int64_t core) const {
  std::vector<InputDealtTask> tasks;
  ForEachInputTask(space, split, core, [&](const InputTask& task) {
    InputDealtTask own{.task = task, .outs = OutsOf(task.group)};
    if (!tasks.empty()) {
      const InputTask& last = tasks.back().task;
      own.same_a = last.batch == task.batch && last.group == task.group &&
                   RowsBehind(p_, last.row, 1).begin == RowsBehind(p_, task.row, 1).begin;
      own.same_b = last.group == task.group && last.line == task.line;
    }
    tasks.push_back(own);
  });
  return tasks;
}

bool InputDealing::CostTheSame(const InputDealtTask& a, const InputDealtTask& b) const {
  const auto reached_by_all = [&](const InputTask& task) {
    const InputDepth depth = SpaceOf({}).depth;
    for (int64_t din = task.din; din < task.din + task.dins; ++din) {
      if (depth.TapsOf(din) != p_.dk) {
        return false;
      }
    }
    return p_.stride_d == 1;
  };
  return a.task.rows == b.task.rows && a.task.lines == b.task.lines && a.task.dins == b.task.dins &&
         a.outs == b.outs && (a.task.row == b.task.row || (IsInside(a.task) && IsInside(b.task))) &&
         (a.task.din == b.task.din || (reached_by_all(a.task) && reached_by_all(b.task)));
}

size_t InputDealing::SameAtBegin(const std::vector<InputDealtTask>& a,
                                 const std::vector<InputDealtTask>& b) const {
  size_t same = 0;
  while (same < std::min(a.size(), b.size()) && CostTheSame(a[same], b[same]) &&
         a[same].same_a == b[same].same_a && a[same].same_b == b[same].same_b) {
    ++same;
  }
  return same;
}

size_t InputDealing::SameAtEnd(const std::vector<InputDealtTask>& a,
                               const std::vector<InputDealtTask>& b) const {
  size_t same = 0;
  while (same < std::min(a.size(), b.size())) {
    const InputDealtTask& of_a = a[a.size() - 1 - same];
    const InputDealtTask& of_b = b[b.size() - 1 - same];
    const bool first = same + 1 == b.size();  // it brings what others still have
    if (!CostTheSame(of_a, of_b) || (!first && (of_a.same_a != of_b.same_a || of_a.same_b != of_b.same_b))) {
      break;
    }
    ++same;
  }
  return same;
}

InputDealt InputDealing::DealtBy(const InputPart& part, const InputDeal& deal, size_t busiest) const {
  const InputTaskSpace space = SpaceOf(part);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  const Places places{space};
  InputDealt dealt{.tasks = TasksOf(space, split, static_cast<int64_t>(busiest))};
  const size_t count = dealt.tasks.size();
  std::vector<std::vector<InputDealtTask>> all, together;  // tasks of cores
  size_t same = count;                                     // tasks that all cores begin with
  std::vector<int64_t> readers_a(places.all_a(), kNobody), readers_b(places.all_b(), kNobody);
  for (int64_t core = 0; core < deal.used_cores; ++core) {
    std::vector<InputDealtTask> tasks = TasksOf(space, split, core);
    for (const InputDealtTask& own : tasks) {
      for (int64_t* reader : {&readers_a[places.OfA(own.task)], &readers_b[places.OfB(own.task)]}) {
        *reader = *reader == kNobody || *reader == core ? core : kMany;
      }
    }
    const size_t begin = SameAtBegin(dealt.tasks, tasks);
    same = begin == tasks.size() ? same : std::min(same, begin);
    if (!tasks.empty() && SameAtEnd(dealt.tasks, tasks) == tasks.size()) {
      together.push_back(tasks);
    }
    all.push_back(std::move(tasks));
  }
  // where windows and parts both cut the depth, parts share planes of dy
  const bool parts_apart = p_.dk == 1 || space.din_parts() == 1;
  // parts that cores at their i-th task have had before; those together; and the core itself
  std::vector<char> all_a(readers_a.size(), 0), all_b(readers_b.size(), 0);
  std::vector<char> met_a = all_a, met_b = all_b, own_a = all_a, own_b = all_b;
  for (size_t i = 0; i < count; ++i) {
    InputDealtTask& own = dealt.tasks[i];
    std::vector<size_t> at_a, at_b;
    const auto place = [&](const std::vector<std::vector<InputDealtTask>>& cores, bool from_end) {
      at_a.clear();
      at_b.clear();
      for (const std::vector<InputDealtTask>& tasks : cores) {
        const size_t skipped = from_end ? count - tasks.size() : 0;
        if (i >= skipped && i - skipped < tasks.size()) {
          at_a.push_back(places.OfA(tasks[i - skipped].task));
          at_b.push_back(places.OfB(tasks[i - skipped].task));
        }
      }
    };
    const auto none_met = [](const std::vector<char>& met, const std::vector<size_t>& at) {
      return std::ranges::all_of(at, [&](size_t one) { return met[one] == 0; });
    };
    const auto no_other_reads = [](const std::vector<int64_t>& readers, const std::vector<size_t>& at) {
      return std::ranges::all_of(at, [&](size_t one) { return readers[one] != kMany; });
    };
    place(all, false);
    own.first_a = i < same && parts_apart && none_met(all_a, at_a);
    own.first_b = i < same && none_met(all_b, at_b);
    CountNew(all_a, at_a);
    CountNew(all_b, at_b);
    place(together, true);
    own.together = static_cast<int64_t>(at_a.size());
    own.all_own_a = parts_apart && none_met(met_a, at_a) && no_other_reads(readers_a, at_a);
    own.all_own_b = none_met(met_b, at_b) && no_other_reads(readers_b, at_b);
    own.new_a = parts_apart ? CountNew(met_a, at_a) : 0;
    own.new_b = CountNew(met_b, at_b);
    at_a = {places.OfA(own.task)};
    at_b = {places.OfB(own.task)};
    own.owns_a = parts_apart && none_met(own_a, at_a) && no_other_reads(readers_a, at_a);
    own.owns_b = none_met(own_b, at_b) && no_other_reads(readers_b, at_b);
    CountNew(own_a, at_a);
    CountNew(own_b, at_b);
    own.owned_begin = RowsBehind(p_, own.task.row - 1, 1).end;
    own.owned_end = RowsBehind(p_, own.task.row + own.task.rows, 1).begin;
  }
  return dealt;
}

}  // namespace tilesim
