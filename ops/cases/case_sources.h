// The cells of a case that say on which part it runs, where its tensors come from, and what to compare with.
#pragma once

#include <string>

#include "ops/cases/case_cells.h"
#include "ops/cases/case_file.h"
#include "ops/cases/refusal.h"

namespace tilesim {

// Reads soc, seed, range, the files, products and measured_us. Paths are relative to `folder`; dtype: of the
// inputs, which bounds the range.
void ReadSources(const CellReader& cells, DType dtype, const std::string& folder, Case& result,
                 Refusals& refusals);

}  // namespace tilesim
