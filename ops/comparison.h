#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/compare.h"
#include "formats/tensor.h"
#include "ops/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"

namespace tilesim {

// What dw must be. Doubles in canonical order of the filter.
struct FilterTruth {
  std::vector<double> reference;  // of the direct loop
  std::vector<double> expected;   // of the case's file; empty: none
  std::vector<double> absdot;
  double products = 0;  // the largest number of one output
};

// Computes the direct loop and reads the files the case names. Throws UserError for a file that does not fit.
FilterTruth MakeFilterTruth(const Case& problem, const Tensor& x, const Tensor& dy, int threads);

struct FilterVerdict {
  Comparison comparison;  // with the direct loop
  std::string message;    // first and worst mismatch with who wrote them; empty: all equal
};

FilterVerdict CompareWithTruth(const Case& problem, const FilterPlan& plan, const SocConfig& soc,
                               const Tensor& dw, const FilterTruth& truth, const FilterRunOptions& options);

// The rule of the error bound for sums as this tiling makes them: chains of one task's products, and the
// chains summed.
Rule RuleOf(const FilterTiling& tiling, double products);

}  // namespace tilesim
