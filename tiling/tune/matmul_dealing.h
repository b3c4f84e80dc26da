#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tiling/cube_choice.h"
#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// How tasks follow each other in the list that is dealt out, and their parts for L2.
struct MatmulVariant {
  MatmulOrder order = MatmulOrder::kColumn;
  int64_t m_tiles = 1, n_tiles = 1;
};

// Tasks of one size.
struct MatmulDealt {
  CubeSize size;
  double count = 0;

  friend bool operator==(const MatmulDealt&, const MatmulDealt&) = default;
};

// How a matrix product's tasks are dealt out. Knows no block and no time.
class MatmulDealing {
 public:
  explicit MatmulDealing(const MatmulShape& shape) : p_(shape) {}

  // Orders that deal out the same tasks the same way are one, and so are parts for L2; as long as there are
  // not too many to compare.
  [[nodiscard]] std::vector<MatmulVariant> VariantsOf(const CubeSize& part) const;
  [[nodiscard]] int64_t TasksOf(const CubeSize& part) const;
  // The core with most to do, of equal ones the first, and what it gets, by size.
  struct Busiest {
    size_t core = 0;
    std::vector<MatmulDealt> tasks;
  };
  [[nodiscard]] static Busiest BusiestOf(const MatmulTiling& tiling);
  [[nodiscard]] std::vector<MatmulDealt> DealtBy(const CubeSize& part, const MatmulVariant& variant,
                                                 int64_t cores) const {
    return BusiestOf(TilingOf(part, variant, cores)).tasks;
  }
  // All of a tiling that says which tasks a core has.
  [[nodiscard]] MatmulTiling TilingOf(const CubeSize& part, const MatmulVariant& variant,
                                      int64_t cores) const;

 private:
  const MatmulShape p_;
};

}  // namespace tilesim
