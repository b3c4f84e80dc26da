#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_tasks.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_tasks.h"

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
  // Of these a few: lists on as few cores as give none more tasks, and grids of about as many cells as cores.
  [[nodiscard]] std::vector<FilterSplit> EvenSplitsInto(const FilterTaskSize& part) const;
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
  [[nodiscard]] FilterSplit CutInto(const FilterTaskSize& part) const;
  // As a list of tasks; a grid where none of M, N and K is whole.
  [[nodiscard]] FilterSplit ListOf(FilterSplit cut) const;
  static std::vector<bool> OrdersOf(const FilterSplit& list);  // column first?
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

// Rows of dy behind rows [row, row + rows) of dx, empty when end <= begin.
struct InputRowSpan {
  int64_t begin = 0;
  int64_t end = 0;
};
InputRowSpan RowsBehind(const InputProblem& problem, int64_t row, int64_t rows);

// The core whose stretch of the list weighs most; of equal ones the first that is neither core 0 nor the
// last, whose rows have neighbours on both sides, and core 0 where only these two are equal.
int64_t HeaviestCore(const InputTaskList& list, int64_t cores);

// The strategies with as many tasks a core that deal these tasks out in different orders: where a
// dimension is one part, its place in the order does not matter.
std::vector<InputStrategy> DifferentOrders(const InputTaskSpace& space);

// The largest task of an input gradient: rows of dx, lines of input channels, depth planes.
struct InputPart {
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t dins = 1;
};

// A way to deal parts out.
struct InputDeal {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t used_cores = 1;
};

// Depth planes of one core's tasks that cost the same.
struct InputSamePlanes {
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t outs = 1;       // lines of output channels
  int64_t first_row = 0;  // of dx
  int64_t planes = 0;     // that a tap of depth reaches
  int64_t fresh = 0;      // of them, of tasks that read other rows than the one before
  int64_t taps = 0;       // of depth, of all of them
  int64_t zeros = 0;      // planes that none reaches
};

// All ways to deal an input gradient out over up to `cores` cores. Lists that differ in the place of what is
// not cut are one. Knows no block and no time.
class InputDealing {
 public:
  InputDealing(const InputProblem& problem, int64_t cores);

  // Any rows, whole fractals of channels or all, any planes, in this order.
  [[nodiscard]] int64_t parts() const { return p_.hi * static_cast<int64_t>(lines_.size()) * p_.di; }
  [[nodiscard]] InputPart PartOf(int64_t index) const;
  [[nodiscard]] std::vector<InputDeal> DealsOf(const InputPart& part) const;
  [[nodiscard]] InputTaskSpace SpaceOf(const InputPart& part) const;

  // The core whose tasks weigh most, as InputTaskList weighs them, not always the one that takes longest. As
  // a launch takes no less than any of its cores, a bound of this one's time holds for all.
  [[nodiscard]] size_t BusiestCore(const InputPart& part, const InputDeal& deal) const;
  // What a core does; the kind of its first plane first.
  [[nodiscard]] std::vector<InputSamePlanes> KindsOf(const InputPart& part, const InputDeal& deal,
                                                     size_t core) const;
  // Products (rows, lines, taps of depth and lines of output channels, multiplied) that some core has at
  // least, however so large parts are dealt out over `cores`.
  [[nodiscard]] int64_t LeastProducts(const InputPart& part, int64_t cores) const;
  // Pairs of a depth plane of dx and a tap that reaches it, of all images.
  [[nodiscard]] int64_t active_pairs() const;

 private:
  [[nodiscard]] bool IsInside(const InputTask& task) const;
  [[nodiscard]] int64_t OutsOf(int64_t group) const;

  const InputProblem p_;
  InputExtents e_;
  int64_t pad_up_;  // of the gradient's own convolution
  int64_t cores_;
  std::vector<int64_t> lines_;
  int64_t all_products_ = 0;
};

}  // namespace tilesim
