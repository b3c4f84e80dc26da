// The functions of the high-level library, each family in a folder of its own. Headers that hold one function
// are there for kernels that include them by their published names.
#pragma once

#include "sim/ascendc/lib/activation/activation.h"
#include "sim/ascendc/lib/activation/softmax.h"
#include "sim/ascendc/lib/filter/dropout.h"
#include "sim/ascendc/lib/math/axpy.h"
#include "sim/ascendc/lib/math/basic_forms.h"
#include "sim/ascendc/lib/math/exp.h"
#include "sim/ascendc/lib/math/one_value.h"
#include "sim/ascendc/lib/math/power.h"
#include "sim/ascendc/lib/normalization/normalization.h"
#include "sim/ascendc/lib/quantization/quantization.h"
#include "sim/ascendc/lib/reduce/reduce.h"
#include "sim/ascendc/lib/select/selectwithbytesmask.h"
#include "sim/ascendc/lib/sort/topk.h"
#include "sim/ascendc/lib/transpose/transpose.h"
