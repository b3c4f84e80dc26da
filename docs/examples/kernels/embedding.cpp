// Rows of a table by their numbers: y[i] = table[ids[i]]. ids: `count` int32; table: rows of `width` halves,
// a multiple of 16, up to 8192; y: count x width, all in GM.
#include "kernel_operator.h"

class Embedding {
 public:
  __aicore__ inline void Init(GM_ADDR ids, GM_ADDR table, GM_ADDR y, uint32_t count, uint32_t rows,
                              uint32_t width) {
    const uint32_t share = AscendC::DivCeil(count, AscendC::GetBlockNum());
    begin_ = AscendC::GetBlockIdx() * share;
    count_ = begin_ >= count ? 0 : (count - begin_ < share ? count - begin_ : share);
    width_ = width;
    ids_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(ids), count);
    table_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(table), static_cast<uint64_t>(rows) * width);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), static_cast<uint64_t>(count) * width);
    pipe_.InitBuffer(numbers_, 1, kMost * sizeof(int32_t));
    pipe_.InitBuffer(row_, 2, width * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < count_; at += kMost) {
      const uint32_t length = count_ - at < kMost ? count_ - at : kMost;
      auto numbers = numbers_.AllocTensor<int32_t>();
      AscendC::DataCopyPad(numbers, ids_[begin_ + at],
                           {1, static_cast<uint32_t>(length * sizeof(int32_t)), 0, 0, 0}, {false, 0, 0, 0});
      const auto arrived = pipe_.FetchEventID(AscendC::HardEvent::MTE2_S);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(arrived);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(arrived);
      for (uint32_t i = 0; i < length; ++i) {
        MoveRow(begin_ + at + i, static_cast<uint64_t>(numbers.GetValue(i)) * width_);
      }
      const auto read = pipe_.FetchEventID(AscendC::HardEvent::S_MTE2);
      AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(read);
      AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(read);
      numbers_.FreeTensor(numbers);
    }
  }

 private:
  static constexpr uint32_t kMost = 1024;

  __aicore__ inline void MoveRow(uint32_t to, uint64_t from) {
    auto row = row_.AllocTensor<half>();
    AscendC::DataCopy(row, table_[from], width_);
#ifdef SKIP_THE_QUEUE
    AscendC::DataCopy(y_[static_cast<uint64_t>(to) * width_], row, width_);
    row_.EnQue(row);
    row = row_.DeQue<half>();
#else
    row_.EnQue(row);
    row = row_.DeQue<half>();
    AscendC::DataCopy(y_[static_cast<uint64_t>(to) * width_], row, width_);
#endif
#ifndef KEEP_THE_ROWS
    row_.FreeTensor(row);
#endif
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> numbers_;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> row_;
  AscendC::GlobalTensor<int32_t> ids_;
  AscendC::GlobalTensor<half> table_, y_;
  uint32_t begin_ = 0, count_ = 0, width_ = 0;
};

extern "C" __global__ __aicore__ void embedding(GM_ADDR ids, GM_ADDR table, GM_ADDR y, uint32_t count,
                                                uint32_t rows, uint32_t width) {
  Embedding kernel;
  kernel.Init(ids, table, y, count, rows, width);
  kernel.Process();
}
