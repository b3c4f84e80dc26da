// A block of C from the cube to GM.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// The blocks of L0C, handed from the cube to Fixpipe and back: through a queue, or by the unit flags that
// every 512 bytes of L0C have. A block whose last rows fill no fractal leaves unit flags that Fixpipe would
// not take, so it is handed over by flags of the pipes. Knows no product.
template <class Sum = float>
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
      c_ = queue_.template AllocTensor<Sum>();
      return;
    }
    c_ = buffer_.template Get<Sum>()[next_ * bytes_ / static_cast<uint32_t>(sizeof(Sum))];
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
    if (!by_unit_) {  // unit flags order nothing that has none
      AscendC::SetFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
      AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
    }
  }
  __aicore__ inline const AscendC::LocalTensor<Sum>& c() const { return c_; }
  // Of a Mmad into the block.
  __aicore__ inline uint8_t MmadFlag(bool last) const { return by_unit_ ? (last ? 3 : 2) : 0; }

  // The cube is done with it, Fixpipe may begin.
  __aicore__ inline void ToFixpipe() {
    if (!unit_flags_) {
      queue_.EnQue(c_);
      c_ = queue_.template DeQue<Sum>();
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
  AscendC::LocalTensor<Sum> c_;  // of the block in hand
  uint32_t count_ = 1;
  uint32_t bytes_ = 0;  // of one
  uint32_t next_ = 0;
  bool unit_flags_ = false;
  bool by_unit_ = false;  // the block in hand
};

// How a block of L0C goes out: `row_major`, or strips of 32 bytes of columns. `stride`: elements from row to
// row, or rows of one strip. `words`, one for each column, or `word` say how to scale, where `quantised`.
struct MatmulWriting {
  bool row_major = true;
  int64_t stride = 0;
  bool channel_split = false;
  bool quantised = false;
  uint64_t word = 0;
  bool by_columns = false;
  AscendC::LocalTensor<uint64_t> words;
};

// The conversion from sums of type Sum to O.
template <class O, class Sum>
constexpr QuantMode_t MatmulQuantMode(bool by_columns) {
  if constexpr (AscendC::IsSameType<O, Sum>::value) {
    return QuantMode_t::NoQuant;
  } else if constexpr (sizeof(O) == 1 && AscendC::IsSameType<Sum, float>::value) {
    return by_columns ? QuantMode_t::VQF322B8_PRE : QuantMode_t::QF322B8_PRE;
  } else if constexpr (sizeof(O) == 1) {
    return by_columns ? QuantMode_t::VREQ8 : QuantMode_t::REQ8;
  } else if constexpr (AscendC::IsSameType<Sum, int32_t>::value) {
    return by_columns ? QuantMode_t::VDEQF16 : QuantMode_t::DEQF16;
  } else {
    return AscendC::IsSameType<O, half>::value ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
  }
}

// Writes, or with an atomic operation in force adds, (m, n) of a block of L0C to GM or L1.
template <class O, class Sum, class Dst>
__aicore__ inline void WriteMatmulBlock(const Dst& dst, const AscendC::LocalTensor<Sum>& c, int64_t m,
                                        int64_t n, const MatmulWriting& writing, uint8_t unit_flag) {
  AscendC::FixpipeParamsV220 params;
  params.mSize = static_cast<uint16_t>(m);
  params.nSize = static_cast<uint16_t>(n);
  params.srcStride = static_cast<uint16_t>((m + 15) / 16 * 16);
  params.quantPre = MatmulQuantMode<O, Sum>(writing.by_columns);
  params.deqScalar = writing.word;
  params.unitFlag = unit_flag;
  params.isChannelSplit = writing.channel_split;
  if (writing.row_major) {
    params.dstStride = static_cast<uint32_t>(writing.stride);
    if (writing.by_columns) {
      AscendC::Fixpipe<O, Sum, AscendC::CFG_ROW_MAJOR>(dst, c, writing.words, params);
    } else {
      AscendC::Fixpipe<O, Sum, AscendC::CFG_ROW_MAJOR>(dst, c, params);
    }
    return;
  }
  constexpr int64_t kRowBlocks = sizeof(O) == 4 ? 2 : 1;  // of 32 bytes: a row of a strip
  params.nSize = static_cast<uint16_t>((n + 15) / 16 * 16);
  params.dstStride = static_cast<uint32_t>(writing.stride * (writing.channel_split ? 1 : kRowBlocks));
  if (writing.by_columns) {
    AscendC::Fixpipe<O, Sum, AscendC::CFG_NZ>(dst, c, writing.words, params);
  } else {
    AscendC::Fixpipe<O, Sum, AscendC::CFG_NZ>(dst, c, params);
  }
}

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
    WriteMatmulBlock<O>(At(m, n), c, m.size(), n.size(), {.stride = columns_, .words = {}}, unit_flag);
  }

 private:
  AscendC::GlobalTensor<O> gm_;
  int64_t columns_ = 0;
};

}  // namespace tilesim
