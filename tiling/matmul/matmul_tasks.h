// Which tasks a matrix product has, in which order cores take them, and the base blocks of one. Header only:
// the tile program reads it on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/units.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// Elements [begin, end) of one dimension.
struct MatmulRange {
  int64_t begin = 0;
  int64_t end = 0;
  [[nodiscard]] int64_t size() const { return end - begin; }
  // Part `index` of those of `step` elements.
  [[nodiscard]] MatmulRange Part(int64_t index, int64_t step) const {
    return {begin + index * step, std::min(begin + (index + 1) * step, end)};
  }
};

struct MatmulTask {
  MatmulRange m;
  MatmulRange n;
  MatmulRange k;
  int64_t k_part = 0;  // which part of K
};

inline int64_t TasksOf(const MatmulSplit& split) { return split.m_dim * split.n_dim * split.k_dim; }

// Task `index` of the list: all of the first part of K, then those of the next; within it one part for L2
// after the other, rows of parts first; within that as the order says. A core takes every usedCoreNum-th.
inline MatmulTask TaskOf(const MatmulTiling& tiling, int64_t index) {
  const MatmulSplit& s = tiling.split;
  const MatmulTilingData& t = tiling.data;
  const int64_t part_rows = CeilDiv(s.m_dim, s.m_tile_count_l2);
  const int64_t part_columns = CeilDiv(s.n_dim, s.n_tile_count_l2);
  const int64_t k = index / (s.m_dim * s.n_dim);
  int64_t rest = index % (s.m_dim * s.n_dim);
  const int64_t row_begin = rest / (part_rows * s.n_dim) * part_rows;
  rest -= row_begin * s.n_dim;
  const int64_t rows = std::min(part_rows, s.m_dim - row_begin);
  const int64_t column_begin = rest / (rows * part_columns) * part_columns;
  rest -= column_begin * rows;
  const int64_t columns = std::min(part_columns, s.n_dim - column_begin);
  int64_t row = rest % rows;
  int64_t column = rest / rows;
  if (s.order == MatmulOrder::kRow) {
    row = rest / columns;
    column = rest % columns;
  } else if (s.order == MatmulOrder::kDiagonal) {
    column = (column + row) % columns;
  }
  return {.m = MatmulRange{0, t.M}.Part(row_begin + row, t.singleCoreM),
          .n = MatmulRange{0, t.N}.Part(column_begin + column, t.singleCoreN),
          .k = MatmulRange{0, t.Ka}.Part(k, t.singleCoreK),
          .k_part = k};
}

// Calls f(task) for each task of a core, in its order.
template <class F>
void ForEachMatmulTask(const MatmulTiling& tiling, int64_t core, F&& f) {
  for (int64_t i = core; i < TasksOf(tiling.split); i += tiling.split.used_cores) {
    f(TaskOf(tiling, i));
  }
}

// The base blocks of a task in the order they are computed: step by step, and within a step block by block,
// both as iterateOrder says.
// `by_blocks`: whatever the steps are, all blocks of one dimension pass before the other goes on.
class MatmulWalk {
 public:
  MatmulWalk(const MatmulTilingData& tiling, const MatmulTask& task, bool by_blocks = false)
      : blocks_m_(CeilDiv(task.m.size(), int64_t{tiling.baseM})),
        blocks_n_(CeilDiv(task.n.size(), int64_t{tiling.baseN})),
        step_m_(tiling.stepM),
        step_n_(tiling.stepN),
        m_first_(tiling.iterateOrder == 0),
        by_blocks_(by_blocks) {}

  [[nodiscard]] int64_t m() const { return m_; }
  [[nodiscard]] int64_t n() const { return n_; }
  [[nodiscard]] uint32_t m_step() const { return static_cast<uint32_t>(m_ / step_m_); }
  [[nodiscard]] uint32_t n_step() const { return static_cast<uint32_t>(n_ / step_n_); }

  // False, and nothing moves, after the last block.
  bool Next() {
    Axis fast{m_, by_blocks_ ? 1 : step_m_, blocks_m_};
    Axis slow{n_, by_blocks_ ? 1 : step_n_, blocks_n_};
    if (!m_first_) {
      std::swap(fast, slow);
    }
    if (!(fast.NextInStep() || slow.NextInStep() || fast.NextStep() || slow.NextStep())) {
      return false;
    }
    (m_first_ ? m_ : n_) = fast.at;
    (m_first_ ? n_ : m_) = slow.at;
    return true;
  }

 private:
  // One dimension's place; what cannot go on goes back to the beginning, of its step or of all.
  struct Axis {
    int64_t at;
    int64_t step;
    int64_t count;
    bool NextInStep() {
      const int64_t first = at / step * step;
      if (at + 1 < std::min(first + step, count)) {
        ++at;
        return true;
      }
      at = first;
      return false;
    }
    bool NextStep() {
      at += step;
      if (at < count) {
        return true;
      }
      at = 0;
      return false;
    }
  };

  int64_t blocks_m_;
  int64_t blocks_n_;
  int64_t step_m_;
  int64_t step_n_;
  bool m_first_;
  bool by_blocks_;
  int64_t m_ = 0;
  int64_t n_ = 0;
};

}  // namespace tilesim
