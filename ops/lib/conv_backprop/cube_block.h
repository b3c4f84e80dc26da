// The L0 side of the convolution backprop objects: operands in L0A and L0B, a block of the result in L0C.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/conv_backprop/cube_operands.h"

namespace ConvBackpropApi {

// Computes blocks as sums of products: Begin; Multiply for each part of K; Finish. Then Take gives the block
// to be written, which Free gives back. Knows nothing of what is multiplied.
template <class T>
class CubeBlock {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const CubeSizes& sizes) {
    operands_.Init(pipe, sizes);
    const uint64_t elements = CubeOperands<T>::Ceil16(sizes.rows) * CubeOperands<T>::Ceil16(sizes.columns);
    pipe.InitBuffer(c1_, static_cast<uint8_t>(sizes.results),
                    static_cast<uint32_t>(elements * sizeof(float)));
  }

  __aicore__ inline void Begin() { c_ = c1_.template AllocTensor<float>(); }

  // After `load(a2, b2)` has filled one copy of each.
  template <class Load>
  __aicore__ inline void Multiply(const CubeProduct& product, Load&& load) {
    operands_.Multiply(c_, product, load);
  }

  __aicore__ inline void Finish() { c1_.EnQue(c_); }

  __aicore__ inline AscendC::LocalTensor<float> Take() { return c1_.template DeQue<float>(); }
  __aicore__ inline void Free(AscendC::LocalTensor<float>& c) { c1_.FreeTensor(c); }
  __aicore__ inline void End() { c1_.FreeAllEvent(); }

 private:
  CubeOperands<T> operands_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> c1_;
  AscendC::LocalTensor<float> c_;  // of the block in hand
};

}  // namespace ConvBackpropApi
