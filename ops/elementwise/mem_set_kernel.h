// The tile program of mem_set: one tile of UB is filled once and stored wherever it belongs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/elementwise/matrix_tiles.h"
#include "tiling/elementwise/elementwise_tiling.h"

namespace tilesim {

// T: any type as wide as the elements.
template <class T>
class MemSetKernel {
 public:
  // value_bits: those of one element.
  __aicore__ inline void Process(GM_ADDR y, uint64_t value_bits, const ElementwiseTiling& tiling) {
    const MatrixTiles<T> tiles(tiling);
    const AscendC::GlobalTensor<T> dst = tiles.Tensor(y);
    AscendC::TPipe pipe;
    const auto bytes = static_cast<uint32_t>(TileBytes(tiling.data, static_cast<int64_t>(sizeof(T))));
    pipe.InitBuffer(buffer_, bytes);
    Fill(bytes, value_bits);
    const AscendC::TEventID filled = pipe.FetchEventID<AscendC::HardEvent::V_MTE3>();
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(filled);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(filled);
    const AscendC::LocalTensor<T> source = buffer_.template Get<T>();
    tiles.ForEach([&](const MatrixTile& tile) { tiles.Store(dst, source, tile); });
  }

 private:
  __aicore__ inline void Fill(uint32_t bytes, uint64_t bits) {
    if constexpr (sizeof(T) == 1) {
      const auto twice = static_cast<uint16_t>((bits & 0xFF) * 0x0101);
      AscendC::Duplicate(buffer_.template Get<uint16_t>(), twice, static_cast<int32_t>(bytes / 2));
    } else if constexpr (sizeof(T) == 2) {
      AscendC::Duplicate(buffer_.template Get<uint16_t>(), static_cast<uint16_t>(bits),
                         static_cast<int32_t>(bytes / 2));
    } else {
      AscendC::Duplicate(buffer_.template Get<uint32_t>(), static_cast<uint32_t>(bits),
                         static_cast<int32_t>(bytes / 4));
    }
    if (sizeof(T) == 8 && bits >> 32 != (bits & 0xFFFF'FFFF)) {
      FillUpperHalves(bytes, static_cast<uint32_t>(bits >> 32));
    }
  }
  // Every other lane of 32 bits.
  __aicore__ inline void FillUpperHalves(uint32_t bytes, uint32_t bits) {
    constexpr uint32_t kRepeatBytes = 256;
    constexpr uint32_t kMostRepeats = 255;
    const AscendC::LocalTensor<uint32_t> words = buffer_.template Get<uint32_t>();
    const uint32_t whole = bytes / kRepeatBytes;
    uint64_t mask[2] = {0xAAAA'AAAA'AAAA'AAAA, 0};
    for (uint32_t at = 0; at < whole; at += kMostRepeats) {
      const auto repeats = static_cast<uint8_t>(std::min(kMostRepeats, whole - at));
      AscendC::Duplicate(words[at * kRepeatBytes / 4], bits, mask, repeats, 1, 8);
    }
    if (const uint32_t rest = bytes % kRepeatBytes / 4; rest > 0) {
      mask[0] &= (uint64_t{1} << rest) - 1;
      AscendC::Duplicate(words[whole * kRepeatBytes / 4], bits, mask, 1, 1, 8);
    }
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};

}  // namespace tilesim
