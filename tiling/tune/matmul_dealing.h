#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/tune/matmul_choices.h"

namespace tilesim {

// A task's operand, seen from its place among all cores' tasks.
struct MatmulDealtOperand {
  bool first = false;     // no core has read it in an earlier task
  int64_t parts = 0;      // different ones that cores alike read here
  int64_t new_parts = 0;  // of them, those that nobody has read earlier

  friend bool operator==(const MatmulDealtOperand&, const MatmulDealtOperand&) = default;
};
struct MatmulDealtTask {
  MatmulSize size;
  MatmulDealtOperand a, b;

  friend bool operator==(const MatmulDealtTask&, const MatmulDealtTask&) = default;
};

// What the core with most to do gets, and how others stand to it.
struct MatmulDealt {
  std::vector<MatmulDealtTask> tasks;
  std::vector<MatmulDealtTask> least;  // no core's are smaller, one after the other
  int64_t alike = 1;                   // cores whose tasks are of the same sizes, and it
  bool even = false;                   // all are
  // Cores among which HBM is shared when the first tile of A is fetched: for these cores, for any.
  int64_t sharers = 1, least_sharers = 1;
  bool all_in_l2 = false;  // nothing gives way

  friend bool operator==(const MatmulDealt&, const MatmulDealt&) = default;
};

// All cores' first tasks, and which cores do as the busiest one.
struct MatmulPlaces {
  uint64_t variant = 0;  // its number
  std::vector<MatmulTask> tasks;
  std::vector<size_t> alike;
};

// How a matrix product's tasks are dealt out. Knows no block and no time.
class MatmulDealing {
 public:
  MatmulDealing(const MatmulShape& shape, int64_t l2_bytes);

  // Orders that deal out the same tasks the same way are one, and so are parts for L2; as long as there are
  // not too many to compare.
  [[nodiscard]] std::vector<MatmulVariant> VariantsOf(const MatmulSize& part) const;
  // `places`: filled, if given.
  [[nodiscard]] MatmulDealt DealtBy(const MatmulSize& part, const MatmulVariant& variant, int64_t cores,
                                    MatmulPlaces* places = nullptr) const;
  [[nodiscard]] int64_t TasksOf(const MatmulSize& part) const;
  // The core with most to do.
  [[nodiscard]] static size_t BusiestCoreOf(const MatmulTiling& tiling);
  // All of a tiling that says which tasks a core has.
  [[nodiscard]] MatmulTiling TilingOf(const MatmulSize& part, const MatmulVariant& variant,
                                      int64_t cores) const;

 private:
  const MatmulShape p_;
  bool all_in_l2_;
};

}  // namespace tilesim
