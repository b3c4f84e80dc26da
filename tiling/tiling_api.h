// The tiling classes and functions of the kernel library, for host programs.
#pragma once

#include "tiling/library/elementwise_tmp_size.h"
