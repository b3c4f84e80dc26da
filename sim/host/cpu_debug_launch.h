// What the vendor's CPU debugging needs for `<<<...>>>`; here the compiler driver sees to that.
#pragma once

#include "sim/host/kernel_launch.h"  // IWYU pragma: export
#include "sim/host/tikicpulib.h"     // IWYU pragma: export
