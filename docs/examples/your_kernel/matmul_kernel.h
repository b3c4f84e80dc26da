// C (m x n, float) = A (m x k, half) * B (k x n, half), all row-major in GM; m, n and k are multiples of 16.
#pragma once
#include "kernel_operator.h"

struct MatmulShape {
  uint32_t m, n, k;
};

class Matmul {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const MatmulShape& shape) {
    shape_ = shape;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), uint64_t(shape.m) * shape.k);
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), uint64_t(shape.k) * shape.n);
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c), uint64_t(shape.m) * shape.n);
    pipe_.InitBuffer(a1_, 2, kTileM * kTileK * sizeof(half));
    pipe_.InitBuffer(b1_, 2, kTileK * kTileN * sizeof(half));
    pipe_.InitBuffer(a2_, 2 * kTileM * kTileK * sizeof(half));
    pipe_.InitBuffer(b2_, 2 * kTileK * kTileN * sizeof(half));
    pipe_.InitBuffer(co1_, 2, kTileM * kTileN * sizeof(float));
  }
  // Block i computes the tiles i, i + GetBlockNum(), ...
  __aicore__ inline void Process() {
    const uint32_t tiles_n = AscendC::DivCeil(shape_.n, kTileN);
    const uint32_t tiles = AscendC::DivCeil(shape_.m, kTileM) * tiles_n;
    for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
      ComputeTile(tile / tiles_n * kTileM, tile % tiles_n * kTileN);
    }
  }

 private:
  static constexpr uint32_t kTileM = 128, kTileN = 128, kTileK = 64;
  static constexpr uint16_t kFractal = 16;

  static uint16_t Least(uint32_t a, uint32_t b) { return static_cast<uint16_t>(a < b ? a : b); }

  __aicore__ inline void ComputeTile(uint32_t m0, uint32_t n0) {
    const uint16_t m = Least(kTileM, shape_.m - m0), n = Least(kTileN, shape_.n - n0);
    auto c = co1_.AllocTensor<float>();
    for (uint32_t k0 = 0; k0 < shape_.k; k0 += kTileK) {
      const uint16_t k = Least(kTileK, shape_.k - k0);
      CopyIn(a1_, a_[uint64_t(m0) * shape_.k + k0], m, k, shape_.k);
      CopyIn(b1_, b_[uint64_t(k0) * shape_.n + n0], k, n, shape_.n);
      Multiply(c, m, n, k, k0 == 0);
    }
    co1_.EnQue(c);
    c = co1_.DeQue<float>();
    AscendC::Fixpipe(c_[uint64_t(m0) * shape_.n + n0], c,
                     AscendC::FixpipeParamsV220(n, m, m, shape_.n, false));
    co1_.FreeTensor(c);
  }
  // GM row-major -> L1 NZ: strips of 16 columns, one below the other.
  template <class Queue>
  __aicore__ inline void CopyIn(Queue& queue, const AscendC::GlobalTensor<half>& src, uint16_t rows,
                                uint16_t columns, uint32_t src_row) {
    auto dst = queue.template AllocTensor<half>();
    AscendC::DataCopy(dst, src,
                      AscendC::Nd2NzParams(1, rows, columns, 0, static_cast<uint16_t>(src_row), rows, 1, 0));
    queue.EnQue(dst);
  }
  // L1 -> L0A and L0B, then the product. The two halves of L0A and L0B take turns; TPipe has set M_MTE1 0 and
  // 1 ahead.
  __aicore__ inline void Multiply(const AscendC::LocalTensor<float>& c, uint16_t m, uint16_t n, uint16_t k,
                                  bool first) {
    auto a1 = a1_.DeQue<half>(), b1 = b1_.DeQue<half>();
    auto a2 = a2_.Get<half>()[half_ * kTileM * kTileK], b2 = b2_.Get<half>()[half_ * kTileK * kTileN];
    const uint16_t m1 = m / kFractal, n1 = n / kFractal, k1 = k / kFractal;
    AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(half_);  // the product before last is done with this half
    for (uint16_t i = 0; i < m1; ++i) {                    // row i of fractals: from one in each strip, to zZ
      AscendC::LoadData(a2[i * k1 * 256], a1, AscendC::LoadData2DParams(i, k1, m1, 0, 0, false, 0));
    }
    for (uint16_t i = 0; i < k1; ++i) {  // the same for B, each fractal transposed: to nZ
      AscendC::LoadData(b2[i * n1 * 256], b1, AscendC::LoadData2DParams(i, n1, k1, 0, 0, true, 0));
    }
#ifndef FORGET_A_FLAG
    AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(half_);
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(half_);  // both operands have arrived
#endif
    AscendC::MmadParams params(m, n, k, 0, false, first);
    AscendC::Mmad(c, a2, b2, params);
    if (m1 * n1 < 10) {
      AscendC::PipeBarrier<PIPE_M>();  // small products that add to the same C do not wait for each other
    }
    AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(half_);
    a1_.FreeTensor(a1);
    b1_.FreeTensor(b1);
    half_ ^= 1;
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 2> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 2> b1_;
  AscendC::TBuf<AscendC::TPosition::A2> a2_;
  AscendC::TBuf<AscendC::TPosition::B2> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
  AscendC::GlobalTensor<half> a_, b_;
  AscendC::GlobalTensor<float> c_;
  MatmulShape shape_;
  int32_t half_ = 0;
};

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, MatmulShape shape) {
  Matmul kernel;
  kernel.Init(a, b, c, shape);
  kernel.Process();
}
