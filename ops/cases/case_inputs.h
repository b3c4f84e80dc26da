// The input tensors of a case: from its files, or random.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/tensor.h"
#include "ops/cases/case_file.h"
#include "ops/operator.h"

namespace tilesim {

// Throws UserError for values that the operator cannot take; what a file gave is told as the file's.
void CheckInputs(const Case& problem, const Operator& op, std::span<const Tensor> inputs);
// Do files give some of the inputs? Random ones are finite.
bool HasFiles(const Case& problem, const Operator& op);
// Files of expected values belong to files of inputs: says which input has none.
std::string RandomInputsNote(const Case& problem, const Operator& op);

}  // namespace tilesim
