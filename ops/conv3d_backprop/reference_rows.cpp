// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "ops/conv3d_backprop/reference_rows.h"

#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/conv3d_backprop/reference_rows.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, std::is_same_v<T, float> ? 16 : 8>;

// Vectors of lanes and channels that one pass keeps in registers: 2 x 8 with 32 registers, 2 x 4 with 16.
constexpr int kPassVectors = 2;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr int kPassChannels = 8;
#else
constexpr int kPassChannels = 4;
#endif

// kChannels channels from `channel` on, kVectors vectors of lanes from `lane` on.
template <int kChannels, int kVectors, class T>
HWY_INLINE void AddPass(const ReferenceBlock<T>& block, int64_t channel, int64_t lane,
                        double* HWY_RESTRICT sums) {
  const Lanes<T> lanes;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(Lanes<T>()));
  hn::Vec<Lanes<T>> sum[kChannels][kVectors];
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (std::is_same_v<T, double>) {
        sum[c][v] = hn::LoadU(lanes, sums + (channel + c) * kReferenceLanes + lane + v * kWidth);
      } else {
        sum[c][v] = hn::Zero(lanes);
      }
    }
  }
  for (int64_t row = 0; row < block.rows; ++row) {
    const T* HWY_RESTRICT x = block.x + row * block.x_row_stride + channel;
    const T* HWY_RESTRICT dy = block.dy + row * block.dy_row_stride + lane;
    for (int64_t step = 0; step < block.steps; ++step) {
      hn::Vec<Lanes<T>> gradient[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        gradient[v] = hn::LoadU(lanes, dy + v * kWidth);
      }
      for (int c = 0; c < kChannels; ++c) {
        const auto value = hn::Set(lanes, x[c]);
        for (int v = 0; v < kVectors; ++v) {
          sum[c][v] = hn::MulAdd(value, gradient[v], sum[c][v]);
        }
      }
      x += block.x_step_stride;
      dy += block.dy_step_stride;
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) {
      double* const to = sums + (channel + c) * kReferenceLanes + lane + v * kWidth;
      if constexpr (std::is_same_v<T, double>) {
        hn::StoreU(sum[c][v], lanes, to);
      } else {
        HWY_ALIGN float block_sum[hn::MaxLanes(Lanes<T>())];
        hn::Store(sum[c][v], lanes, block_sum);
        for (int64_t i = 0; i < kWidth; ++i) {
          to[i] += static_cast<double>(block_sum[i]);
        }
      }
    }
  }
}

// All channels of the block in passes of 8, 4, 2 and 1; all lanes in passes of as many vectors as registers
// allow.
template <class T>
HWY_INLINE void AddAll(const ReferenceBlock<T>& block, double* HWY_RESTRICT sums) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(Lanes<T>()));
  constexpr int kVectors = kWidth * kPassVectors <= kReferenceLanes ? kPassVectors : 1;
  for (int64_t lane = 0; lane < kReferenceLanes; lane += kVectors * kWidth) {
    int64_t channel = 0;
    for (; channel + kPassChannels <= block.channels; channel += kPassChannels) {
      AddPass<kPassChannels, kVectors>(block, channel, lane, sums);
    }
    if (const int64_t rest = block.channels - channel; rest & 4) {
      AddPass<4, kVectors>(block, channel, lane, sums);
      channel += 4;
    }
    if (const int64_t rest = block.channels - channel; rest & 2) {
      AddPass<2, kVectors>(block, channel, lane, sums);
      channel += 2;
    }
    if (channel < block.channels) {
      AddPass<1, kVectors>(block, channel, lane, sums);
    }
  }
}

void AddDoubles(const ReferenceBlock<double>& block, double* sums) { AddAll(block, sums); }
void AddFloats(const ReferenceBlock<float>& block, double* sums) { AddAll(block, sums); }

}  // namespace HWY_NAMESPACE
}  // namespace tilesim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim {
namespace {

HWY_EXPORT(AddDoubles);
HWY_EXPORT(AddFloats);

}  // namespace

void AddProducts(const ReferenceBlock<double>& block, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddDoubles)(block, sums);
}

void AddProducts(const ReferenceBlock<float>& block, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddFloats)(block, sums);
}

}  // namespace tilesim

#endif  // HWY_ONCE
