#pragma once
// The tiling classes of the Matmul object.
#include "tiling/matmul_api/matmul_api_tiling.h"  // IWYU pragma: export
