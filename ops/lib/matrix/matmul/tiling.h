// The vendor's older place of lib/matmul_intf.h.
#pragma once

#include "lib/matmul_intf.h"  // IWYU pragma: export
