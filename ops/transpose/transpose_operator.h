// transpose: the axes of a tensor in another order.
#pragma once

#include <span>
#include <vector>

#include "ops/rearrange/rearrange_operator.h"
#include "ops/transpose/transpose_problem.h"

namespace tilesim {

RearrangeShape ShapeOf(const TransposeProblem& problem);

class TransposeOperator : public RearrangeOperator {
 public:
  explicit TransposeOperator(const TransposeProblem& problem);

  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override;

 private:
  const TransposeProblem problem_;
};

}  // namespace tilesim
