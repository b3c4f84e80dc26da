// The functions of the high-level library, each family in a folder of its own.
#pragma once

#include "sim/ascendc/lib/activation/sigmoid.h"
#include "sim/ascendc/lib/activation/softmax.h"
#include "sim/ascendc/lib/math/tanh.h"
#include "sim/ascendc/lib/normalization/normalization.h"
#include "sim/ascendc/lib/reduce/reduce.h"
#include "sim/ascendc/lib/sort/topk.h"
#include "sim/ascendc/lib/transpose/transpose.h"
