// What the matrix product takes for each column: a bias, and words that say how to scale the sums.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// One pipe waits for another here, with a flag that is free.
template <AscendC::HardEvent event>
__aicore__ inline void MatmulPass() {
  AscendC::TPipe& pipe = *AscendC::GetTPipePtr();
  const AscendC::TEventID id = pipe.AllocEventID<event>();
  AscendC::SetFlag<event>(id);
  AscendC::WaitFlag<event>(id);
  pipe.ReleaseEventID<event>(id);
}

// A row of GM, or of L1, of which each block takes its columns. B: half, float or int32_t.
template <class B, class Sum>
class MatmulBias {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, int64_t base_n) {
    pipe.InitBuffer(queue_, 1, static_cast<uint32_t>(base_n * static_cast<int64_t>(sizeof(B))));
  }
  __aicore__ inline void Set(const AscendC::GlobalTensor<B>& row) {
    gm_ = row;
    from_ = From::kGm;
  }
  __aicore__ inline void Set(const AscendC::LocalTensor<B>& row_in_l1) {
    l1_ = row_in_l1;
    from_ = From::kL1;
  }
  __aicore__ inline void Drop() { from_ = From::kNone; }
  [[nodiscard]] __aicore__ inline bool on() const { return from_ != From::kNone; }

  // The columns in BT, 0 up to a multiple of 16. BT is free of what the block before needed.
  __aicore__ inline const AscendC::LocalTensor<Sum>& Bring(const MatmulRange& n) {
    const auto units = static_cast<uint16_t>((n.size() + 15) / 16);  // of 64 bytes
    MatmulPass<AscendC::HardEvent::M_MTE1>();
    if (from_ == From::kL1) {
      AscendC::DataCopy(bt_, l1_[static_cast<uint32_t>(n.begin)], AscendC::DataCopyParams(1, units, 0, 0));
    } else {
      AscendC::LocalTensor<B> row = queue_.template AllocTensor<B>();
      AscendC::DataCopy(row, gm_[static_cast<uint64_t>(n.begin)],
                        AscendC::Nd2NzParams(1, 1, static_cast<uint16_t>(n.size()), 0, 1, 1, 1, 0));
      const int64_t blocks = (n.size() * static_cast<int64_t>(sizeof(B)) + 31) / 32;
      if (blocks % 2 != 0 && sizeof(B) == sizeof(Sum)) {
        AscendC::InitConstValue(row[static_cast<uint32_t>(blocks * 32 / static_cast<int64_t>(sizeof(B)))]
                                    .template ReinterpretCast<half>(),
                                AscendC::InitConstValueParams<half>(1, 1, 0, half(0.0F)));
      }
      queue_.EnQue(row);
      row = queue_.template DeQue<B>();
      AscendC::DataCopy(bt_, row, AscendC::DataCopyParams(1, units, 0, 0));
      queue_.FreeTensor(row);
    }
    MatmulPass<AscendC::HardEvent::MTE1_M>();
    return bt_;
  }
  __aicore__ inline void End() { queue_.FreeAllEvent(); }

 private:
  enum class From : uint8_t { kNone, kGm, kL1 };

  AscendC::TQue<AscendC::TPosition::C1, 1> queue_;
  AscendC::GlobalTensor<B> gm_;
  AscendC::LocalTensor<B> l1_;
  AscendC::LocalTensor<Sum> bt_{AscendC::TPosition::C2, uint64_t{0}, uint64_t{1024},
                                AscendC::simulator::Lease{}};  // all of BT
  From from_ = From::kNone;
};

// The words of columns, in GM or L1.
class MatmulColumnWords {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, int64_t base_n) {
    pipe.InitBuffer(buffer_, static_cast<uint32_t>((base_n + 15) / 16 * 16 * 8));
  }
  __aicore__ inline void Set(const AscendC::GlobalTensor<uint64_t>& words) {
    gm_ = words;
    in_l1_ = false;
  }
  __aicore__ inline void Set(const AscendC::LocalTensor<uint64_t>& words) {
    l1_ = words;
    in_l1_ = true;
  }
  // Those of the columns in L1, for Fixpipe.
  __aicore__ inline AscendC::LocalTensor<uint64_t> Bring(const MatmulRange& n) {
    if (in_l1_) {
      return l1_[static_cast<uint32_t>(n.begin)];
    }
    MatmulPass<AscendC::HardEvent::FIX_MTE2>();
    AscendC::GlobalTensor<uint32_t> halves;
    halves.SetGlobalBuffer(reinterpret_cast<uint32_t*>(gm_.address()));
    AscendC::LocalTensor<uint32_t> row = buffer_.Get<uint32_t>();
    AscendC::DataCopy(row, halves[static_cast<uint64_t>(2 * n.begin)],
                      AscendC::Nd2NzParams(1, 1, static_cast<uint16_t>(2 * n.size()), 0, 1, 1, 1, 0));
    MatmulPass<AscendC::HardEvent::MTE2_FIX>();
    return buffer_.Get<uint64_t>();
  }

 private:
  AscendC::TBuf<AscendC::TPosition::C1> buffer_;
  AscendC::GlobalTensor<uint64_t> gm_;
  AscendC::LocalTensor<uint64_t> l1_;
  bool in_l1_ = false;
};

}  // namespace tilesim
