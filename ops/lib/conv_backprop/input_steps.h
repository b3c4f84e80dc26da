// The tiles in L1 that each step of Conv3DBackpropInput needs, in the order of input_step_order.h.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/input_gradient.h"
#include "lib/conv_backprop/input_weights.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/input_step_order.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// The steps of one single shape and their tiles. Knows no memory.
class InputSteps {
 public:
  // `padded`: tiles of the gradient have their padding around them in L1.
  __aicore__ inline void Init(const TConv3DBackpropInputTiling& tiling, bool padded) {
    tiling_ = &tiling;
    padded_ = padded;
    c0_ = tiling.c0;
    l1_ = tilesim::InputL1::Of(tiling);
    const int64_t lines_b = l1_.lines * tiling.stepKb / tiling.stepKa;
    elements_a_ = l1_.elements_a;
    order_.Init({.di = tiling.di,
                 .dout = tiling.dout,
                 .dk = tiling.dk,
                 .stride = tiling.strideD,
                 .dilation = tiling.dilationD,
                 .pad_front = tiling.padFront},
                padded ? FitPadded(Least(l1_.lines, lines_b)) : l1_.lines, lines_b);
  }
  // Lines of cout1 and of cin1 of the single shape, and its plane of dx.
  __aicore__ inline void Start(int64_t planes, int64_t lines, int64_t din) {
    order_.Start(planes, din);
    lines_ = lines;
  }

  const tilesim::InputL1& l1() const { return l1_; }
  // Elements of a buffer in L1 for tiles of the gradient.
  int64_t elements_a() const { return elements_a_; }
  // Of cin1: the first of a block, relative to the shape's, and how many.
  __aicore__ inline int64_t FirstLine(const InputBlockWalk& walk) const {
    return int64_t{walk.n()} * tiling_->baseN / c0_;
  }
  __aicore__ inline int64_t Lines(const InputBlockWalk& walk) const {
    return Least(lines_ - FirstLine(walk), tiling_->baseN / c0_);
  }
  // Lines of cout1 of a step.
  __aicore__ inline int64_t Planes(const InputStep& step) const { return order_.LinesOf(step); }
  const InputStepOrder& order() const { return order_; }

  __aicore__ inline GradientTile TileA(const InputStep& step) const {
    const InputStepOrder::Lines planes = order_.TileOfA(step);
    GradientTile tile = {.dout = order_.PlaneOf(step),
                         .plane = planes.first,
                         .planes = planes.count,
                         .row = step.rows.first,
                         .rows = step.rows.count,
                         .column = step.columns.first,
                         .columns = step.columns.count};
    if (padded_) {
      tile.padded = true;
      tile.pad_top = step.rows.pad_before;
      tile.pad_bottom = step.rows.pad_after;
      tile.pad_left = step.columns.pad_before;
      tile.pad_right = step.columns.pad_after;
    }
    return tile;
  }
  __aicore__ inline WeightTile TileB(const InputStep& step) const {
    const InputStepOrder::Lines planes = order_.TileOfB(step);
    return {.tap_d = step.tap_d,
            .line = FirstLine(step.walk),
            .lines = Lines(step.walk),
            .plane = planes.first,
            .planes = planes.count,
            .h = TapsOf(step.walk.block().h, tiling_->hk),
            .w = TapsOf(step.walk.block().w, tiling_->wk)};
  }

 private:
  // As many lines a tile, an even part of `most`, as go into what the tiling keeps for the gradient without
  // its padding; one at least, whatever that takes.
  __aicore__ inline int64_t FitPadded(int64_t most) {
    constexpr int64_t kFractal = 16;  // pixels: a row of a block is whole ones, and so much is read behind it
    const TConv3DBackpropInputTiling& t = *tiling_;
    const int64_t row = CeilOf(t.wi, kFractal) * kFractal;
    const int64_t rows = row < t.baseM ? Least(t.baseM / row, t.hi) : 1;
    const int64_t plane = (rows + int64_t{t.hk - 1} * t.dilationH) * (t.wi + int64_t{t.wk - 1} * t.dilationW);
    int64_t planes = most;
    while (planes > 1 && (most % planes != 0 || (planes * plane + kFractal) * c0_ > elements_a_)) {
      --planes;
    }
    if ((planes * plane + kFractal) * c0_ > elements_a_) {
      elements_a_ = (planes * plane + kFractal) * c0_;
    }
    return planes;
  }

  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  tilesim::InputL1 l1_;
  InputStepOrder order_;
  int64_t c0_ = 16;
  bool padded_ = false;
  int64_t elements_a_ = 0;
  int64_t lines_ = 0;  // of cin1
};

}  // namespace ConvBackpropApi
