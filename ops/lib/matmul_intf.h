// The Matmul object: C = A * B + bias on the cube core, called from the cube core itself or, in mixed kernels,
// from the vector cores by messages.
#pragma once

#include "lib/matmul/matmul_object.h"  // IWYU pragma: export
