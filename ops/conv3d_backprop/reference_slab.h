#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/tensor.h"

namespace tilesim {

// Elements of a floating tensor from `offset` of its storage on, with `hf32` each rounded to HF32 (12 low
// bits dropped, to nearest even).
void ReadReferenceFloats(const Tensor& tensor, int64_t offset, bool hf32, std::span<float> to);

// Working copy of one batch item for the direct-loop reference: the channels of a group in blocks of `width`,
// inside a block the channels last, so that a row of positions is a row of short vectors. Values in double,
// magnitudes in float. Knows no convolution.
class ReferenceSlab {
 public:
  // `tensor` is in canonical order (n, c, positions...).
  ReferenceSlab(const Tensor& tensor, int64_t groups, int64_t width);

  // Takes batch item n; with `hf32` each value rounded to HF32.
  void Fill(int64_t n, bool hf32, int threads);

  [[nodiscard]] int64_t groups() const { return groups_; }
  [[nodiscard]] int64_t blocks() const { return blocks_; }  // of a group
  [[nodiscard]] int64_t BlockWidth(int64_t block) const {
    return std::min(width_, channels_per_group_ - block * width_);
  }
  // [position][BlockWidth(block)]; kReferenceLanes more elements than that may be read from any position.
  [[nodiscard]] const double* Values(int64_t group, int64_t block) const {
    return &values_[Start(group, block)];
  }
  [[nodiscard]] const float* Magnitudes(int64_t group, int64_t block) const {
    return &magnitudes_[Start(group, block)];
  }

  // Largest finite magnitude and least that is not 0; 0 and the largest double of a tensor of zeros.
  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double least() const { return least_; }

  // Magnitudes in double, of the same shape: for numbers whose products float cannot hold.
  void Widen();
  [[nodiscard]] const double* WideMagnitudes(int64_t group, int64_t block) const {
    return &wide_magnitudes_[Start(group, block)];
  }

 private:
  struct Extremes {
    double largest = 0;
    double least = 0;
  };

  [[nodiscard]] size_t Start(int64_t group, int64_t block) const {
    return static_cast<size_t>((group * channels_per_group_ + block * width_) * positions_);
  }
  Extremes FillBlock(int64_t n, int64_t group, int64_t block, bool hf32);

  const Tensor& tensor_;
  int64_t groups_;
  int64_t width_;
  int64_t channels_per_group_;
  int64_t blocks_;
  int64_t positions_;
  double largest_ = 0;
  double least_ = 0;
  std::vector<double> values_;
  std::vector<float> magnitudes_;
  std::vector<double> wide_magnitudes_;
};

}  // namespace tilesim
