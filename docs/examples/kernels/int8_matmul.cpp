// C = A * B^T in 8 bits, each column with a scale of its own: A m x k and B n x k int8, C m x n halves,
// row-major in GM; scales: n words of 64 bits, of which the low 32 are a float's. m and n: multiples of 16,
// k: of 32 and below 65536.
#include "kernel_operator.h"

class Int8Matmul {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, uint32_t m, uint32_t n,
                              uint32_t k) {
    m_ = m;
    n_ = n;
    k_ = k;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(a), static_cast<uint64_t>(m) * k);
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b), static_cast<uint64_t>(n) * k);
    scales_.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(scales), n);
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), static_cast<uint64_t>(m) * n);
    pipe_.InitBuffer(a1_, 2, kTile * kStep);
    pipe_.InitBuffer(b1_, 2, kTile * kStep);
    pipe_.InitBuffer(c1_, 1, kTile * sizeof(uint64_t));
    pipe_.InitBuffer(a2_, 2, kTile * kStep);
    pipe_.InitBuffer(b2_, 2, kTile * kStep);
    pipe_.InitBuffer(co1_, 1, kTile * kTile * sizeof(int32_t));
  }
  __aicore__ inline void Process() {
    const uint32_t across = AscendC::DivCeil(n_, kTile), tiles = AscendC::DivCeil(m_, kTile) * across;
    for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
      ComputeTile(tile / across * kTile, tile % across * kTile);
    }
  }

 private:
  static constexpr uint32_t kTile = 128, kStep = 128, kFractal = 512;

  static __aicore__ inline uint16_t Least(uint32_t a, uint32_t b) {
    return static_cast<uint16_t>(a < b ? a : b);
  }

  __aicore__ inline void ComputeTile(uint32_t m0, uint32_t n0) {
    const uint16_t m = Least(kTile, m_ - m0), n = Least(kTile, n_ - n0);
    auto c = co1_.AllocTensor<int32_t>();
    for (uint32_t k0 = 0; k0 < k_; k0 += kStep) {
      const uint16_t k = Least(kStep, k_ - k0);
      CopyIn(a1_, a_[static_cast<uint64_t>(m0) * k_ + k0], m, k);
      CopyIn(b1_, b_[static_cast<uint64_t>(n0) * k_ + k0], n, k);
      Load(m, n, k);
      auto a2 = a2_.DeQue<int8_t>(), b2 = b2_.DeQue<int8_t>();
      AscendC::Mmad(c, a2, b2, AscendC::MmadParams(m, n, k, 0, false, k0 == 0));
#ifndef FORGET_THE_BARRIER
      AscendC::PipeBarrier<PIPE_M>();
#endif
      a2_.FreeTensor(a2);
      b2_.FreeTensor(b2);
    }
    auto scales = c1_.AllocTensor<uint64_t>();
    AscendC::DataCopy(scales, scales_[n0], n);
    c1_.EnQue(scales);
    scales = c1_.DeQue<uint64_t>();
    const auto scaled = pipe_.FetchEventID(AscendC::HardEvent::MTE2_FIX);  // Fixpipe brings them on itself
    AscendC::SetFlag<AscendC::HardEvent::MTE2_FIX>(scaled);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_FIX>(scaled);
    co1_.EnQue(c);
#ifndef READ_BEFORE_IT_IS_COMPUTED
    c = co1_.DeQue<int32_t>();
#endif
    AscendC::FixpipeParamsV220 out(n, m, m, n_, false);
    out.quantPre = QuantMode_t::VDEQF16;
    AscendC::Fixpipe(c_[static_cast<uint64_t>(m0) * n_ + n0], c, scales, out);
#ifdef READ_BEFORE_IT_IS_COMPUTED
    c = co1_.DeQue<int32_t>();
#endif
    const auto read = pipe_.FetchEventID(AscendC::HardEvent::FIX_MTE2);
    AscendC::SetFlag<AscendC::HardEvent::FIX_MTE2>(read);
    AscendC::WaitFlag<AscendC::HardEvent::FIX_MTE2>(read);
    c1_.FreeTensor(scales);
    co1_.FreeTensor(c);
  }
  // GM row-major to L1 NZ: strips of 32 columns, one below the other.
  template <class Queue>
  __aicore__ inline void CopyIn(Queue& queue, const AscendC::GlobalTensor<int8_t>& src, uint16_t rows,
                                uint16_t columns) {
    auto dst = queue.template AllocTensor<int8_t>();
    AscendC::DataCopy(dst, src,
                      AscendC::Nd2NzParams(1, rows, columns, 0, static_cast<uint16_t>(k_), rows, 1, 0));
    queue.EnQue(dst);
  }
  // A row of fractals of A takes one from each strip; B's rows are its columns in L0B, strip by strip.
  __aicore__ inline void Load(uint16_t m, uint16_t n, uint16_t k) {
    const uint16_t m1 = m / 16, n1 = n / 16, k1 = k / 32;
    auto a1 = a1_.DeQue<int8_t>(), b1 = b1_.DeQue<int8_t>();
    auto a2 = a2_.AllocTensor<int8_t>(), b2 = b2_.AllocTensor<int8_t>();
    for (uint16_t i = 0; i < m1; ++i) {
      AscendC::LoadData(a2[i * k1 * kFractal], a1,
                        AscendC::LoadData2DParams(i, static_cast<uint8_t>(k1), m1, 0, 0, false, 0));
    }
    AscendC::LoadData(b2, b1, AscendC::LoadData2DParams(0, static_cast<uint8_t>(k1 * n1), 1, 0, 0, false, 0));
    a2_.EnQue(a2);
    b2_.EnQue(b2);
    a1_.FreeTensor(a1);
    b1_.FreeTensor(b1);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 1> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 1> b1_;
  AscendC::TQue<AscendC::TPosition::C1, 1> c1_;
  AscendC::TQue<AscendC::TPosition::A2, 1> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
  AscendC::GlobalTensor<int8_t> a_, b_;
  AscendC::GlobalTensor<uint64_t> scales_;
  AscendC::GlobalTensor<half> c_;
  uint32_t m_ = 0, n_ = 0, k_ = 0;
};

extern "C" __global__ __aicore__ void int8_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, uint32_t m,
                                                  uint32_t n, uint32_t k) {
  Int8Matmul kernel;
  kernel.Init(a, b, scales, c, m, n, k);
  kernel.Process();
}
