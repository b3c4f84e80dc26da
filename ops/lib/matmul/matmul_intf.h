// The same as lib/matmul_intf.h, by the path that some kernels name.
#pragma once

#include "lib/matmul_intf.h"  // IWYU pragma: export
