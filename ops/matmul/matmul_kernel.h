// The tile program of the matrix product: where parts of K add into C, C is zeroed first and all cores meet.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/matmul/matmul_operand.h"
#include "lib/matmul/matmul_product.h"
#include "lib/matmul/matmul_result.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// T: of A and B; O: of C.
template <class T, class O>
class MatmulKernel {
 public:
  __aicore__ inline void Process(GM_ADDR a, GM_ADDR b, GM_ADDR c, const MatmulTiling& tiling,
                                 const MatmulShape& shape) {
    tiling_ = &tiling;
    a_.Init(a, shape.transpose_a ? shape.m : shape.k, shape.transpose_a, false);
    b_.Init(b, shape.transpose_b ? shape.k : shape.n, !shape.transpose_b, shape.transpose_b);
    result_.Init(c, shape.n);
    AscendC::SetHF32Mode(shape.hf32);
    AscendC::TPipe pipe;
    product_.Init(pipe, tiling.data);
    product_.SetOperands(a_, b_, shape.transpose_a && sizeof(T) == sizeof(float));
    const MatmulTilingData& t = tiling.data;
    blocks_.Init(pipe, t.dbL0C, t.baseM * t.baseN * static_cast<uint32_t>(sizeof(float)),
                 tiling.split.unit_flag == 1);
    if (tiling.split.k_dim > 1) {
      ZeroFill();
      AscendC::SetAtomicAdd<O>();
    }
    ForEachMatmulTask(tiling, AscendC::GetBlockIdx(), [&](const MatmulTask& task) { Run(task); });
    if (tiling.split.k_dim > 1) {
      AscendC::SetAtomicNone();
    }
    product_.End();
    blocks_.End();
  }

 private:
  // Calls f(block, m, n) for each block of the task, in order.
  template <class F>
  __aicore__ inline void ForEachBlock(const MatmulTask& task, F&& f) {
    MatmulWalk walk(tiling_->data, task);
    do {
      f(walk, task.m.Part(walk.m(), tiling_->data.baseM), task.n.Part(walk.n(), tiling_->data.baseN));
    } while (walk.Next());
  }

  __aicore__ inline void Run(const MatmulTask& task) {
    if (!AscendC::BeginTask({.kind = {kProduct, task.m.size(), task.n.size(), task.k.size()},
                             .places = {{{a_.address(), a_.At(task.m, task.k).address()},
                                         {b_.address(), b_.At(task.n, task.k).address()},
                                         {result_.address(), result_.At(task.m, task.n).address()}}}})) {
      return;
    }
    product_.Start(task);
    ForEachBlock(task, [&](const MatmulWalk& walk, const MatmulRange& m, const MatmulRange& n) {
      blocks_.Begin(m.size());
      product_.Compute(walk, blocks_);
      blocks_.ToFixpipe();
      result_.Write(blocks_.c(), m, n, blocks_.FixpipeFlag());
      blocks_.ToCube();
      AscendC::MarkTile(nullptr, 0, nullptr, 0, nullptr, 0);  // what follows belongs to another
    });
  }

  // The tasks that share a part of C divide its blocks among them.
  __aicore__ inline void ZeroFill() {
    const MatmulTilingData& t = tiling_->data;
    blocks_.Begin(t.baseM, true);
    product_.Zero(blocks_.c(), t.baseM, t.baseN);
    blocks_.ToFixpipe();
    ForEachMatmulTask(*tiling_, AscendC::GetBlockIdx(), [&](const MatmulTask& task) {
      if (!AscendC::BeginTask({.kind = {kZeros, task.m.size(), task.n.size(), task.k_part},
                               .places = {{{result_.address(), result_.At(task.m, task.n).address()}}}})) {
        return;
      }
      int64_t index = 0;
      ForEachBlock(task, [&](const MatmulWalk&, const MatmulRange& m, const MatmulRange& n) {
        if (index++ % tiling_->split.k_dim == task.k_part) {
          result_.Write(blocks_.c(), m, n, 0);
        }
      });
    });
    blocks_.ToCube();
    AscendC::CrossCoreSetFlag<0, PIPE_FIX>(AscendC::SYNC_AIC_FLAG);
    AscendC::CrossCoreWaitFlag(AscendC::SYNC_AIC_FLAG);
  }

  static constexpr int64_t kProduct = 0, kZeros = 1;  // kinds of tasks

  const MatmulTiling* tiling_ = nullptr;
  MatmulOperand<T> a_;  // (m, k), transposed (k, m)
  MatmulOperand<T> b_;  // (k, n), transposed (n, k)
  MatmulProduct<T> product_;
  MatmulBlocks<> blocks_;
  MatmulResult<O> result_;
};

}  // namespace tilesim
