// The tilings of the row-wise functions of the high-level library as kernels see them.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/norm_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/rearrange_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/softmax_tiling_fields.h"

namespace AscendC::tiling {

#define TILESIM_PLAIN_FIELD(type, name) type name = {};

struct SoftMaxTiling {
  TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct LogSoftMaxTiling {
  TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};

struct LayerNormTiling {
  TILESIM_LAYER_NORM_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct LayerNormSeparateTiling {
  TILESIM_LAYER_NORM_SEPARATE_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct RmsNormTiling {
  TILESIM_RMS_NORM_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct DeepNormTiling {
  TILESIM_LAYER_NORM_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct LayerNormGradTiling {
  TILESIM_LAYER_NORM_GRAD_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct LayerNormGradBetaTiling {
  TILESIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct GroupNormTiling {
  TILESIM_GROUP_NORM_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct BatchNormTiling {
  TILESIM_BATCH_NORM_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct TopkTiling {
  TILESIM_TOPK_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct ConfusionTransposeTiling {
  TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct PadTiling {
  TILESIM_PAD_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};
struct UnPadTiling {
  TILESIM_UNPAD_TILING_FIELDS(TILESIM_PLAIN_FIELD)
};

#undef TILESIM_PLAIN_FIELD

static_assert(sizeof(SoftMaxTiling) == 64);

}  // namespace AscendC::tiling
