// The header a kernel includes: the whole kernel-facing API (namespace AscendC). Kernels written for the
// device compile against it unchanged.
#pragma once

// The vendor's own include guards: its headers, included by relative path, then expand to nothing.
#define ASCENDC_MODULE_BASIC_INTERFACE_H
#define ASCENDC_MODULE_UTILS_H

#include <math.h>  // kernels name sqrt and exp of a scalar without a namespace

#include "sim/ascendc/absent.h"
#include "sim/ascendc/assertion.h"
#include "sim/ascendc/bilinear_interpolation.h"
#include "sim/ascendc/buf_pool.h"
#include "sim/ascendc/compiler_names.h"
#include "sim/ascendc/cube.h"
#include "sim/ascendc/data_cache.h"
#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/data_copy_forms.h"
#include "sim/ascendc/data_copy_pad.h"
#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/fixpipe_forms.h"
#include "sim/ascendc/init_soc_state.h"
#include "sim/ascendc/layout.h"
#include "sim/ascendc/list_tensor_desc.h"
#include "sim/ascendc/load_data.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/local_mem_allocator.h"
#include "sim/ascendc/numeric_limits.h"
#include "sim/ascendc/print.h"
#include "sim/ascendc/profile.h"
#include "sim/ascendc/scalar.h"
#include "sim/ascendc/soft_sync.h"
#include "sim/ascendc/sync.h"
#include "sim/ascendc/system.h"
#include "sim/ascendc/system_calls.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/tensor_operators.h"
#include "sim/ascendc/tensor_trait.h"
#include "sim/ascendc/tiling_macros.h"
#include "sim/ascendc/tpipe.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/unmodelled.h"
#include "sim/ascendc/vector_cast.h"
#include "sim/ascendc/vector_control.h"
#include "sim/ascendc/vector_dequant.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/ascendc/vector_gather.h"
#include "sim/ascendc/vector_index.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/ascendc/vector_reduce.h"
#include "sim/ascendc/vector_select.h"
#include "sim/ascendc/vector_sort.h"
#include "sim/ascendc/vector_transpose.h"
#include "sim/ascendc/workspace.h"
// behind the basic calls, which it is made of
#include "sim/ascendc/lib/kernel_api.h"
