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
    MatmulOperand<T> operand_a;  // (m, k), transposed (k, m)
    MatmulOperand<T> operand_b;  // (k, n), transposed (n, k)
    operand_a.Init(a, shape.transpose_a ? shape.m : shape.k, shape.transpose_a, false);
    operand_b.Init(b, shape.transpose_b ? shape.k : shape.n, !shape.transpose_b, shape.transpose_b);
    result_.Init(c, shape.n);
    AscendC::SetHF32Mode(shape.hf32);
    AscendC::TPipe pipe;
    product_.Init(pipe, tiling.data);
    product_.SetOperands(operand_a, operand_b, shape.transpose_a && sizeof(T) == sizeof(float));
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

  const MatmulTiling* tiling_ = nullptr;
  MatmulProduct<T> product_;
  MatmulBlocks blocks_;
  MatmulResult<O> result_;
};

}  // namespace tilesim
