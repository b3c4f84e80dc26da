#pragma once

#include "cli/arguments.h"
#include "cli/outcome.h"

namespace tilesim {

// `tilesim list kernels FILE`: the kernels that a source defines, with their parameters. Compiles the file as
// `run FILE --kernel` does, so that a run finds it compiled.
Outcome ListKernels(const Arguments& arguments);

}  // namespace tilesim
