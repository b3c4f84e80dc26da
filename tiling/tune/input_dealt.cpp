// What is known of the busiest core's tasks beside their sums: which of them bring what nobody has brought.
#include <algorithm>

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
         a.outs == b.outs && a.same_a == b.same_a && a.same_b == b.same_b &&
         (a.task.row == b.task.row || (IsInside(a.task) && IsInside(b.task))) &&
         (a.task.din == b.task.din || (reached_by_all(a.task) && reached_by_all(b.task)));
}

InputDealt InputDealing::DealtBy(const InputPart& part, const InputDeal& deal, size_t busiest) const {
  const InputTaskSpace space = SpaceOf(part);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  const Places places{space};
  InputDealt dealt{.tasks = TasksOf(space, split, static_cast<int64_t>(busiest))};
  std::vector<std::vector<InputDealtTask>> alike;
  int64_t busy = 0;  // cores
  std::vector<int64_t> readers_a(places.all_a(), kNobody), readers_b(places.all_b(), kNobody);
  for (int64_t core = 0; core < deal.used_cores; ++core) {
    std::vector<InputDealtTask> tasks = TasksOf(space, split, core);
    for (const InputDealtTask& own : tasks) {
      for (int64_t* reader : {&readers_a[places.OfA(own.task)], &readers_b[places.OfB(own.task)]}) {
        *reader = *reader == kNobody || *reader == core ? core : kMany;
      }
    }
    busy += tasks.empty() ? 0 : 1;
    if (tasks.size() == dealt.tasks.size() &&
        std::ranges::equal(tasks, dealt.tasks,
                           [&](const auto& a, const auto& b) { return CostTheSame(a, b); })) {
      alike.push_back(std::move(tasks));
    }
  }
  dealt.alike = static_cast<int64_t>(alike.size());
  // where windows and parts both cut the depth, parts share planes of dy
  const bool parts_apart = p_.dk == 1 || space.din_parts() == 1;
  std::vector<char> met_a(readers_a.size(), 0), met_b(readers_b.size(), 0);
  for (size_t i = 0; i < dealt.tasks.size(); ++i) {
    InputDealtTask& own = dealt.tasks[i];
    const InputTask& task = own.task;
    std::vector<size_t> at_a, at_b;
    own.first_a = dealt.alike == busy && parts_apart;
    own.first_b = dealt.alike == busy;
    own.owns_a = parts_apart;
    own.owns_b = true;
    for (const std::vector<InputDealtTask>& tasks : alike) {
      at_a.push_back(places.OfA(tasks[i].task));
      at_b.push_back(places.OfB(tasks[i].task));
      own.first_a = own.first_a && met_a[at_a.back()] == 0;
      own.first_b = own.first_b && met_b[at_b.back()] == 0;
      own.owns_a = own.owns_a && met_a[at_a.back()] == 0 && readers_a[at_a.back()] != kMany;
      own.owns_b = own.owns_b && met_b[at_b.back()] == 0 && readers_b[at_b.back()] != kMany;
    }
    own.new_a = parts_apart ? CountNew(met_a, at_a) : 0;
    own.new_b = CountNew(met_b, at_b);
    own.owned_begin = RowsBehind(p_, task.row - 1, 1).end;
    own.owned_end = RowsBehind(p_, task.row + task.rows, 1).begin;
  }
  return dealt;
}

}  // namespace tilesim
