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
  double products = 0;           // the largest number of one output
  int64_t nan_from_padding = 0;  // outputs that the device makes NaN, where padding meets inf or NaN
};

// Computes the direct loop and reads the files the case names. The device multiplies the zeros of padding,
// the direct loop and other programs leave them out: where dy is inf or NaN there, `reference` and `expected`
// become NaN, and are counted. Throws UserError for a file that does not fit.
FilterTruth MakeFilterTruth(const Case& problem, const Tensor& x, const Tensor& dy, int threads);

struct FilterVerdict {
  Comparison comparison;  // with the direct loop
  bool equal = true;      // with the direct loop and the file
  std::string message;    // first and worst mismatch with who wrote them, and what was taken as NaN
};

FilterVerdict CompareWithTruth(const Case& problem, const FilterPlan& plan, const SocConfig& soc,
                               const Tensor& dw, const FilterTruth& truth, const FilterRunOptions& options);

// The rule of the error bound for sums as this tiling makes them: chains of one task's products, and the
// chains summed.
Rule RuleOf(const FilterTiling& tiling, double products);

}  // namespace tilesim
