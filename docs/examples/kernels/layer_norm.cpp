// Layer normalisation of each row: y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta. x and y: rows x
// columns floats in GM, row-major; gamma and beta: columns floats; columns: a multiple of 64, up to 4096.
#include "kernel_operator.h"

class LayerNorm {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows,
                              uint32_t columns) {
    rows_ = rows;
    columns_ = columns;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), static_cast<uint64_t>(rows) * columns);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), static_cast<uint64_t>(rows) * columns);
    gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma), columns);
    beta_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(beta), columns);
    pipe_.InitBuffer(in_, 2, columns * sizeof(float));
    pipe_.InitBuffer(out_, 2, columns * sizeof(float));
    pipe_.InitBuffer(weights_, 1, 2 * columns * sizeof(float));
    pipe_.InitBuffer(square_, columns * sizeof(float));
    pipe_.InitBuffer(partial_, 2 * kLanes * sizeof(float));
    pipe_.InitBuffer(spread_, 2 * kLanes * sizeof(float));
  }
  __aicore__ inline void Process() {
    auto weights = weights_.AllocTensor<float>();
    AscendC::DataCopy(weights, gamma_, columns_);
    AscendC::DataCopy(weights[columns_], beta_, columns_);
    weights_.EnQue(weights);
    weights = weights_.DeQue<float>();
    for (uint32_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
      auto x = in_.AllocTensor<float>();
      AscendC::DataCopy(x, x_[static_cast<uint64_t>(row) * columns_], columns_);
      in_.EnQue(x);
      Compute(weights);
      auto y = out_.DeQue<float>();
      AscendC::DataCopy(y_[static_cast<uint64_t>(row) * columns_], y, columns_);
      out_.FreeTensor(y);
    }
    weights_.FreeTensor(weights);
  }

 private:
  static constexpr uint32_t kLanes = 64, kBlock = 8;

  __aicore__ inline void Compute(const AscendC::LocalTensor<float>& weights) {
    auto x = in_.DeQue<float>();
    auto y = out_.AllocTensor<float>();
    auto square = square_.Get<float>(), mean = spread_.Get<float>(), scale = mean[kLanes];
    const int32_t columns = static_cast<int32_t>(columns_);
    const uint8_t repeats = static_cast<uint8_t>(columns_ / kLanes);
    const AscendC::BinaryRepeatParams by_one_block(1, 1, 0, 8, 8, 0);  // src1: the same 8 numbers throughout
    Mean(mean, x, repeats);
    AscendC::Sub(y, x, mean, kLanes, repeats, by_one_block);
    AscendC::Mul(square, y, y, columns);
    Mean(scale, square, repeats);
    AscendC::Adds(scale, scale, 1e-5f, kBlock);
    AscendC::Sqrt(scale, scale, kBlock);
    AscendC::Div(y, y, scale, kLanes, repeats, by_one_block);
    AscendC::Mul(y, y, weights, columns);
#ifdef READ_BEHIND_THE_WEIGHTS
    AscendC::Add(y, y, weights[2 * columns_], columns);
#else
    AscendC::Add(y, y, weights[columns_], columns);
#endif
#ifndef KEEP_THE_INPUT
    in_.FreeTensor(x);
#endif
    out_.EnQue(y);
  }
  // The mean of `repeats` repeats of `values`, 8 times: a data block of `mean`.
  __aicore__ inline void Mean(const AscendC::LocalTensor<float>& mean,
                              const AscendC::LocalTensor<float>& values, uint8_t repeats) {
    auto lanes = partial_.Get<float>(), total = lanes[kLanes];
    AscendC::Duplicate(lanes, 0.0f, kLanes);
    AscendC::Duplicate(total, 0.0f, kBlock);
    AscendC::Add(lanes, values, lanes, kLanes, repeats, {1, 1, 1, 0, 8, 0});  // the repeats, lane by lane
    AscendC::WholeReduceSum<float>(total, lanes, kLanes, 1, 1, 1, 8);
    AscendC::Muls(total, total, 1.0f / static_cast<float>(columns_), kBlock);
    AscendC::Brcb(mean, total, 1, {1, 8});  // a data block for each of the 8, the first one the mean's
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_, weights_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> square_, partial_, spread_;
  AscendC::GlobalTensor<float> x_, y_, gamma_, beta_;
  uint32_t rows_ = 0, columns_ = 0;
};

extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y,
                                                 uint32_t rows, uint32_t columns) {
  LayerNorm kernel;
  kernel.Init(x, gamma, beta, y, rows, columns);
  kernel.Process();
}
