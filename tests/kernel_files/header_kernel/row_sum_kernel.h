// Sums of rows; the kernels are here, the launches in row_sum.asc.
#ifndef ROW_SUM_KERNEL_H
#define ROW_SUM_KERNEL_H
#include "kernel_operator.h"

#define ROW_KERNEL __global__ __vector__

namespace row_sum {

struct Shape {
  uint32_t rows;
  uint32_t columns;
};
struct Tiling {
  Shape shape;
  float scale;
};

__aicore__ inline void SumRows(__gm__ float* x, __gm__ float* y, const Shape& shape, float scale) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work;
  pipe.InitBuffer(in, 2, shape.columns * sizeof(float));
  pipe.InitBuffer(out, 2, 32);
  pipe.InitBuffer(work, shape.columns * sizeof(float));
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer(x, shape.rows * shape.columns);
  to.SetGlobalBuffer(y, shape.rows);
  for (uint32_t row = AscendC::GetBlockIdx(); row < shape.rows; row += AscendC::GetBlockNum()) {
    auto numbers = in.AllocTensor<float>();
    AscendC::DataCopy(numbers, from[row * shape.columns], shape.columns);
    in.EnQue(numbers);
    numbers = in.DeQue<float>();
    auto sum = out.AllocTensor<float>();
    AscendC::ReduceSum(sum, numbers, work.Get<float>(), static_cast<int32_t>(shape.columns));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(sum, sum, scale, 1);
    in.FreeTensor(numbers);
    out.EnQue(sum);
    sum = out.DeQue<float>();
    AscendC::DataCopyPad(to[row], sum, {1, sizeof(float), 0, 0, 0});
    out.FreeTensor(sum);
  }
}

// Declared here, defined below.
ROW_KERNEL void sums(__gm__ float* x, __gm__ float* y, Shape shape);

inline ROW_KERNEL void means(__gm__ float* x, __gm__ float* y, Tiling tiling) {
  SumRows(x, y, tiling.shape, tiling.scale);
}

inline ROW_KERNEL void sums(__gm__ float* x, __gm__ float* y, Shape shape) { SumRows(x, y, shape, 1.0f); }

}  // namespace row_sum

#endif  // ROW_SUM_KERNEL_H
