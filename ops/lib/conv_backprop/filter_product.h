// The product of Conv3DBackpropFilter: gradOutput by the windows of the feature map, summed over output
// pixels.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/cube_block.h"
#include "lib/conv_backprop/filter_blocks.h"
#include "lib/conv_backprop/filter_l1_tiles.h"
#include "lib/conv_backprop/filter_operands.h"

namespace ConvBackpropApi {

// Computes blocks of dw into L0C, with the tiles of both operands that it takes them from in L1. Knows not
// where a block goes.
template <class T>
class FilterProduct {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const TConv3DBpFilterTiling& tiling) {
    tiling_ = &tiling;
    const uint64_t a1 = uint64_t{tiling.stepM} * tiling.baseM * tiling.stepKa * tiling.baseK;
    a1_.Init(pipe, tiling.al1Pbuffer, a1);
    b1_.Init(pipe, tiling.bl1Pbuffer, tiling.bl1Bound);
    cube_.Init(pipe, {.rows = tiling.baseM,
                      .columns = tiling.baseN,
                      .k = tiling.baseK,
                      .copies = CopiesInL0(tiling),
                      .results = tiling.cl0Pbuffer});
  }
  // A single shape; see FilterOperands.
  __aicore__ inline void Start(const FilterShape& shape, const AscendC::GlobalTensor<T>& input,
                               const AscendC::GlobalTensor<T>& grad_output) {
    shape_ = shape;
    k_count_ = shape.BlocksOfK(*tiling_);
    operands_.Start(*tiling_, shape, input, grad_output);
  }

  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void Compute(const FilterBlockWalk& walk) {
    FilterBlockWalk next = walk;
    const bool more = next.Next();
    cube_.Begin();
    for (uint32_t k = 0; k < k_count_; ++k) {
      AscendC::MarkTile("m", walk.m, "n", walk.n, "k", k);
      const bool last = k + 1 == k_count_;
      ComputeK(k, walk, next, more);
      if (!KeepA() && (last || (k + 1) % tiling_->stepKa == 0)) {
        a1_.FreeOldest();
      }
      if (!KeepB() && (last || (k + 1) % tiling_->stepKb == 0)) {
        b1_.FreeOldest();
      }
    }
    cube_.Finish();
    if (KeepA() && (!more || next.m_step() != walk.m_step())) {
      a1_.FreeStep(walk.m_step());
    }
    if (KeepB() && (!more || next.n_step() != walk.n_step())) {
      b1_.FreeStep(walk.n_step());
    }
  }

  CubeBlock<T>& cube() { return cube_; }
  __aicore__ inline void End() {
    a1_.End();
    b1_.End();
    cube_.End();
  }

 private:
  // Does all of K stand in L1 at once? Then a tile stays until its step in M (A) or N (B) is left.
  __aicore__ inline bool KeepA() const { return k_count_ <= tiling_->stepKa * tiling_->al1Pbuffer; }
  __aicore__ inline bool KeepB() const { return k_count_ <= tiling_->stepKb * tiling_->bl1Pbuffer; }

  // How a tile is brought.
  __aicore__ inline auto LoadA(uint32_t m_step, uint32_t k_step) const {
    return [this, m_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return operands_.LoadA1(dst, m_step, k_step);
    };
  }
  __aicore__ inline auto LoadB(uint32_t n_step, uint32_t k_step) const {
    return [this, n_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return operands_.LoadB1(dst, n_step, k_step);
    };
  }

  // Brings the tiles that follow those of step k into free buffers: the next along K, or the next block's
  // first.
  __aicore__ inline void BringNext(uint32_t k, const FilterBlockWalk& walk, const FilterBlockWalk& next,
                                   bool more) {
    a1_.BringNext({.k = k,
                   .step_k = tiling_->stepKa,
                   .k_count = k_count_,
                   .now = walk.m_step(),
                   .next = next.m_step(),
                   .more = more,
                   .keep = KeepA()},
                  [this](uint32_t m_step, uint32_t k_step) { return LoadA(m_step, k_step); });
    b1_.BringNext({.k = k,
                   .step_k = tiling_->stepKb,
                   .k_count = k_count_,
                   .now = walk.n_step(),
                   .next = next.n_step(),
                   .more = more,
                   .keep = KeepB()},
                  [this](uint32_t n_step, uint32_t k_step) { return LoadB(n_step, k_step); });
  }

  // Block k of K; `next` is the block (m, n) that follows if there is one `more`.
  __aicore__ inline void ComputeK(uint32_t k, const FilterBlockWalk& walk, const FilterBlockWalk& next,
                                  bool more) {
    const uint32_t k_step_a = k / tiling_->stepKa;
    const uint32_t k_step_b = k / tiling_->stepKb;
    const auto& a1 = a1_.Need(walk.m_step(), k_step_a, LoadA(walk.m_step(), k_step_a));
    const auto& b1 = b1_.Need(walk.n_step(), k_step_b, LoadB(walk.n_step(), k_step_b));
    BringNext(k, walk, next, more);
    cube_.Multiply({.m = shape_.BlockM(*tiling_, walk),
                    .n = shape_.BlockN(*tiling_, walk),
                    .k = shape_.BlockK(*tiling_, k),
                    .init = k == 0,
                    .k_padded = sizeof(T) == 4},
                   [&](const auto& a2, const auto& b2) {
                     operands_.LoadA2(a2, a1.tensor, a1.place, walk, k);
                     operands_.LoadB2(b2, b1.tensor, b1.place, walk, k);
                   });
  }

  const TConv3DBpFilterTiling* tiling_ = nullptr;
  FilterShape shape_;
  uint32_t k_count_ = 0;  // blocks of baseK
  FilterOperands<T> operands_;
  FilterL1Tiles<T, AscendC::TPosition::A1, FilterPlaceA> a1_;
  FilterL1Tiles<T, AscendC::TPosition::B1, FilterPlaceB> b1_;
  CubeBlock<T> cube_;
};

}  // namespace ConvBackpropApi
