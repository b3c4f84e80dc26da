// The k largest of 2048 scores and where they stand, largest first; equal scores in their order. x: rows x
// 2048 floats, values: rows x k floats, places: rows x k uint32, all in GM; k: a multiple of 8, up to 2048.
#include "kernel_operator.h"

class TopK {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint32_t rows, uint32_t k) {
    rows_ = rows;
    k_ = k;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), static_cast<uint64_t>(rows) * kScores);
    values_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(values), static_cast<uint64_t>(rows) * k);
    places_.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(places), static_cast<uint64_t>(rows) * k);
    pipe_.InitBuffer(in_, 2, kScores * sizeof(float));
    pipe_.InitBuffer(best_, 1, kScores * sizeof(float));
    pipe_.InitBuffer(where_, 1, kScores * sizeof(uint32_t));
    pipe_.InitBuffer(numbers_, kScores * sizeof(uint32_t));
    pipe_.InitBuffer(pairs_, 2 * kPairs * sizeof(float));
    AscendC::CreateVecIndex(numbers_.Get<int32_t>(), 0, kScores);
  }
  __aicore__ inline void Process() {
    for (uint32_t row = AscendC::GetBlockIdx(); row < rows_; row += AscendC::GetBlockNum()) {
      auto x = in_.AllocTensor<float>();
      AscendC::DataCopy(x, x_[static_cast<uint64_t>(row) * kScores], kScores);
      in_.EnQue(x);
      Compute();
      auto best = best_.DeQue<float>();
      AscendC::DataCopy(values_[static_cast<uint64_t>(row) * k_], best, k_);
      best_.FreeTensor(best);
      auto where = where_.DeQue<uint32_t>();
      AscendC::DataCopy(places_[static_cast<uint64_t>(row) * k_], where, k_);
      where_.FreeTensor(where);
    }
  }

 private:
  static constexpr uint32_t kScores = 2048, kPairs = 2 * kScores;  // floats of a pair: score, place

  __aicore__ inline void Compute() {
    auto x = in_.DeQue<float>();
    auto from = pairs_.Get<float>(), to = from[kPairs];
    AscendC::Sort32(from, x, numbers_.Get<uint32_t>(), kScores / 32);
    in_.FreeTensor(x);
    // four neighbouring lists become one, until one is left: 64 lists of 32, 16 of 128, 4 of 512
    for (uint16_t length = 32; length < kScores; length *= 4) {
      const uint32_t list = 2 * length;
      const uint16_t lengths[4] = {length, length, length, length};
#ifdef MERGE_IN_PLACE
      to = from;
#endif
      AscendC::MrgSort(to, AscendC::MrgSortSrcList<float>(from, from[list], from[2 * list], from[3 * list]),
                       AscendC::MrgSort4Info(lengths, false, 15, kScores / (4 * length)));
      const auto swap = from;
      from = to;
      to = swap;
    }
    auto best = best_.AllocTensor<float>();
    auto where = where_.AllocTensor<uint32_t>();
    uint64_t kept = 0;
    const uint16_t repeats = kPairs / 64;
    AscendC::GatherMask(best, from, 1, false, 0, {1, repeats, 8, 0}, kept);
    AscendC::GatherMask(where, from.ReinterpretCast<uint32_t>(), 2, false, 0, {1, repeats, 8, 0}, kept);
    best_.EnQue(best);
#ifndef FORGET_TO_ENQUEUE
    where_.EnQue(where);
#endif
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> best_, where_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, pairs_;
  AscendC::GlobalTensor<float> x_, values_;
  AscendC::GlobalTensor<uint32_t> places_;
  uint32_t rows_ = 0, k_ = 0;
};

extern "C" __global__ __aicore__ void top_k(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint32_t rows,
                                            uint32_t k) {
  TopK kernel;
  kernel.Init(x, values, places, rows, k);
  kernel.Process();
}
