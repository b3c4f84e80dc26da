// GELU: y = x / (1 + exp(-1.5957691 (x + 0.044715 x^3))), computed in float; x and y: `count` halves in GM.
#include "kernel_operator.h"

class Gelu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t count) {
    // Blocks take equal shares of whole 32-byte pieces; the last ones may get less, or nothing.
    const uint32_t share = AscendC::DivCeil(AscendC::DivCeil(count, kPiece), AscendC::GetBlockNum()) * kPiece;
    const uint32_t begin = AscendC::GetBlockIdx() * share;
    count_ = begin >= count ? 0 : (count - begin < share ? count - begin : share);
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + begin, count_);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + begin, count_);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(half));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(half));
    pipe_.InitBuffer(wide_, kTile * sizeof(float));
    pipe_.InitBuffer(power_, kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < count_; at += kTile) {
      const uint32_t length = count_ - at < kTile ? count_ - at : kTile;
      CopyIn(at, length);
      Compute(length);
      CopyOut(at, length);
    }
  }

 private:
  static constexpr uint32_t kPiece = 16, kTile = 4096;

  __aicore__ inline void CopyIn(uint32_t at, uint32_t length) {
    auto x = in_.AllocTensor<half>();
    AscendC::DataCopyPad(x, x_[at], {1, static_cast<uint32_t>(length * sizeof(half)), 0, 0, 0},
                         {false, 0, 0, half(0)});
#ifndef FORGET_TO_ENQUEUE
    in_.EnQue(x);
#endif
  }
  __aicore__ inline void Compute(uint32_t length) {
    auto x = in_.DeQue<half>();
    auto y = out_.AllocTensor<half>();
    auto wide = wide_.Get<float>(), power = power_.Get<float>();
    AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, length);
    AscendC::Mul(power, wide, wide, length);
    AscendC::Mul(power, power, wide, length);
    AscendC::Muls(power, power, 0.044715f, length);
    AscendC::Add(power, power, wide, length);
    AscendC::Muls(power, power, -1.5957691f, length);
    AscendC::Exp(power, power, length);
    AscendC::Adds(power, power, 1.0f, length);
    AscendC::Div(wide, wide, power, length);
    AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, length);
    in_.FreeTensor(x);
    out_.EnQue(y);
  }
  __aicore__ inline void CopyOut(uint32_t at, uint32_t length) {
    auto y = out_.DeQue<half>();
#ifdef STORE_WHOLE_TILES
    length = kTile;
#endif
    AscendC::DataCopyPad(y_[at], y, {1, static_cast<uint32_t>(length * sizeof(half)), 0, 0, 0});
    out_.FreeTensor(y);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, power_;
  AscendC::GlobalTensor<half> x_, y_;
  uint32_t count_ = 0;
};

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR y, uint32_t count) {
  Gelu kernel;
  kernel.Init(x, y, count);
  kernel.Process();
}
