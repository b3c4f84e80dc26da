// The tilings of the row-wise functions of the high-level library as kernels see them.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/norm_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/rearrange_tiling_fields.h"
#include "sim/ascendc/kernel_tiling/softmax_tiling_fields.h"

// X(struct, its fields).
#define TILESIM_LIBRARY_TILINGS(X)                                       \
  X(SoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS)                        \
  X(LogSoftMaxTiling, TILESIM_SOFTMAX_TILING_FIELDS)                     \
  X(LayerNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS)                   \
  X(LayerNormSeparateTiling, TILESIM_LAYER_NORM_SEPARATE_TILING_FIELDS)  \
  X(RmsNormTiling, TILESIM_RMS_NORM_TILING_FIELDS)                       \
  X(DeepNormTiling, TILESIM_LAYER_NORM_TILING_FIELDS)                    \
  X(LayerNormGradTiling, TILESIM_LAYER_NORM_GRAD_TILING_FIELDS)          \
  X(LayerNormGradBetaTiling, TILESIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS) \
  X(GroupNormTiling, TILESIM_GROUP_NORM_TILING_FIELDS)                   \
  X(BatchNormTiling, TILESIM_BATCH_NORM_TILING_FIELDS)                   \
  X(TopkTiling, TILESIM_TOPK_TILING_FIELDS)                              \
  X(ConfusionTransposeTiling, TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS) \
  X(PadTiling, TILESIM_PAD_TILING_FIELDS)                                \
  X(UnPadTiling, TILESIM_UNPAD_TILING_FIELDS)

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
TILESIM_LIBRARY_TILINGS(TILESIM_TILING)
#undef TILESIM_TILING
#undef TILESIM_VISIT_FIELD
#undef TILESIM_PLAIN_FIELD

static_assert(sizeof(SoftMaxTiling) == 64);

}  // namespace AscendC::tiling
