#pragma once

#include <memory>

#include "ops/cases/case_file.h"
#include "ops/operator.h"

namespace tilesim {

// The operator that a case asks for, with the case's problem.
std::unique_ptr<Operator> MakeOperator(const Case& problem);

}  // namespace tilesim
