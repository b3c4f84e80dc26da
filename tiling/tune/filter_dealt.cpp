// Which parts of dy and x the cores of a filter gradient need, who reads them, and who else does the same.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tiling/tune/filter_dealing.h"

namespace tilesim {
namespace {

// A core's task, and where its parts of dy and x stand among all.
struct Placed {
  FilterDealtTask task;
  int64_t from_row = 0;
  size_t dy = 0;
  size_t x = 0;     // for these output rows
  size_t x_of = 0;  // for any of the plane
};
using PlacedTasks = std::vector<std::vector<Placed>>;  // by core

size_t PlaceOf(std::initializer_list<std::pair<int64_t, int64_t>> digits) {
  int64_t at = 0;
  for (const auto& [digit, base] : digits) {
    at = at * base + digit;
  }
  return static_cast<size_t>(at);
}

// Sums up who reads a part after another core, by the part's rows.
std::vector<FilterReread> RereadsOf(const PlacedTasks& cores, size_t Placed::*part,
                                    const std::function<int64_t(const FilterTaskSize&)>& planes) {
  std::vector<FilterReread> rereads;
  std::vector<int64_t> last_reader;  // by part; -1: nobody
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const Placed& placed : cores[core]) {
      last_reader.resize(std::max(last_reader.size(), placed.*part + 1), -1);
      int64_t& reader = last_reader[placed.*part];
      if (reader >= 0 && reader != static_cast<int64_t>(core)) {
        const FilterTaskSize& size = placed.task.size;
        const auto same = std::ranges::find_if(rereads, [&](const FilterReread& reread) {
          return reread.from_row == placed.from_row && reread.rows == size.rows;
        });
        FilterReread& reread =
            same == rereads.end()
                ? rereads.emplace_back(FilterReread{.from_row = placed.from_row, .rows = size.rows})
                : *same;
        reread.planes += planes(size);
      }
      reader = static_cast<int64_t>(core);
    }
  }
  return rereads;
}

// Tells which tasks are the first of their core to read what no other core reads.
void NoteOwners(PlacedTasks& cores, bool whole_planes, size_t Placed::*part, bool FilterDealtTask::*owns) {
  constexpr size_t kNobody = ~size_t{0};
  constexpr size_t kMany = kNobody - 1;
  size_t parts = 0;
  for (const auto& tasks : cores) {
    for (const Placed& placed : tasks) {
      parts = std::max(parts, placed.*part + 1);
    }
  }
  std::vector<size_t> readers(parts, kNobody);
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const Placed& placed : cores[core]) {
      size_t& reader = readers[placed.*part];
      reader = reader == kNobody || reader == core ? core : kMany;
    }
  }
  for (size_t core = 0; core < cores.size(); ++core) {
    for (Placed& placed : cores[core]) {
      size_t& reader = readers[placed.*part];
      placed.task.*owns = whole_planes && reader == core;
      reader = kMany;  // the next time it is in L2
    }
  }
}

// Counts the parts that the peers' tasks of each number are the first of the peers' to need.
void CountNew(const std::vector<const std::vector<Placed>*>& peers, size_t Placed::*part,
              int64_t FilterDealtTask::*fresh, std::vector<FilterDealtTask>& tasks) {
  std::vector<char> met;
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (const std::vector<Placed>* peer : peers) {
      const size_t place = (*peer)[i].*part;
      met.resize(std::max(met.size(), place + 1), 0);
      tasks[i].*fresh += met[place] == 0 ? 1 : 0;
      met[place] = 1;
    }
  }
}

bool CostTheSame(const FilterDealtTask& a, const FilterDealtTask& b) {
  return a.size == b.size && a.first_row == b.first_row;
}

void NotePeers(const PlacedTasks& cores, size_t busiest, FilterDealt& dealt) {
  const auto same = [](const Placed& a, const Placed& b) {
    return CostTheSame(a.task, b.task) && a.task.owns_dy == b.task.owns_dy && a.task.owns_x == b.task.owns_x;
  };
  std::vector<const std::vector<Placed>*> peers;
  for (const std::vector<Placed>& tasks : cores) {
    if (std::ranges::equal(tasks, cores[busiest], same)) {
      peers.push_back(&tasks);
    }
  }
  dealt.peers = static_cast<int64_t>(peers.size());
  CountNew(peers, &Placed::dy, &FilterDealtTask::new_dy, dealt.tasks);
  CountNew(peers, &Placed::x, &FilterDealtTask::new_x, dealt.tasks);
}

// How the cores begin.
void NoteFirsts(const PlacedTasks& cores, FilterDealt& dealt) {
  std::vector<size_t> begun_dy, begun_x;
  std::vector<bool> fetches;  // its first part of dy, by core that has a task
  for (const std::vector<Placed>& tasks : cores) {
    if (tasks.empty()) {
      continue;
    }
    const Placed& first = tasks.front();
    if (std::ranges::none_of(dealt.firsts, [&](const auto& met) { return CostTheSame(met, first.task); })) {
      dealt.firsts.push_back(first.task);
    }
    fetches.push_back(std::ranges::find(begun_dy, first.dy) == begun_dy.end());
    if (fetches.back()) {
      begun_dy.push_back(first.dy);
      if (std::ranges::find(begun_x, first.x_of) == begun_x.end()) {
        begun_x.push_back(first.x_of);
      }
    }
  }
  dealt.first_xs = static_cast<int64_t>(begun_x.size());
  // a core that starts counts those that fetch and those that are still to start
  int64_t found = 0;  // first parts that another core fetches
  for (const bool fetched : fetches) {
    dealt.first_sharers = fetched ? static_cast<int64_t>(fetches.size()) - found : dealt.first_sharers;
    found += fetched ? 0 : 1;
  }
  dealt.least_first = dealt.firsts.front().size;
  for (const FilterDealtTask& task : dealt.firsts) {
    FilterTaskSize& least = dealt.least_first;
    least = {std::min(least.m, task.size.m), std::min(least.lines, task.size.lines),
             std::min(least.rows, task.size.rows)};
  }
}

}  // namespace

FilterDealt FilterDealing::DealtBy(const FilterCut& cut, size_t busiest) const {
  const FilterSplit& split = cut.split;
  PlacedTasks cores(static_cast<size_t>(split.used_cores));
  FilterDealt dealt;
  const Placed* any = nullptr;
  for (size_t core = 0; core < cores.size(); ++core) {
    ForEachFilterTask(split, SpaceOf(), static_cast<int64_t>(core), [&](const FilterTask& task) {
      const FilterTaskSize size = SizeOf(cut.part, task);
      if (size.m == 0) {
        return;
      }
      const int64_t plane = depth_.PlaneOf(task.batch_dout % p_.dout, task.dk);
      const size_t x_of = PlaceOf({{task.batch_dout / p_.dout, p_.batch},
                                   {plane, p_.di},
                                   {task.group, e_.real_groups},
                                   {task.n, split.n_dim}});
      cores[core].push_back({.task = {.size = size, .first_row = FirstRowOf(cut.part, task, size.rows)},
                             .from_row = task.k * cut.part.rows,
                             .dy = PlaceOf({{task.batch_dout, images_},
                                            {task.group, e_.real_groups},
                                            {task.m, split.m_dim},
                                            {task.k, split.k_dim}}),
                             .x = x_of * static_cast<size_t>(split.k_dim) + static_cast<size_t>(task.k),
                             .x_of = x_of});
    });
    for (const Placed& placed : cores[core]) {
      any = any == nullptr ? &cores[core].front() : any;
      dealt.alike = dealt.alike && CostTheSame(any->task, placed.task);
    }
    dealt.counts.push_back(static_cast<int64_t>(cores[core].size()));
  }
  NoteOwners(cores, true, &Placed::dy, &FilterDealtTask::owns_dy);
  NoteOwners(cores, split.k_dim == 1, &Placed::x, &FilterDealtTask::owns_x);
  for (const Placed& placed : cores[busiest]) {
    dealt.tasks.push_back(placed.task);
  }
  dealt.whole_planes = split.k_dim == 1;
  dealt.rereads_dy =
      RereadsOf(cores, &Placed::dy, [&](const FilterTaskSize& size) { return size.m / e_.c0; });
  dealt.rereads_x = RereadsOf(cores, &Placed::x, [](const FilterTaskSize& size) { return size.lines; });
  NotePeers(cores, busiest, dealt);
  NoteFirsts(cores, dealt);
  return dealt;
}

}  // namespace tilesim
