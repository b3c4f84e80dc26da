// A block of C from the cube to GM.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// The blocks of L0C, handed from the cube to Fixpipe and back: through a queue, or by the unit flags that
// every 512 bytes of L0C have. A block whose last rows fill no fractal leaves unit flags that Fixpipe would
// not take, so it is handed over by flags of the pipes. Knows no product.
class MatmulBlocks {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t count, uint32_t bytes, bool unit_flags) {
    count_ = count;
    bytes_ = bytes;
    unit_flags_ = unit_flags;
    if (unit_flags) {
      pipe.InitBuffer(buffer_, count * bytes);
    } else {
      pipe.InitBuffer(queue_, static_cast<uint8_t>(count), bytes);
    }
  }

  // For `rows` rows; `by_flags`: not by unit flags in any case.
  __aicore__ inline void Begin(int64_t rows, bool by_flags = false) {
    by_unit_ = unit_flags_ && !by_flags && rows % 16 == 0;
    if (!unit_flags_) {
      c_ = queue_.template AllocTensor<float>();
      return;
    }
    c_ = buffer_.template Get<float>()[next_ * bytes_ / static_cast<uint32_t>(sizeof(float))];
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
    if (!by_unit_) {  // unit flags order nothing that has none
      AscendC::SetFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
      AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
    }
  }
  __aicore__ inline const AscendC::LocalTensor<float>& c() const { return c_; }
  // Of a Mmad into the block.
  __aicore__ inline uint8_t MmadFlag(bool last) const { return by_unit_ ? (last ? 3 : 2) : 0; }

  // The cube is done with it, Fixpipe may begin.
  __aicore__ inline void ToFixpipe() {
    if (!unit_flags_) {
      queue_.EnQue(c_);
      c_ = queue_.template DeQue<float>();
    } else if (!by_unit_) {
      AscendC::SetFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
      AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
    }
  }
  __aicore__ inline uint8_t FixpipeFlag() const { return by_unit_ ? 3 : 0; }
  // Fixpipe is done with it, the cube may have it back.
  __aicore__ inline void ToCube() {
    if (!unit_flags_) {
      queue_.FreeTensor(c_);
    } else if (!by_unit_) {
      AscendC::SetFlag<AscendC::HardEvent::FIX_M>(EVENT_ID1);
      AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(EVENT_ID1);
    }
  }
  __aicore__ inline void End() {
    if (!unit_flags_) {
      queue_.FreeAllEvent();
    }
  }

 private:
  AscendC::TQue<AscendC::TPosition::CO1, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::CO1> buffer_;
  AscendC::LocalTensor<float> c_;  // of the block in hand
  uint32_t count_ = 1;
  uint32_t bytes_ = 0;  // of one
  uint32_t next_ = 0;
  bool unit_flags_ = false;
  bool by_unit_ = false;  // the block in hand
};

// C in GM, row-major. Knows no product and no order.
template <class O>
class MatmulResult {
 public:
  __aicore__ inline void Init(GM_ADDR address, int64_t columns) {
    gm_.SetGlobalBuffer(reinterpret_cast<O*>(address));
    columns_ = columns;
  }
  // Of C.
  [[nodiscard]] __aicore__ inline uint64_t address() const { return gm_.address(); }
  // C from (m, n) on.
  __aicore__ inline AscendC::GlobalTensor<O> At(const MatmulRange& m, const MatmulRange& n) const {
    return gm_[static_cast<uint64_t>(m.begin * columns_ + n.begin)];
  }
  // Writes, or with an atomic operation in force adds, a block of L0C to C from (m, n) on.
  __aicore__ inline void Write(const AscendC::LocalTensor<float>& c, const MatmulRange& m,
                               const MatmulRange& n, uint8_t unit_flag) const {
    AscendC::FixpipeParamsV220 params;
    params.mSize = static_cast<uint16_t>(m.size());
    params.nSize = static_cast<uint16_t>(n.size());
    params.srcStride = static_cast<uint16_t>((m.size() + 15) / 16 * 16);
    params.dstStride = static_cast<uint32_t>(columns_);
    params.quantPre = AscendC::IsSameType<O, float>::value  ? QuantMode_t::NoQuant
                      : AscendC::IsSameType<O, half>::value ? QuantMode_t::F322F16
                                                            : QuantMode_t::F322BF16;
    params.unitFlag = unit_flag;
    AscendC::Fixpipe<O, float, AscendC::CFG_ROW_MAJOR>(At(m, n), c, params);
  }

 private:
  AscendC::GlobalTensor<O> gm_;
  int64_t columns_ = 0;
};

}  // namespace tilesim
