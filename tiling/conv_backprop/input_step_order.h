// The order in which Conv3DBackpropInput takes the products of a block. Arithmetic that the tile program and
// its tests share: it knows no memory and no time.
#pragma once

#include <cstdint>

#include "tiling/conv_backprop/conv_depth.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_image.h"
#include "tiling/conv_backprop/whole_numbers.h"

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
class InputStepOrder {
 public:
  // Some lines of cout1.
  struct Lines {
    int64_t first = 0;
    int64_t count = 0;
  };

  // Lines of cout1 in a tile of A (the gradient) and of B (the weights); one is a multiple of the other.
  void Init(const tilesim::ConvDepth& depth, int64_t lines_a, int64_t lines_b) {
    depth_ = depth;
    lines_a_ = lines_a;
    lines_b_ = lines_b;
  }
  // Lines of cout1 of the single shape, and its plane of dx.
  void Start(int64_t lines, int64_t din) {
    lines_ = lines;
    din_ = din;
  }

  [[nodiscard]] int64_t lines_b() const { return lines_b_; }
  [[nodiscard]] int64_t LinesOfStep() const { return Least(lines_a_, lines_b_); }
  // The lines of a step; those of the tile of A or B that it is taken from.
  [[nodiscard]] int64_t LinesOf(const InputStep& step) const {
    return Least(LinesOfStep(), lines_ - step.plane);
  }
  [[nodiscard]] Lines TileOfA(const InputStep& step) const { return TileOf(step, lines_a_); }
  [[nodiscard]] Lines TileOfB(const InputStep& step) const { return TileOf(step, lines_b_); }
  // The depth plane of the gradient that a step takes.
  [[nodiscard]] int64_t PlaneOf(const InputStep& step) const { return depth_.PlaneOf(din_, step.tap_d); }
  // Steps that the operand with the larger tile takes from one tile.
  [[nodiscard]] int64_t StepsOfTile() const {
    return (lines_a_ > lines_b_ ? lines_a_ : lines_b_) / LinesOfStep();
  }

  // The first step of a block; false where nothing reaches it.
  bool First(const InputBlockWalk& walk, InputStep& step) const {
    const InputBlock& block = walk.block();
    step.walk = walk;
    step.rows = SpanBehind(block.h, block.row_begin, block.row_end);
    step.columns = SpanBehind(block.w, 0, block.w.pixels);
    step.tap_d = TapFrom(0);
    step.plane = 0;
    return step.tap_d >= 0 && step.rows.count > 0 && step.columns.count > 0;
  }
  // The next step of the same block.
  bool Next(InputStep& step) const {
    step.plane += LinesOfStep();
    if (step.plane < lines_) {
      return true;
    }
    step.plane = 0;
    step.tap_d = TapFrom(step.tap_d + 1);
    return step.tap_d >= 0;
  }
  // The next step of this block or of a later one, of `most_blocks` at most.
  bool NextAnywhere(InputStep& step, int64_t most_blocks = INT64_MAX) const {
    if (Next(step)) {
      return true;
    }
    InputBlockWalk walk = step.walk;
    for (int64_t i = 0; i < most_blocks && walk.Next(); ++i) {
      if (First(walk, step)) {
        return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] Lines TileOf(const InputStep& step, int64_t lines) const {
    const int64_t first = step.plane / lines * lines;
    return {.first = first, .count = Least(lines, lines_ - first)};
  }
  // The first tap in depth from `tap` on that reaches the plane of dx; -1 where there is none.
  [[nodiscard]] int64_t TapFrom(int64_t tap) const {
    for (; tap < depth_.dk; ++tap) {
      if (depth_.PlaneOf(din_, tap) >= 0) {
        return tap;
      }
    }
    return -1;
  }

  tilesim::ConvDepth depth_;
  int64_t lines_a_ = 1;
  int64_t lines_b_ = 1;
  int64_t lines_ = 0;
  int64_t din_ = 0;
};

}  // namespace ConvBackpropApi
