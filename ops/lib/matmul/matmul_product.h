// The product of one task, block by block.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/conv_backprop/cube_operands.h"
#include "lib/conv_backprop/filter_l1_tiles.h"
#include "lib/matmul/matmul_operand.h"
#include "lib/matmul/matmul_result.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// Computes blocks of C into L0C, with the tiles of A and B that it takes them from in L1. Knows not where a
// block goes.
template <class T>
class MatmulProduct {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MatmulTilingData& tiling) {
    tiling_ = &tiling;
    copies_a_ = tiling.depthA1 / (tiling.stepM * tiling.stepKa);
    copies_b_ = tiling.depthB1 / (tiling.stepN * tiling.stepKb);
    const uint64_t base_a = uint64_t{tiling.baseM} * tiling.baseK;
    const uint64_t base_b = uint64_t{tiling.baseN} * tiling.baseK;
    a1_.Init(pipe, copies_a_, tiling.stepM * tiling.stepKa * base_a);
    b1_.Init(pipe, copies_b_, tiling.stepN * tiling.stepKb * base_b);
    cube_.Init(pipe, {.rows = tiling.baseM,
                      .columns = tiling.baseN,
                      .k = tiling.baseK,
                      .copies = tiling.dbL0A == 2 && tiling.dbL0B == 2 ? 2U : 1U});
  }
  __aicore__ inline void SetOperands(const MatmulOperand<T>& a, const MatmulOperand<T>& b, bool a_k_padded) {
    a_ = a;
    b_ = b;
    a_k_padded_ = a_k_padded;
  }
  __aicore__ inline void Start(const MatmulTask& task) {
    task_ = task;
    k_count_ = static_cast<uint32_t>((task.k.size() + tiling_->baseK - 1) / tiling_->baseK);
  }

  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void Compute(const MatmulWalk& walk, MatmulBlocks& blocks) {
    MatmulWalk next = walk;
    const bool more = next.Next();
    for (uint32_t k = 0; k < k_count_; ++k) {
      AscendC::MarkTile("m", walk.m(), "n", walk.n(), "k", k);
      const bool last = k + 1 == k_count_;
      ComputeK(k, walk, next, more, blocks);
      if (!KeepA() && (last || (k + 1) % tiling_->stepKa == 0)) {
        a1_.FreeOldest();
      }
      if (!KeepB() && (last || (k + 1) % tiling_->stepKb == 0)) {
        b1_.FreeOldest();
      }
    }
    if (KeepA() && (!more || next.m_step() != walk.m_step())) {
      a1_.FreeStep(walk.m_step());
    }
    if (KeepB() && (!more || next.n_step() != walk.n_step())) {
      b1_.FreeStep(walk.n_step());
    }
  }

  // Zeros into the block.
  __aicore__ inline void Zero(const AscendC::LocalTensor<float>& c, int64_t m, int64_t n) {
    const auto fill = [](const AscendC::LocalTensor<T>& dst, int64_t lines) {
      const auto fractals = static_cast<uint16_t>((lines + 15) / 16 * sizeof(T) / 2);  // of K = 16
      AscendC::InitConstValue(dst, AscendC::InitConstValueParams<T>(1, fractals, 0, T(0)));
    };
    cube_.Multiply(c, {.m = static_cast<uint64_t>(m), .n = static_cast<uint64_t>(n), .k = 16, .init = true},
                   [&](const auto& a2, const auto& b2) {
                     fill(a2, m);
                     fill(b2, n);
                   });
  }

  __aicore__ inline void End() {
    a1_.End();
    b1_.End();
  }

 private:
  // Does all of K stand in L1 at once? Then a tile stays until its step in M (A) or N (B) is left.
  __aicore__ inline bool KeepA() const { return k_count_ <= tiling_->stepKa * copies_a_; }
  __aicore__ inline bool KeepB() const { return k_count_ <= tiling_->stepKb * copies_b_; }

  // How a tile is brought.
  __aicore__ inline auto BringA(uint32_t m_step, uint32_t k_step) const {
    return [this, m_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return a_.Bring(dst, task_.m.Part(m_step, int64_t{tiling_->stepM} * tiling_->baseM),
                      task_.k.Part(k_step, int64_t{tiling_->stepKa} * tiling_->baseK));
    };
  }
  __aicore__ inline auto BringB(uint32_t n_step, uint32_t k_step) const {
    return [this, n_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return b_.Bring(dst, task_.n.Part(n_step, int64_t{tiling_->stepN} * tiling_->baseN),
                      task_.k.Part(k_step, int64_t{tiling_->stepKb} * tiling_->baseK));
    };
  }

  // Brings the tiles that follow those of step k into free buffers: the next along K, or the next block's
  // first.
  __aicore__ inline void BringNext(uint32_t k, const MatmulWalk& walk, const MatmulWalk& next, bool more) {
    a1_.BringNext({.k = k,
                   .step_k = tiling_->stepKa,
                   .k_count = k_count_,
                   .now = walk.m_step(),
                   .next = next.m_step(),
                   .more = more,
                   .keep = KeepA()},
                  [this](uint32_t m_step, uint32_t k_step) { return BringA(m_step, k_step); });
    b1_.BringNext({.k = k,
                   .step_k = tiling_->stepKb,
                   .k_count = k_count_,
                   .now = walk.n_step(),
                   .next = next.n_step(),
                   .more = more,
                   .keep = KeepB()},
                  [this](uint32_t n_step, uint32_t k_step) { return BringB(n_step, k_step); });
  }

  // Block k of K; `next` is the block (m, n) that follows if there is one `more`.
  __aicore__ inline void ComputeK(uint32_t k, const MatmulWalk& walk, const MatmulWalk& next, bool more,
                                  MatmulBlocks& blocks) {
    const MatmulTilingData& t = *tiling_;
    const auto& a1 = a1_.Need(walk.m_step(), k / t.stepKa, BringA(walk.m_step(), k / t.stepKa));
    const auto& b1 = b1_.Need(walk.n_step(), k / t.stepKb, BringB(walk.n_step(), k / t.stepKb));
    BringNext(k, walk, next, more);
    const int64_t m = task_.m.Part(walk.m(), t.baseM).size();
    const int64_t n = task_.n.Part(walk.n(), t.baseN).size();
    const int64_t part_k = task_.k.Part(k, t.baseK).size();
    cube_.Multiply(blocks.c(),
                   {.m = static_cast<uint64_t>(m),
                    .n = static_cast<uint64_t>(n),
                    .k = static_cast<uint64_t>(part_k),
                    .init = k == 0,
                    .k_padded = a_k_padded_,
                    .unit_flag = blocks.MmadFlag(k + 1 == k_count_)},
                   [&](const auto& a2, const auto& b2) {
                     a_.LoadA(a2, a1.tensor, a1.place,
                              {walk.m() % t.stepM * t.baseM, m, int64_t{k % t.stepKa} * t.baseK, part_k});
                     b_.LoadB(b2, b1.tensor, b1.place,
                              {walk.n() % t.stepN * t.baseN, n, int64_t{k % t.stepKb} * t.baseK, part_k});
                   });
  }

  const MatmulTilingData* tiling_ = nullptr;
  MatmulTask task_;
  uint32_t k_count_ = 0;  // blocks of baseK
  uint32_t copies_a_ = 1;
  uint32_t copies_b_ = 1;
  bool a_k_padded_ = false;
  MatmulOperand<T> a_;
  MatmulOperand<T> b_;
  ConvBackpropApi::FilterL1Tiles<T, AscendC::TPosition::A1, MatmulPlace> a1_;
  ConvBackpropApi::FilterL1Tiles<T, AscendC::TPosition::B1, MatmulPlace> b1_;
  ConvBackpropApi::CubeOperands<T> cube_;
};

}  // namespace tilesim
