// Softmax of each row: x and y are rows x columns floats in GM, row-major; columns: a multiple of 8, up to
// 8192.
#include "kernel_operator.h"

class Softmax {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
    rows_ = rows;
    columns_ = columns;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), static_cast<uint64_t>(rows) * columns);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), static_cast<uint64_t>(rows) * columns);
    pipe_.InitBuffer(in_, 2, columns * sizeof(float));
    pipe_.InitBuffer(out_, 2, columns * sizeof(float));
    pipe_.InitBuffer(work_, columns * sizeof(float));
    pipe_.InitBuffer(result_, 64);
  }
  // Block i takes the rows i, i + GetBlockNum(), ...
  __aicore__ inline void Process() {
    for (uint32_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
      auto x = in_.AllocTensor<float>();
      AscendC::DataCopy(x, x_[static_cast<uint64_t>(row) * columns_], columns_);
      in_.EnQue(x);
      Compute();
      auto y = out_.DeQue<float>();
      AscendC::DataCopy(y_[static_cast<uint64_t>(row) * columns_], y, columns_);
      out_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Compute() {
    auto x = in_.DeQue<float>();
    auto y = out_.AllocTensor<float>();
    auto work = work_.Get<float>(), most = result_.Get<float>(), sum = result_.Get<float>()[8];
    const int32_t columns = static_cast<int32_t>(columns_);
#ifdef FREE_THE_INPUT_TOO_EARLY
    in_.FreeTensor(x);
#endif
    AscendC::ReduceMax<float>(most, x, work, columns);
    AscendC::Adds(y, x, -FirstOf(most), columns);
    AscendC::Exp(y, y, columns);
    AscendC::ReduceSum<float>(sum, y, work, columns);
    AscendC::Muls(y, y, 1.0f / FirstOf(sum), columns);
#ifdef FREE_TOO_EARLY
    out_.FreeTensor(y);
#endif
#ifndef FREE_THE_INPUT_TOO_EARLY
    in_.FreeTensor(x);
#endif
    out_.EnQue(y);
  }
  // What the vector unit has left in a tensor, for the scalar unit.
  __aicore__ inline float FirstOf(const AscendC::LocalTensor<float>& tensor) {
    const auto computed = pipe_.FetchEventID(AscendC::HardEvent::V_S);
    AscendC::SetFlag<AscendC::HardEvent::V_S>(computed);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(computed);
    const float first = tensor.GetValue(0);
    const auto read = pipe_.FetchEventID(AscendC::HardEvent::S_V);  // the next row writes it again
    AscendC::SetFlag<AscendC::HardEvent::S_V>(read);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(read);
    return first;
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_, result_;
  AscendC::GlobalTensor<float> x_, y_;
  uint32_t rows_ = 0, columns_ = 0;
};

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
  Softmax kernel;
  kernel.Init(x, y, rows, columns);
  kernel.Process();
}
