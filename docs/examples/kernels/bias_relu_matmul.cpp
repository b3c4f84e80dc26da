// C = relu(A * B + bias): A m x k and B k x n halves, bias n floats, C m x n halves, all row-major in GM; m,
// n and k are multiples of 16, n and k below 65536.
#include "kernel_operator.h"

class BiasReluMatmul {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, uint32_t m, uint32_t n,
                              uint32_t k) {
    m_ = m;
    n_ = n;
    k_ = k;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), static_cast<uint64_t>(m) * k);
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), static_cast<uint64_t>(k) * n);
    bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias), n);
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), static_cast<uint64_t>(m) * n);
    pipe_.InitBuffer(a1_, 2, kTile * kStep * sizeof(half));
    pipe_.InitBuffer(b1_, 2, kTile * kStep * sizeof(half));
    pipe_.InitBuffer(c1_, 1, kTile * sizeof(float));
    pipe_.InitBuffer(a2_, 2, kTile * kStep * sizeof(half));
    pipe_.InitBuffer(b2_, 2, kTile * kStep * sizeof(half));
    pipe_.InitBuffer(c2_, 1, kTile * sizeof(float));
    pipe_.InitBuffer(co1_, 1, kTile * kTile * sizeof(float));
  }
  // Block i computes the tiles i, i + GetBlockNum(), ...
  __aicore__ inline void Process() {
    const uint32_t across = AscendC::DivCeil(n_, kTile), tiles = AscendC::DivCeil(m_, kTile) * across;
    for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
      ComputeTile(tile / across * kTile, tile % across * kTile);
    }
  }

 private:
  static constexpr uint32_t kTile = 128, kStep = 64, kFractal = 256;

  static __aicore__ inline uint16_t Least(uint32_t a, uint32_t b) {
    return static_cast<uint16_t>(a < b ? a : b);
  }

  __aicore__ inline void ComputeTile(uint32_t m0, uint32_t n0) {
    const uint16_t m = Least(kTile, m_ - m0), n = Least(kTile, n_ - n0);
    auto bias = c1_.AllocTensor<float>();
    AscendC::DataCopy(bias, bias_[n0], n);
    c1_.EnQue(bias);
    bias = c1_.DeQue<float>();
    auto table = c2_.AllocTensor<float>();
    AscendC::DataCopy(table, bias, n);
    c2_.EnQue(table);
    c1_.FreeTensor(bias);
    auto c = co1_.AllocTensor<float>();
#ifndef FORGET_TO_DEQUEUE
    table = c2_.DeQue<float>();
#endif
    for (uint32_t k0 = 0; k0 < k_; k0 += kStep) {
      const uint16_t k = Least(kStep, k_ - k0);
      CopyIn(a1_, a_[static_cast<uint64_t>(m0) * k_ + k0], m, k, k_);
      CopyIn(b1_, b_[static_cast<uint64_t>(k0) * n_ + n0], k, n, n_);
      Load(m, n, k);
      auto a2 = a2_.DeQue<half>(), b2 = b2_.DeQue<half>();
      AscendC::MmadParams params(m, n, k, 0, false, false);
      if (k0 == 0) {
        AscendC::Mmad(c, a2, b2, table, params);
      } else {
        AscendC::Mmad(c, a2, b2, params);
      }
      AscendC::PipeBarrier<PIPE_M>();
      a2_.FreeTensor(a2);
      b2_.FreeTensor(b2);
    }
    c2_.FreeTensor(table);
    co1_.EnQue(c);
    c = co1_.DeQue<float>();
    AscendC::FixpipeParamsV220 out(n, m, m, n_, true);
    out.quantPre = QuantMode_t::F322F16;
    AscendC::Fixpipe(c_[static_cast<uint64_t>(m0) * n_ + n0], c, out);
    co1_.FreeTensor(c);
  }
  // GM row-major to L1 NZ: strips of 16 columns, one below the other.
  template <class Queue>
  __aicore__ inline void CopyIn(Queue& queue, const AscendC::GlobalTensor<half>& src, uint16_t rows,
                                uint16_t columns, uint32_t src_row) {
    auto dst = queue.template AllocTensor<half>();
    AscendC::DataCopy(dst, src,
                      AscendC::Nd2NzParams(1, rows, columns, 0, static_cast<uint16_t>(src_row), rows, 1, 0));
    queue.EnQue(dst);
  }
  // L1 to L0A and L0B: rows of fractals, one from each strip; those of B transposed.
  __aicore__ inline void Load(uint16_t m, uint16_t n, uint16_t k) {
    const uint16_t m1 = m / 16, n1 = n / 16, k1 = k / 16;
    auto a1 = a1_.DeQue<half>(), b1 = b1_.DeQue<half>();
    auto a2 = a2_.AllocTensor<half>(), b2 = b2_.AllocTensor<half>();
    for (uint16_t i = 0; i < m1; ++i) {
      AscendC::LoadData(a2[i * k1 * kFractal], a1,
                        AscendC::LoadData2DParams(i, static_cast<uint8_t>(k1), m1, 0, 0, false, 0));
    }
    for (uint16_t i = 0; i < k1; ++i) {
      AscendC::LoadData(b2[i * n1 * kFractal], b1,
                        AscendC::LoadData2DParams(i, static_cast<uint8_t>(n1), k1, 0, 0, true, 0));
    }
    a2_.EnQue(a2);
#ifndef FORGET_TO_ENQUEUE
    b2_.EnQue(b2);
#endif
    a1_.FreeTensor(a1);
    b1_.FreeTensor(b1);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 1> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 1> b1_;
  AscendC::TQue<AscendC::TPosition::C1, 1> c1_;
  AscendC::TQue<AscendC::TPosition::A2, 1> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2_;
  AscendC::TQue<AscendC::TPosition::C2, 1> c2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
  AscendC::GlobalTensor<half> a_, b_, c_;
  AscendC::GlobalTensor<float> bias_;
  uint32_t m_ = 0, n_ = 0, k_ = 0;
};

extern "C" __global__ __aicore__ void bias_relu_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                       uint32_t m, uint32_t n, uint32_t k) {
  BiasReluMatmul kernel;
  kernel.Init(a, b, bias, c, m, n, k);
  kernel.Process();
}
