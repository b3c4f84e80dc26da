// The order in which Conv3DBackpropInput takes the products of a block, and the tiles in L1 that each needs.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/input_gradient.h"
#include "lib/conv_backprop/input_weights.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_depth.h"
#include "tiling/conv_backprop/input_image.h"
#include "tiling/conv_backprop/input_l1.h"

namespace ConvBackpropApi {

// Lines of cout1 of one tap in depth, for one block: as many as stand in L1 of both operands.
struct InputStep {
  InputBlockWalk walk;
  GradientSpan rows;  // of the gradient, behind the block
  GradientSpan columns;
  int64_t tap_d = -1;
  int64_t plane = 0;
};

// The steps of one single shape: the sum of a block runs over the taps in depth that reach it and over cout1.
// Knows no memory.
class InputSteps {
 public:
  // `padded`: tiles of the gradient have their padding around them in L1.
  __aicore__ inline void Init(const TConv3DBackpropInputTiling& tiling, bool padded) {
    tiling_ = &tiling;
    padded_ = padded;
    c0_ = tiling.c0;
    l1_ = tilesim::InputL1::Of(tiling);
    planes_a_ = l1_.lines;
    planes_b_ = l1_.lines * tiling.stepKb / tiling.stepKa;
    depth_ = {.di = tiling.di,
              .dout = tiling.dout,
              .dk = tiling.dk,
              .stride = tiling.strideD,
              .dilation = tiling.dilationD,
              .pad_front = tiling.padFront};
    elements_a_ = l1_.elements_a;
    if (padded) {
      FitPadded();
    }
  }
  // Lines of cout1 and of cin1 of the single shape, and its plane of dx.
  __aicore__ inline void Start(int64_t planes, int64_t lines, int64_t din) {
    planes_ = planes;
    lines_ = lines;
    din_ = din;
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
  __aicore__ inline int64_t Planes(const InputStep& step) const {
    return Least(PlanesOfStep(), planes_ - step.plane);
  }
  // Steps that the operand with the larger tile takes from one tile.
  __aicore__ inline int64_t StepsOfTile() const {
    return (planes_a_ > planes_b_ ? planes_a_ : planes_b_) / PlanesOfStep();
  }

  // The first step of a block; false where nothing reaches it.
  __aicore__ inline bool First(const InputBlockWalk& walk, InputStep& step) const {
    const InputBlock& block = walk.block();
    step.walk = walk;
    step.rows = SpanBehind(block.h, block.row_begin, block.row_end);
    step.columns = SpanBehind(block.w, 0, block.w.pixels);
    step.tap_d = TapFrom(0);
    step.plane = 0;
    return step.tap_d >= 0 && step.rows.count > 0 && step.columns.count > 0;
  }
  // The next step of the same block.
  __aicore__ inline bool Next(InputStep& step) const {
    step.plane += PlanesOfStep();
    if (step.plane < planes_) {
      return true;
    }
    step.plane = 0;
    step.tap_d = TapFrom(step.tap_d + 1);
    return step.tap_d >= 0;
  }
  // The next step of this block or of a later one.
  __aicore__ inline bool NextAnywhere(InputStep& step) const {
    if (Next(step)) {
      return true;
    }
    InputBlockWalk walk = step.walk;
    while (walk.Next()) {
      if (First(walk, step)) {
        return true;
      }
    }
    return false;
  }

  __aicore__ inline GradientTile TileA(const InputStep& step) const {
    const int64_t plane = step.plane / planes_a_ * planes_a_;
    GradientTile tile = {.dout = depth_.PlaneOf(din_, step.tap_d),
                         .plane = plane,
                         .planes = Least(planes_a_, planes_ - plane),
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
    const int64_t plane = step.plane / planes_b_ * planes_b_;
    return {.tap_d = step.tap_d,
            .line = FirstLine(step.walk),
            .lines = Lines(step.walk),
            .plane = plane,
            .planes = Least(planes_b_, planes_ - plane),
            .h = TapsOf(step.walk.block().h, tiling_->hk),
            .w = TapsOf(step.walk.block().w, tiling_->wk)};
  }

 private:
  static __aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }
  __aicore__ inline int64_t PlanesOfStep() const { return Least(planes_a_, planes_b_); }

  // As many lines a tile as go into what the tiling keeps for the gradient without its padding; one at least,
  // whatever that takes.
  __aicore__ inline void FitPadded() {
    constexpr int64_t kFractal = 16;  // pixels: a row of a block is whole ones, and so much is read behind it
    const TConv3DBackpropInputTiling& t = *tiling_;
    const int64_t row = CeilOf(t.wi, kFractal) * kFractal;
    const int64_t rows = row < t.baseM ? Least(t.baseM / row, t.hi) : 1;
    const int64_t plane = (rows + int64_t{t.hk - 1} * t.dilationH) * (t.wi + int64_t{t.wk - 1} * t.dilationW);
    const int64_t least = PlanesOfStep();
    planes_a_ = least;
    while (planes_a_ > 1 && (least % planes_a_ != 0 || (planes_a_ * plane + kFractal) * c0_ > elements_a_)) {
      --planes_a_;
    }
    if ((planes_a_ * plane + kFractal) * c0_ > elements_a_) {
      elements_a_ = (planes_a_ * plane + kFractal) * c0_;
    }
  }
  // The first tap in depth from `tap` on that reaches the plane of dx; -1 where there is none.
  __aicore__ inline int64_t TapFrom(int64_t tap) const {
    for (; tap < depth_.dk; ++tap) {
      if (depth_.PlaneOf(din_, tap) >= 0) {
        return tap;
      }
    }
    return -1;
  }

  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  tilesim::InputL1 l1_;
  tilesim::InputDepth depth_;
  int64_t c0_ = 16;
  bool padded_ = false;
  int64_t elements_a_ = 0;
  int64_t planes_a_ = 1;  // lines of cout1 in a tile of A
  int64_t planes_b_ = 1;
  int64_t planes_ = 0;
  int64_t lines_ = 0;
  int64_t din_ = 0;
};

}  // namespace ConvBackpropApi
