#pragma once
#include <algorithm>
#include <cstdint>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_depth.h"
#include "tiling/conv_backprop/filter_tasks.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// The tasks of a split that have something to do: which core has how many, and which parts of the tensors
// they touch. Knows no time.
class FilterSurvey {
 public:
  FilterSurvey(const FilterProblem& problem, const FilterCut& cut);

  // A task, and its parts of the tensors by number; parts of x that lie beside each other along K are
  // kTensors apart.
  struct Active {
    FilterTaskSize size;
    int64_t of_x = 0, of_dy = 0, of_dw = 0;
  };
  static constexpr int64_t kTensors = 2;  // that are read: no part of the one has a number of the other

  // Counted without looking at each.
  [[nodiscard]] int64_t ActiveTasksOf(int64_t core) const;
  // Products of a core's tasks; of two cores with as many, the one that changes to other parts of dy more
  // often has more to fetch, and counts for a little more.
  [[nodiscard]] double WeightOf(int64_t core) const;

  // Calls visit(active) for each task of a core until it answers false, or `most_passed` that have nothing to
  // do were passed: true.
  template <class Visit>
  bool ForEach(int64_t core, int64_t most_passed, Visit&& visit) const {
    int64_t passed = 0;
    bool cut_off = false;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      Active active;
      int64_t din = 0;
      if (SizeOf(task, active.size, din)) {
        NumberParts(task, din, active);
        cut_off = !visit(active);
      } else {
        cut_off = ++passed == most_passed;
      }
      return !cut_off;
    });
    return cut_off;
  }

  [[nodiscard]] int64_t cores() const { return s_.used_cores; }
  // What a task reads.
  [[nodiscard]] double BytesOfX(const FilterTaskSize& size) const;
  [[nodiscard]] double BytesOfDy(const FilterTaskSize& size) const;
  // Share of a part's rows of x that the parts beside it do not touch.
  [[nodiscard]] double own_rows() const { return own_rows_; }

 private:
  bool SizeOf(const FilterTask& task, FilterTaskSize& size, int64_t& din) const;
  void NumberParts(const FilterTask& task, int64_t din, Active& active) const;
  [[nodiscard]] int64_t ActiveTasksOfCell(int64_t core) const;
  [[nodiscard]] int64_t ActiveBefore(int64_t index, int64_t inner) const;
  [[nodiscard]] int64_t PartOfDy(const FilterTask& task) const;
  [[nodiscard]] int64_t InputRows(int64_t rows_out) const;

  const FilterProblem& p_;
  FilterExtents e_;
  FilterDepth depth_;
  const FilterSplit& s_;
  FilterTaskSize part_;
  FilterTaskSpace space_;
  double own_rows_ = 1;
};

}  // namespace tilesim
