// Copies from GM to L1 that may be longer than one instruction can say.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace ConvBackpropApi {

// The longest move and gap that one DataCopy can state, in blocks of 32 B; and its most blocks.
inline constexpr uint64_t kMaxCopyLength = 65535;
inline constexpr uint64_t kMaxCopyCount = 4095;

// Copies `count` runs of `length` blocks of 32 B whose starts lie `stride` blocks apart, packed one behind
// the other. As many instructions as their limits ask for: runs in parts, or one run, or a piece of one,
// after another.
template <class T>
__aicore__ inline void CopyRuns(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                                uint64_t count, uint64_t length, uint64_t stride) {
  constexpr uint64_t kBlock = AscendC::ONE_BLK_SIZE / sizeof(T);  // elements
  if (length <= kMaxCopyLength && stride - length <= kMaxCopyLength) {
    for (uint64_t run = 0; run < count; run += kMaxCopyCount) {
      const uint64_t here = count - run < kMaxCopyCount ? count - run : kMaxCopyCount;
      AscendC::DataCopy(dst[static_cast<uint32_t>(run * length * kBlock)], src[run * stride * kBlock],
                        AscendC::DataCopyParams(static_cast<uint16_t>(here), static_cast<uint16_t>(length),
                                                static_cast<uint16_t>(stride - length), 0));
    }
    return;
  }
  for (uint64_t run = 0; run < count; ++run) {
    for (uint64_t at = 0; at < length; at += kMaxCopyLength) {
      const uint64_t piece = length - at < kMaxCopyLength ? length - at : kMaxCopyLength;
      AscendC::DataCopy(dst[static_cast<uint32_t>((run * length + at) * kBlock)],
                        src[(run * stride + at) * kBlock],
                        AscendC::DataCopyParams(1, static_cast<uint16_t>(piece), 0, 0));
    }
  }
}

}  // namespace ConvBackpropApi
