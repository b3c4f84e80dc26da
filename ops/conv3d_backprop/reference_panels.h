#pragma once

#include <cstdint>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// Numbers of the input gradient's direct loops: values in double, magnitudes in float and, for numbers whose
// products float cannot hold, in double. Knows no order.
struct ReferenceNumbers {
  std::vector<double> values;
  std::vector<float> magnitudes;
  std::vector<double> wide_magnitudes;  // after Widen()
  double largest = 0;                   // finite magnitude
  double least = 0;                     // that is not 0; the largest double of zeros alone

  void Widen();
};

// Working copy of one batch item of dy: for each position along D and H the rows of a group's channels, one
// below the other, so that `row_stride` leads from a channel to the next. Knows no filter.
class ReferenceDyRows {
 public:
  // `dy` is in canonical order.
  ReferenceDyRows(const Conv3dProblem& problem, const Tensor& dy);
  void Fill(int64_t n, int threads);

  ReferenceNumbers& numbers() { return numbers_; }
  [[nodiscard]] const ReferenceNumbers& numbers() const { return numbers_; }
  [[nodiscard]] int64_t row_stride() const { return row_stride_; }
  // Where the row of the group's first channel begins.
  [[nodiscard]] size_t Start(int64_t group, int64_t d, int64_t h) const {
    const int64_t row = (group * problem_.out.d + d) * problem_.out.h + h;
    return static_cast<size_t>(row * problem_.CoutPerGroup() * row_stride_);
  }

 private:
  struct Extremes {
    float largest;
    float least;
  };
  Extremes FillChannel(int64_t n, int64_t channel);

  const Conv3dProblem& problem_;
  const Tensor& dy_;
  int64_t row_stride_;
  ReferenceNumbers numbers_;
};

// Working copy of the filter: for each block of kReferenceLanes input channels of a group and each tap, the
// output channels one below the other, their input channels side by side. Lanes past the last channel are 0.
class ReferenceTaps {
 public:
  // `filter` is in canonical order.
  ReferenceTaps(const Conv3dProblem& problem, const Tensor& filter);

  ReferenceNumbers& numbers() { return numbers_; }
  [[nodiscard]] const ReferenceNumbers& numbers() const { return numbers_; }
  [[nodiscard]] int64_t blocks() const { return blocks_; }  // of a group
  // Where the lanes of the group's first output channel begin.
  [[nodiscard]] size_t Start(int64_t group, int64_t block, int64_t tap) const;

 private:
  const Conv3dProblem& problem_;
  int64_t blocks_;
  int64_t taps_;
  ReferenceNumbers numbers_;
};

}  // namespace tilesim
