// Which parts of dy and x the cores of a filter gradient read after another core.
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
  FilterTaskSize size;
  int64_t from_row = 0;
  size_t dy = 0, x = 0;
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
std::vector<FilterReread> Rereads(const PlacedTasks& cores, size_t Placed::*part,
                                  const std::function<int64_t(const FilterTaskSize&)>& planes) {
  std::vector<FilterReread> rereads;
  std::vector<int64_t> last_reader;  // by part; -1: nobody
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const Placed& placed : cores[core]) {
      last_reader.resize(std::max(last_reader.size(), placed.*part + 1), -1);
      int64_t& reader = last_reader[placed.*part];
      if (reader >= 0 && reader != static_cast<int64_t>(core)) {
        const FilterTaskSize& size = placed.size;
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

}  // namespace

FilterRereadParts FilterDealing::RereadsOf(const FilterCut& cut) const {
  const FilterSplit& split = cut.split;
  PlacedTasks cores(static_cast<size_t>(split.used_cores));
  for (size_t core = 0; core < cores.size(); ++core) {
    ForEachFilterTask(split, SpaceOf(), static_cast<int64_t>(core), [&](const FilterTask& task) {
      const FilterTaskSize size = SizeOf(cut.part, task);
      if (size.m > 0) {
        cores[core].push_back({.size = size,
                               .from_row = task.k * cut.part.rows,
                               .dy = PlaceOf({{task.batch_dout, images_},
                                              {task.group, e_.real_groups},
                                              {task.m, split.m_dim},
                                              {task.k, split.k_dim}}),
                               .x = PlaceOf({{task.batch_dout / p_.dout, p_.batch},
                                             {depth_.PlaneOf(task.batch_dout % p_.dout, task.dk), p_.di},
                                             {task.group, e_.real_groups},
                                             {task.n, split.n_dim},
                                             {task.k, split.k_dim}})});
      }
    });
  }
  return {.dy = Rereads(cores, &Placed::dy, [&](const FilterTaskSize& size) { return size.m / e_.c0; }),
          .x = Rereads(cores, &Placed::x, [](const FilterTaskSize& size) { return size.lines; }),
          .whole_planes = split.k_dim == 1};
}

}  // namespace tilesim
