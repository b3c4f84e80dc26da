#include "ops/conv3d_backprop/reference_slab.h"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "formats/convert.h"
#include "formats/units.h"
#include "ops/conv3d_backprop/reference_rows.h"
#include "ops/harness/reference_parallel.h"

namespace tilesim {
namespace {

constexpr int64_t kRun = 512;  // positions converted at once

float RoundedToHf32(float value) {
  if (!std::isfinite(value)) {
    return value;
  }
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7ffU + (bits >> 12 & 1U)) & ~0xfffU);
}

}  // namespace

void ReadReferenceFloats(const Tensor& tensor, int64_t offset, bool hf32, std::span<float> to) {
  const auto from = static_cast<size_t>(offset);
  switch (tensor.dtype()) {
    case DType::kFp16:
      ConvertElements(tensor.As<Half>().subspan(from, to.size()), to);
      break;
    case DType::kBf16:
      ConvertElements(tensor.As<BFloat16>().subspan(from, to.size()), to);
      break;
    case DType::kFp32:
      std::ranges::copy(tensor.As<float>().subspan(from, to.size()), to.begin());
      break;
    default:
      throw std::logic_error("the reference takes fp16, bf16 and fp32");
  }
  if (hf32) {
    std::ranges::transform(to, to.begin(), RoundedToHf32);
  }
}

ReferenceSlab::ReferenceSlab(const Tensor& tensor, int64_t groups, int64_t width)
    : tensor_(tensor),
      groups_(groups),
      width_(width),
      channels_per_group_(tensor.layout().extents()[1] / groups),
      blocks_(CeilDiv(channels_per_group_, width)),
      positions_(tensor.layout().StorageElements() / tensor.layout().extents()[0] /
                 tensor.layout().extents()[1]) {
  const auto elements = static_cast<size_t>(groups * channels_per_group_ * positions_ + kReferenceLanes);
  values_.resize(elements);
  magnitudes_.resize(elements);
}

void ReferenceSlab::Fill(int64_t n, bool hf32, int threads) {
  std::vector<Extremes> extremes(static_cast<size_t>(groups_ * blocks_));
  ReferenceParallel(groups_ * blocks_, threads, [&](int64_t index) {
    extremes[static_cast<size_t>(index)] = FillBlock(n, index / blocks_, index % blocks_, hf32);
  });
  largest_ = 0;
  least_ = std::numeric_limits<double>::max();
  for (const Extremes& block : extremes) {
    largest_ = std::max(largest_, block.largest);
    least_ = std::min(least_, block.least);
  }
}

ReferenceSlab::Extremes ReferenceSlab::FillBlock(int64_t n, int64_t group, int64_t block, bool hf32) {
  const int64_t width = BlockWidth(block);
  const int64_t first_channel = group * channels_per_group_ + block * width_;
  float largest = 0;
  float least = std::numeric_limits<float>::infinity();
  float run[kRun];
  for (int64_t begin = 0; begin < positions_; begin += kRun) {
    const int64_t count = std::min(kRun, positions_ - begin);
    double* const values = &values_[Start(group, block)] + begin * width;
    float* const magnitudes = &magnitudes_[Start(group, block)] + begin * width;
    for (int64_t c = 0; c < width; ++c) {
      const int64_t channel = n * groups_ * channels_per_group_ + first_channel + c;
      ReadReferenceFloats(tensor_, channel * positions_ + begin, hf32,
                          std::span(run, static_cast<size_t>(count)));
      for (int64_t i = 0; i < count; ++i) {
        const float value = run[i];
        const float magnitude = std::abs(value);
        values[i * width + c] = static_cast<double>(value);
        magnitudes[i * width + c] = magnitude;
        largest = magnitude > largest && magnitude <= std::numeric_limits<float>::max() ? magnitude : largest;
        least = magnitude < least && magnitude > 0 ? magnitude : least;
      }
    }
  }
  return {largest, least};
}

void ReferenceSlab::Widen() {
  wide_magnitudes_.resize(values_.size());
  std::ranges::transform(values_, wide_magnitudes_.begin(), [](double value) { return std::abs(value); });
}

}  // namespace tilesim
