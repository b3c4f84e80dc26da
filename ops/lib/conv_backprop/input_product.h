// The product of Conv3DBackpropInput: windows of the gradient by the reversed weights, summed over depth,
// taps and output channels.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/cube_block.h"
#include "lib/conv_backprop/input_gradient.h"
#include "lib/conv_backprop/input_l1_tiles.h"
#include "lib/conv_backprop/input_steps.h"
#include "lib/conv_backprop/input_weights.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// The part of a single shape that is not in InputShape.
struct InputProductShape {
  int64_t planes = 0;  // lines of cout1
  int64_t lines = 0;   // of cin1
  int64_t din = 0;
  int64_t first_row = 0;  // of the gradient, with which its tensor begins
};

// Computes blocks of dx into L0C, with the tiles of both operands that it takes them from in L1. `turned`:
// the operands are exchanged, so that a block has channels as its rows and pixels as its columns. Knows not
// where a block goes.
template <class T, bool turned>
class InputProduct {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const TConv3DBackpropInputTiling& tiling) {
    tiling_ = &tiling;
    steps_.Init(tiling, turned);
    a1_.Init(pipe, tiling.al1Pbuffer, static_cast<uint64_t>(steps_.elements_a()));
    b1_.Init(pipe, tiling.bl1Pbuffer, static_cast<uint64_t>(steps_.l1().elements_b));
    cube_.Init(pipe, {.rows = turned ? tiling.baseN : tiling.baseM,
                      .columns = turned ? tiling.baseM : tiling.baseN,
                      .k = tiling.baseK,
                      .copies = CopiesInL0(tiling),
                      .results = tiling.cl0Pbuffer});
  }
  // What stands in L1 of an operand is good for as long as its tensor stays.
  __aicore__ inline void ForgetGradient() { a1_.Clear(); }
  __aicore__ inline void ForgetWeights() { b1_.Clear(); }
  // A single shape.
  __aicore__ inline void Start(const InputShape& shape, const InputProductShape& more,
                               const AscendC::GlobalTensor<T>& gradient,
                               const AscendC::GlobalTensor<T>& weight) {
    planes_ = more.planes;
    steps_.Start(more.planes, more.lines, more.din);
    gradient_.Start(*tiling_, gradient, more.first_row, shape.rows.stride / shape.rows.split,
                    shape.columns.stride / shape.columns.split);
    weights_.Start(*tiling_, weight);
  }

  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void Compute(const InputBlockWalk& walk) {
    cube_.Begin();
    InputStep step;
    if (steps_.order().First(walk, step)) {
      bool init = true;
      do {
        AscendC::MarkTile("m", walk.m(), "n", walk.n(), "k", step.tap_d * planes_ + step.plane);
        ComputeStep(step, init);
        init = false;
      } while (steps_.order().Next(step));
    } else {
      AscendC::MarkTile("m", walk.m(), "n", walk.n(), "k", 0);
      MakeZero(walk);
    }
    cube_.Finish();
  }

  const InputSteps& steps() const { return steps_; }
  CubeBlock<T>& cube() { return cube_; }
  __aicore__ inline void End() {
    a1_.End();
    b1_.End();
    cube_.End();
  }

 private:
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / sizeof(T);

  // K of one step, piece by piece.
  __aicore__ inline void ComputeStep(const InputStep& step, bool init) {
    const GradientTile tile_a = steps_.TileA(step);
    const WeightTile tile_b = steps_.TileB(step);
    Place(step, tile_a, tile_b);
    const AscendC::LocalTensor<T>& a1 = a1_.Take();
    const AscendC::LocalTensor<T>& b1 = b1_.Take();
    const InputBlock& block = step.walk.block();
    const int64_t line = tile_b.taps() * kC0;  // K behind one plane
    const int64_t k_end = steps_.Planes(step) * line;
    const int64_t piece = PieceOfK(k_end, tiling_->baseK, kC0);
    for (int64_t k = 0; k < k_end; k += piece) {
      const int64_t k_length = Least(piece, k_end - k);
      Multiply(step.walk, k_length, init && k == 0, [&](const auto& a2, const auto& b2) {
        const int64_t k_in_a1 = (step.plane - tile_a.plane) * line + k;
        const int64_t k_in_b1 = (step.plane - tile_b.plane) * line + k;
        if constexpr (turned) {
          weights_.LoadReversedRows(a2, b1, tile_b, k_in_b1, k_length);
          gradient_.LoadPixels(b2, a1, tile_a, block, k_in_a1, k_length);
        } else {
          gradient_.LoadWindows(a2, a1, tile_a, block, step.rows, step.columns, k_in_a1, k_length);
          weights_.LoadReversed(b2, b1, tile_b, k_in_b1, k_length);
        }
      });
    }
  }

  // Makes the tiles of a step those in use and, where one is new, has its operand's next one brought.
  __aicore__ inline void Place(const InputStep& step, const GradientTile& tile_a, const WeightTile& tile_b) {
    const bool new_a = !a1_.InUse(tile_a);
    const bool new_b = !b1_.InUse(tile_b);
    const auto load_a = [this](const GradientTile& tile) {
      return [this, &tile](const AscendC::LocalTensor<T>& dst, int32_t buffer) {
        gradient_.Load(dst, buffer, tile);
      };
    };
    const auto load_b = [this](const WeightTile& tile) {
      return [this, &tile](const AscendC::LocalTensor<T>& dst, int32_t) { weights_.Load(dst, tile); };
    };
    a1_.Place(tile_a, load_a(tile_a));
    b1_.Place(tile_b, load_b(tile_b));
    if (new_a) {
      BringNext(
          a1_, step, tile_a, [this](const InputStep& next) { return steps_.TileA(next); }, load_a);
    }
    if (new_b) {
      BringNext(
          b1_, step, tile_b, [this](const InputStep& next) { return steps_.TileB(next); }, load_b);
    }
  }

  // Brings the tile that the operand takes after this one into its other buffer.
  template <class Tiles, class Tile, class TileOf, class Load>
  __aicore__ inline void BringNext(Tiles& tiles, const InputStep& step, const Tile& tile,
                                   const TileOf& tile_of, const Load& load) {
    if (!tiles.CanBring()) {
      return;
    }
    const int64_t steps = steps_.order().StepsOfTile();
    InputStep next = step;
    for (int64_t i = 0; i < steps && steps_.order().NextAnywhere(next); ++i) {
      const Tile next_tile = tile_of(next);
      if (!(next_tile == tile)) {
        tiles.Bring(next_tile, load(next_tile));
        return;
      }
    }
  }

  // Zeros for a block that nothing reaches.
  __aicore__ inline void MakeZero(const InputBlockWalk& walk) {
    Multiply(walk, kC0, true, [&](const auto& a2, const auto& b2) {
      const auto rows = static_cast<uint16_t>(CeilOf(RowsOf(walk), 16));
      const auto columns = static_cast<uint16_t>(CeilOf(ColumnsOf(walk), 16));
      AscendC::InitConstValue(a2, AscendC::InitConstValueParams<T>(1, rows, 0, T(0)));
      AscendC::InitConstValue(b2, AscendC::InitConstValueParams<T>(1, columns, 0, T(0)));
    });
  }

  template <class Load>
  __aicore__ inline void Multiply(const InputBlockWalk& walk, int64_t k_length, bool init, Load&& load) {
    cube_.Multiply({.m = static_cast<uint64_t>(RowsOf(walk)),
                    .n = static_cast<uint64_t>(ColumnsOf(walk)),
                    .k = static_cast<uint64_t>(k_length),
                    .init = init},
                   load);
  }

  // Of the product of a block.
  __aicore__ inline int64_t RowsOf(const InputBlockWalk& walk) const {
    return turned ? steps_.Lines(walk) * kC0 : walk.block().pixels;
  }
  __aicore__ inline int64_t ColumnsOf(const InputBlockWalk& walk) const {
    return turned ? walk.block().pixels : steps_.Lines(walk) * kC0;
  }

  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  int64_t planes_ = 0;  // of cout1
  InputSteps steps_;
  InputL1Tiles<T, AscendC::TPosition::A1, GradientTile> a1_;
  InputL1Tiles<T, AscendC::TPosition::B1, WeightTile> b1_;
  GradientLoader<T> gradient_;
  WeightLoader<T> weights_;
  CubeBlock<T> cube_;
};

}  // namespace ConvBackpropApi
