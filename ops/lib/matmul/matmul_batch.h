// Where the matrices of the products of one IterateBatch lie.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_types.h"

namespace tilesim {

// From where the tensor begins to a matrix, and from row to row, elements; row 0: as SetOrgShape says.
struct MatmulBatchPlace {
  int64_t offset = 0;
  int64_t row = 0;
};

// Elements from one matrix to the next as a call gives them; 0: as the layout says.
struct MatmulStrides {
  int64_t a = 0, b = 0, c = 0;
};

// The axes of a tensor of batches as its tiling has them: a matrix is (s, d), and there is one for each
// (b, n, g). NORMAL: one whole matrix of the object behind the other.
struct MatmulBatchAxes {
  LayoutMode layout = LayoutMode::NORMAL;
  int64_t b = 1, s = 1, n = 1, g = 1, d = 1;

  // Matrix `index` in the order of (b, n, g); `stride`: elements from one to the next, 0 as the layout says.
  // `whole`: elements of a matrix of NORMAL.
  [[nodiscard]] MatmulBatchPlace At(int64_t index, int64_t stride, int64_t whole) const {
    const int64_t of_b = n * g;  // matrices
    int64_t row = 0;
    int64_t offset = index * whole;
    if (layout == LayoutMode::BSNGD) {
      row = of_b * d;
      offset = index / of_b * s * row + index % of_b * d;
    } else if (layout == LayoutMode::SBNGD) {
      row = b * of_b * d;
      offset = index * d;
    } else if (layout == LayoutMode::BNGS1S2) {
      row = d;
      offset = index * s * d;
    }
    return {stride != 0 ? index * stride : offset, row};
  }
};

inline MatmulBatchAxes AxesOf(LayoutMode layout, int64_t b, int64_t s, int64_t n, int64_t g, int64_t d) {
  return layout == LayoutMode::NORMAL ? MatmulBatchAxes{} : MatmulBatchAxes{layout, b, s, n, g, d};
}

// The products of one IterateBatch: `batch_a` matrices of A and `batch_b` of B give as many of C as the
// larger of the two. Of an axis that is shorter in one operand each matrix serves as many of the other, one
// after the other.
struct MatmulBatches {
  MatmulBatchAxes a, b, c;
  int64_t batch_a = 0, batch_b = 0;

  [[nodiscard]] int64_t count() const { return std::max(batch_a, batch_b); }
  [[nodiscard]] int64_t IndexA(int64_t index) const { return Own(index, a, batch_a); }
  [[nodiscard]] int64_t IndexB(int64_t index) const { return Own(index, b, batch_b); }

  void Check(Core& core) const {
    const auto axes = [&](const char* setter, const MatmulBatchAxes& one) {
      for (const int64_t axis : {one.b, one.s, one.n, one.g, one.d}) {
        core.Require(axis > 0, FaultKind::kMisuse, setter, "tiling: an axis of the layout is ", axis,
                     ", must be positive; call ", setter, " of the tiling before GetTiling");
      }
    };
    axes("SetALayout", a);
    axes("SetBLayout", b);
    axes("SetCLayout", c);
    const auto divides = [](int64_t one, int64_t other) {
      return std::max(one, other) % std::min(one, other) == 0;
    };
    core.Require(
        batch_a > 0 && batch_b > 0 && divides(batch_a, batch_b), FaultKind::kLimit, "batchA", "is ", batch_a,
        " and batchB ", batch_b,
        "; both are at least 1, and one is a multiple of the other (without SetBatchNum they are 0)");
    core.Require(divides(a.n, b.n) && divides(a.g, b.g), FaultKind::kLimit, "SetBLayout",
                 "tiling: N and G of B are ", b.n, " and ", b.g, ", of A ", a.n, " and ", a.g,
                 "; of each two one is a multiple of the other");
    core.Require(c.layout == LayoutMode::NORMAL || (c.n == N() && c.g == G()), FaultKind::kLimit,
                 "SetCLayout", "tiling: N and G of C are ", c.n, " and ", c.g, ", of A and B ", N(), " and ",
                 G(), "; they must be these (tilesim does not model sums over G)");
    core.Require(IndexA(count() - 1) + 1 == batch_a && IndexB(count() - 1) + 1 == batch_b, FaultKind::kLimit,
                 "batchA", "is ", batch_a, " and batchB ", batch_b,
                 ", which are not N * G of their layouts, or the same share of both");
  }

 private:
  [[nodiscard]] int64_t N() const { return std::max(a.n, b.n); }
  [[nodiscard]] int64_t G() const { return std::max(a.g, b.g); }
  // How many b there are of an operand.
  static int64_t LengthOfB(const MatmulBatchAxes& axes, int64_t batch) {
    return std::max<int64_t>(1, batch / (axes.n * axes.g));
  }
  // The matrix of an operand with `batch` of them that product `index` takes.
  [[nodiscard]] int64_t Own(int64_t index, const MatmulBatchAxes& own, int64_t batch) const {
    const int64_t g = index % G() / (G() / own.g);
    const int64_t n = index / G() % N() / (N() / own.n);
    const int64_t most_b = std::max(LengthOfB(a, batch_a), LengthOfB(b, batch_b));
    const int64_t of_b = index / (G() * N()) / std::max<int64_t>(1, most_b / LengthOfB(own, batch));
    return (of_b * own.n + n) * own.g + g;
  }
};

// One product of them; that of a product by itself has no offset.
struct MatmulOfBatch {
  MatmulBatchPlace a, b, c;
  int64_t bias = 0;  // elements from the first one's
};

}  // namespace tilesim
