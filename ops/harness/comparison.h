#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/compare.h"
#include "formats/tensor.h"
#include "ops/cases/case_file.h"
#include "ops/operator_run.h"

namespace tilesim {

// What one of an operator's outputs must be: the direct loop's answer, and what the case's file says.
struct CaseTruth {
  Truth direct;
  std::string expected_file;                  // of the case; empty: none
  std::vector<double> expected;               // what it says, in canonical order
  std::vector<int64_t> expected_wholes = {};  // in its place of an int64 output
};

// Computes the direct loop and reads the files the case names; its absdot_file and products, where given,
// take the place of the computed ones of the first output. One for each output. Throws UserError for a file
// that does not fit.
std::vector<CaseTruth> MakeTruth(const Case& problem, const Operator& op, std::span<const Tensor> inputs,
                                 int threads);

// Whether infinities become finite numbers in the first output, which is of 16 bits.
bool SaturatesInfinities(const Operator& op, const SocConfig& soc);

// Whether numerics.ieee=0 of `soc` loses something of the inputs: one that the result is made of is not
// finite, and the result's 16-bit type would turn NaN into 0, which could not be told from a lost value.
bool NeedsIeee(const Operator& op, std::span<const Tensor> inputs, const SocConfig& soc);

struct ComparisonVerdict {
  Comparison comparison;  // of the first output, with the direct loop
  // Outputs that are NaN, and would not be but for the zeros that the device multiplies and others leave out.
  int64_t nan_on_device = 0;
  bool equal = true;    // every output, with the direct loop and the file
  std::string message;  // first and worst mismatch with who wrote them, and what was taken as NaN
};

// Compares each output as the operator's rule says. The device multiplies zeros, of padding for one, that the
// direct loop and other programs leave out; where one meets inf or NaN the output may be NaN: it is then
// counted, and taken as right. `soc`: that of the run; see NeedsIeee.
ComparisonVerdict CompareWithTruth(const Operator& op, const Plan& plan, const SocConfig& soc,
                                   std::span<const Tensor> outputs, std::vector<CaseTruth> truths,
                                   const RunOptions& options);

// Adds `line`, unless it is empty, to the lines of a message.
void AddLine(std::string& text, const std::string& line);

// The rule of the error bound for outputs whose products are summed in `parts` chains of at most `chain`
// products, which are then added up.
Rule RuleOfChains(double chain, double parts, double products);

}  // namespace tilesim
