// Kernels that only move a matrix from GM into the cores, tile by tile, as those that were measured did.
#pragma once

#include <cstdint>

#include "ops/cases/case_cells.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Who reads what.
enum class ReadOrder : uint8_t {
  kOwn,        // each core the rows of its own
  kSame,       // every core all tiles, from the first to the last
  kStaggered,  // every core all tiles, each from another one on
};

// Reads of a matrix of 16-bit elements. No computation, no waits: a pipe under load and nothing else.
struct ReadKernel {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t tile_rows = 0;
  int64_t tile_columns = 0;
  bool to_l1 = false;  // with ND to NZ on AICs; otherwise to UB on vector cores
  int64_t parts = 1;   // of the columns: a part is read `passes` times before the next
  int64_t passes = 1;
  ReadOrder order = ReadOrder::kOwn;
};

// Is this what `op` of the cells asks for?
bool IsReadKernel(const CaseCells& cells);
// From the columns matrix, tile, to, parts, passes, order. Throws UserError naming what is wrong.
ReadKernel ReadReadKernel(const CaseCells& cells, const SocConfig& soc);

// On all cores of the part; cycles and time only.
LaunchResult Run(const ReadKernel& kernel, const SocConfig& soc, int threads);

}  // namespace tilesim
