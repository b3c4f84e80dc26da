// The tile program of a max pooling's input gradient. A core owns blocks of dx: it reads every dy whose
// window touches one and adds it where the argmax says, in fp32 and in the order of the taps; so no two cores
// write the same element, and no split changes a bit.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel_operator.h"
#include "lib/max_pool/grad_argmax.h"
#include "lib/max_pool/grad_dy.h"
#include "lib/max_pool/grad_given.h"
#include "lib/max_pool/grad_image.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/grad_writer.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// T: half, bfloat16_t, float. Argmax: GivenArgmax, or ArgmaxFromX<T> with x in its place.
template <class T, class Argmax>
class MaxPoolGradKernel {
 public:
  __aicore__ inline void Process(GM_ADDR dy, GM_ADDR argmax_or_x, GM_ADDR dx,
                                 const MaxPoolGradTiling& tiling) {
    const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
    PoolGrid grid = {.batch = Signed(t.ncDim) / tiling.split.channels,
                     .channels = tiling.split.channels,
                     .d = Signed(t.doDim),
                     .h = Signed(t.hoDim),
                     .w = Signed(t.woDim),
                     .channels_last = tiling.split.channels_last == 1};
    const PoolGrid dx_grid = {grid.batch,      grid.channels,   Signed(t.diDim),
                              Signed(t.hiDim), Signed(t.wiDim), grid.channels_last};
    channels_ = grid.channels;
    const PoolGradUb ub = UbOf(tiling, sizeof(T));
    AscendC::TPipe pipe;
    inputs_.Init(pipe, tiling, grid, ub, sizeof(T));
    argmax_.Init(pipe, tiling, ub, argmax_or_x, inputs_);
    image_.Init(pipe, tiling, ub);
    image_.SetTaps([&](int64_t kd, int64_t kh, int64_t kw) { return argmax_.TapIndex(kd, kh, kw); });
    writer_.Init(pipe, tiling, dx_grid, ub, dx, image_);
    dy_.SetGlobalBuffer(reinterpret_cast<T*>(dy));
    // one step ahead: its moves run while the step at hand is computed
    std::optional<PoolGradStep> at_hand;
    PoolGradWalk(tiling, grid).ForEachStep(AscendC::GetBlockIdx(), [&](const PoolGradStep& next) {
      if (at_hand) {
        Take(*at_hand);
      }
      Load(next);
      if (at_hand) {
        Compute(*at_hand);
      }
      at_hand = next;
    });
    if (at_hand) {
      Take(*at_hand);
      Compute(*at_hand);
    }
  }

 private:
  __aicore__ inline void Load(const PoolGradStep& step) {
    if (step.loads) {
      inputs_.Load(dy_, step);
      argmax_.Load(step);
    }
  }

  __aicore__ inline void Take(const PoolGradStep& step) {
    if (step.loads) {
      inputs_.TakeGrads(step, image_.template Spare<T>());
      argmax_.Take(step);
    }
  }

  __aicore__ inline void Compute(const PoolGradStep& step) {
    const LaneGroup& lanes = step.block.lanes;
    AscendC::MarkTile("nc", lanes.n * channels_ + lanes.c, "slot d", step.block.slots[0].begin, "slot h",
                      step.block.slots[1].begin);
    if (step.begins) {
      image_.Begin(step.block);
    }
    if (step.adds) {
      image_.Add(step, inputs_,
                 [&](int64_t kd, int64_t kh, int64_t kw) { return argmax_.TapIndex(kd, kh, kw); });
    }
    if (step.ends) {
      writer_.Store(lanes);
    }
    AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);  // the loads of the next step
  }

  int64_t channels_ = 1;
  AscendC::GlobalTensor<T> dy_;
  PoolGradInputs inputs_;
  Argmax argmax_;
  PoolGradImage image_;
  PoolGradWriter<T> writer_;
};

}  // namespace tilesim
