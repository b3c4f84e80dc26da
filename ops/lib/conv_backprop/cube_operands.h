// The operands of the cube in L0A and L0B.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace ConvBackpropApi {

// What the buffers in L0 hold, elements.
struct CubeSizes {
  uint32_t rows = 0;     // of A
  uint32_t columns = 0;  // of B
  uint32_t k = 0;        // of A and B at once
  uint32_t copies = 1;   // of A and B: with two, one is loaded while the cube works on the other
  uint32_t results = 1;  // blocks in L0C
};

// Two copies of the operands go in turn only where both have two.
template <class Tiling>
__aicore__ inline uint32_t CopiesInL0(const Tiling& tiling) {
  return tiling.al0Pbuffer == 2 && tiling.bl0Pbuffer == 2 ? 2 : 1;
}

// One product, (m, k) by (k, n).
struct CubeProduct {
  uint64_t m = 0;
  uint64_t n = 0;
  uint64_t k = 0;
  bool init = true;       // the first of its block: L0C starts at 0
  bool k_padded = false;  // A has its K padded to 16, where fp32 needs 8
  uint8_t unit_flag = 0;  // 2: waits for free blocks of L0C; 3: and hands them to Fixpipe
};

// The operands in L0A and L0B, and the product of them. Has the flags between loads and cube. Knows nothing
// of what is multiplied, nor of where the result goes.
template <class T>
class CubeOperands {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const CubeSizes& sizes) {
    SetSizes(sizes);
    pipe.InitBuffer(a2_, static_cast<uint32_t>(AscendC::simulator::BytesOf<T>(copies_ * a2_size_)));
    pipe.InitBuffer(b2_, static_cast<uint32_t>(AscendC::simulator::BytesOf<T>(copies_ * b2_size_)));
    a2_all_ = a2_.template Get<T>();
    b2_all_ = b2_.template Get<T>();
  }
  // The same where several take turns with all of L0A and L0B: nothing is reserved.
  __aicore__ inline void InitUnreserved(const CubeSizes& sizes) {
    SetSizes(sizes);
    copy_ = 0;
    a2_all_ = AscendC::LocalTensor<T>(AscendC::TPosition::A2, 0U, copies_ * a2_size_);
    b2_all_ = AscendC::LocalTensor<T>(AscendC::TPosition::B2, 0U, copies_ * b2_size_);
  }

  // c (L0C) = or += a product, after `load(a2, b2)` has filled one copy of each. With a `bias` (BT) the first
  // product of a block begins there.
  template <class Sum, class Load>
  __aicore__ inline void Multiply(const AscendC::LocalTensor<Sum>& c, const CubeProduct& product, Load&& load,
                                  const AscendC::LocalTensor<Sum>* bias = nullptr) {
    const AscendC::LocalTensor<T> a2 = a2_all_[copy_ * a2_size_];
    const AscendC::LocalTensor<T> b2 = b2_all_[copy_ * b2_size_];
    AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(copy_));
    load(a2, b2);
    AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(copy_));
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(copy_));
    AscendC::MmadParams params;
    params.m = static_cast<uint16_t>(product.m == 1 ? 2 : product.m);  // with 1 A would be taken for a vector
    params.n = static_cast<uint16_t>(product.n);
    params.k = static_cast<uint16_t>(product.k);
    params.cmatrixInitVal = product.init;
    params.kDirectionAlign = product.k_padded;
    params.unitFlag = product.unit_flag;
    if (!product.init && Ceil16(product.m) * Ceil16(product.n) < 10 * 256) {
      AscendC::PipeBarrier<PIPE_M>();  // the cube orders accumulation by itself from 10 fractals on
    }
    const bool from_bias = product.init && bias != nullptr;
    params.cmatrixInitVal = product.init && !from_bias;
    if constexpr (AscendC::IsSameType<T, AscendC::int4b_t>::value) {
      params.cmatrixSource = from_bias;  // Mmad takes no bias of its own beside int4b_t
      AscendC::MmadImpl(c, a2, b2, params);
    } else if (from_bias) {
      AscendC::Mmad(c, a2, b2, *bias, params);
    } else {
      AscendC::MmadImpl(c, a2, b2, params);
    }
    AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(copy_));
    copy_ = copies_ == 2 ? 1 - copy_ : 0;
  }

  static __aicore__ inline uint64_t Ceil16(uint64_t value) { return (value + 15) / 16 * 16; }

 private:
  __aicore__ inline void SetSizes(const CubeSizes& sizes) {
    copies_ = sizes.copies;
    a2_size_ = static_cast<uint32_t>(Ceil16(sizes.rows) * Ceil16(sizes.k));
    b2_size_ = static_cast<uint32_t>(Ceil16(sizes.columns) * Ceil16(sizes.k));
  }

  AscendC::TBuf<AscendC::TPosition::A2> a2_;
  AscendC::TBuf<AscendC::TPosition::B2> b2_;
  AscendC::LocalTensor<T> a2_all_;
  AscendC::LocalTensor<T> b2_all_;
  uint32_t a2_size_ = 0;  // elements of one copy, whole fractals
  uint32_t b2_size_ = 0;
  uint32_t copies_ = 1;
  uint32_t copy_ = 0;  // the next to be filled
};

}  // namespace ConvBackpropApi
