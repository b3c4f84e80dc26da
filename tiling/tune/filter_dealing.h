#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/conv_backprop/filter_tasks.h"

namespace tilesim {

// Tasks of one core that cost the same: of one size, and of rows whose windows reach as far into the padding.
struct FilterSameTasks {
  FilterTaskSize size;
  int64_t first_row = 0;  // of dy, of one of them
  int64_t count = 0;
};

// The tasks of one core, the kind of its first task first.
using FilterCoreTasks = std::vector<FilterSameTasks>;

// All ways to deal a filter gradient out over up to `cores` cores: part sizes, strategies, orders, used
// cores. Those that give each core the same tasks in the same order are one. Knows no block and no time.
class FilterDealing {
 public:
  FilterDealing(const FilterProblem& problem, int64_t cores);

  // The largest task: any fractals of M, lines of N and rows of K, in this order.
  [[nodiscard]] int64_t parts() const { return fractals_ * e_.cin1_g * p_.ho; }
  [[nodiscard]] FilterTaskSize PartOf(int64_t index) const;
  // The ways to deal parts of that size out.
  [[nodiscard]] std::vector<FilterSplit> SplitsInto(const FilterTaskSize& part) const;
  // The core with most products, of equal ones the first, and what it does.
  struct Busiest {
    size_t core = 0;
    FilterCoreTasks tasks;
  };
  [[nodiscard]] Busiest BusiestCore(const FilterCut& cut) const;
  // The tasks of all cores: the same however they are dealt out.
  [[nodiscard]] FilterCoreTasks AllTasks(const FilterTaskSize& part) const;
  // Pairs of an image of dy and a tap of depth that are no padding.
  [[nodiscard]] int64_t active_pairs() const { return p_.batch * depth_.TapsBelow(p_.di); }
  [[nodiscard]] const FilterExtents& extents() const { return e_; }

 private:
  void AddLists(const FilterSplit& cut, std::vector<FilterSplit>& splits) const;
  void AddGrids(const FilterSplit& cut, std::vector<FilterSplit>& splits) const;
  [[nodiscard]] FilterCoreTasks TasksOf(const FilterCut& cut, int64_t core) const;
  [[nodiscard]] FilterTaskSpace SpaceOf() const {
    return {.batch_dout = images_, .groups = e_.real_groups, .dk = p_.dk};
  }
  // Nothing where it lies outside the problem.
  [[nodiscard]] FilterTaskSize SizeOf(const FilterTaskSize& part, const FilterTask& task) const;
  // Of dy: where windows reach into the padding its own, otherwise any, such as the first.
  [[nodiscard]] int64_t FirstRowOf(const FilterTaskSize& part, const FilterTask& task, int64_t rows) const;

  const FilterProblem p_;
  FilterExtents e_;
  ConvDepth depth_;
  int64_t cores_;
  int64_t images_;
  int64_t fractals_;
};

}  // namespace tilesim
