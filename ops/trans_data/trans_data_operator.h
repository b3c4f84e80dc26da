// trans_data: a tensor between a plain format and the blocked one that the cube works on.
#pragma once

#include <span>
#include <vector>

#include "ops/rearrange/rearrange_operator.h"
#include "ops/trans_data/trans_data_problem.h"

namespace tilesim {

RearrangeShape ShapeOf(const TransDataProblem& problem);

class TransDataOperator : public RearrangeOperator {
 public:
  explicit TransDataOperator(const TransDataProblem& problem);

  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override;

 private:
  const TransDataProblem problem_;
};

}  // namespace tilesim
