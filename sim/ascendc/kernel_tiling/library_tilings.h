// The tilings of the row-wise functions of the high-level library as kernels see them.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/norm_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/rearrange_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/softmax_tiling_fields.h"

namespace AscendC::tiling {

#define TILESIM_PLAIN_FIELD(type, name) type name = {};
#define TILESIM_VISIT_FIELD(type, name) visit(#name, tiling.name);
// The struct, and VisitTilingFields(tiling, visit), which calls visit(name, field) for each field.
#define TILESIM_TILING(STRUCT, FIELDS)                         \
  struct STRUCT {                                              \
    FIELDS(TILESIM_PLAIN_FIELD)                                \
  };                                                           \
  template <class Visit>                                       \
  void VisitTilingFields(STRUCT& tiling, const Visit& visit) { \
    FIELDS(TILESIM_VISIT_FIELD)                                \
  }

TILESIM_TILING(SoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS)
TILESIM_TILING(LogSoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS)
TILESIM_TILING(LayerNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS)
TILESIM_TILING(LayerNormSeparateTiling, TILESIM_LAYER_NORM_SEPARATE_TILING_FIELDS)
TILESIM_TILING(RmsNormTiling, TILESIM_RMS_NORM_TILING_FIELDS)
TILESIM_TILING(DeepNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS)
TILESIM_TILING(LayerNormGradTiling, TILESIM_LAYER_NORM_GRAD_TILING_FIELDS)
TILESIM_TILING(LayerNormGradBetaTiling, TILESIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS)
TILESIM_TILING(GroupNormTiling, TILESIM_GROUP_NORM_TILING_FIELDS)
TILESIM_TILING(BatchNormTiling, TILESIM_BATCH_NORM_TILING_FIELDS)
TILESIM_TILING(TopkTiling, TILESIM_TOPK_TILING_FIELDS)
TILESIM_TILING(ConfusionTransposeTiling, TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS)
TILESIM_TILING(PadTiling, TILESIM_PAD_TILING_FIELDS)
TILESIM_TILING(UnPadTiling, TILESIM_UNPAD_TILING_FIELDS)

#undef TILESIM_TILING
#undef TILESIM_VISIT_FIELD
#undef TILESIM_PLAIN_FIELD

static_assert(sizeof(SoftMaxTiling) == 64);

}  // namespace AscendC::tiling
