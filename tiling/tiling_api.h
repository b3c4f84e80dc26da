// The tiling classes and functions of the kernel library, for host programs.
#pragma once

#include "tiling/activation/softmax_tiling.h"
#include "tiling/library/elementwise_tmp_size.h"
#include "tiling/library/rearrange_tiling.h"
#include "tiling/library/reduce_tmp_size.h"
#include "tiling/matmul_api/matmul_api_tiling.h"
#include "tiling/normalization/norm_tiling.h"
