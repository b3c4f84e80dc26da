#include "ops/conv3d_backprop/reference_panels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/units.h"
#include "ops/conv3d_backprop/reference_rows.h"
#include "ops/conv3d_backprop/reference_slab.h"
#include "ops/harness/reference_parallel.h"

namespace tilesim {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();

// An odd number of cache lines of doubles: rows one below the other then fall into different cache sets.
int64_t OddLines(int64_t elements) {
  constexpr int64_t kLine = 64 / sizeof(double);
  return (CeilDiv(elements, kLine) | 1) * kLine;
}

}  // namespace

void ReferenceNumbers::Widen() {
  wide_magnitudes.resize(values.size());
  std::ranges::transform(values, wide_magnitudes.begin(), [](double value) { return std::abs(value); });
}

ReferenceDyRows::ReferenceDyRows(const Conv3dProblem& problem, const Tensor& dy)
    : problem_(problem), dy_(dy), row_stride_(OddLines(problem.out.w)) {
  const auto elements = static_cast<size_t>(problem.cout * problem.out.d * problem.out.h * row_stride_);
  numbers_.values.resize(elements);
  numbers_.magnitudes.resize(elements);
}

void ReferenceDyRows::Fill(int64_t n, int threads) {
  std::vector<Extremes> extremes(static_cast<size_t>(problem_.cout));
  ReferenceParallel(problem_.cout, threads, [&](int64_t channel) {
    extremes[static_cast<size_t>(channel)] = FillChannel(n, channel);
  });
  numbers_.largest = 0;
  numbers_.least = std::numeric_limits<double>::max();
  for (const Extremes& channel : extremes) {
    numbers_.largest = std::max(numbers_.largest, double{channel.largest});
    numbers_.least = std::min(numbers_.least, double{channel.least});
  }
}

ReferenceDyRows::Extremes ReferenceDyRows::FillChannel(int64_t n, int64_t channel) {
  const Extents3& out = problem_.out;
  const int64_t positions = out.d * out.h * out.w;
  std::vector<float> plane(static_cast<size_t>(positions));
  ReadReferenceFloats(dy_, (n * problem_.cout + channel) * positions, problem_.hf32, plane);
  const int64_t group = channel / problem_.CoutPerGroup();
  const auto offset = static_cast<size_t>(channel % problem_.CoutPerGroup() * row_stride_);
  float largest = 0;
  float least = std::numeric_limits<float>::infinity();
  const float* from = plane.data();
  for (int64_t d = 0; d < out.d; ++d) {
    for (int64_t h = 0; h < out.h; ++h, from += out.w) {
      double* const values = &numbers_.values[Start(group, d, h) + offset];
      float* const magnitudes = &numbers_.magnitudes[Start(group, d, h) + offset];
      for (int64_t w = 0; w < out.w; ++w) {
        const float magnitude = std::abs(from[w]);
        values[w] = double{from[w]};
        magnitudes[w] = magnitude;
        largest = magnitude > largest && magnitude <= kLargestFloat ? magnitude : largest;
        least = magnitude < least && magnitude > 0 ? magnitude : least;
      }
    }
  }
  return {largest, least};
}

ReferenceTaps::ReferenceTaps(const Conv3dProblem& problem, const Tensor& filter)
    : problem_(problem),
      blocks_(CeilDiv(problem.CinPerGroup(), kReferenceLanes)),
      taps_(problem.kernel.d * problem.kernel.h * problem.kernel.w) {
  const auto elements = static_cast<size_t>(problem.cout * blocks_ * taps_ * kReferenceLanes);
  numbers_.values.resize(elements);
  numbers_.magnitudes.resize(elements);
  numbers_.least = std::numeric_limits<double>::max();
  const int64_t channels = problem.CinPerGroup();
  std::vector<float> row(static_cast<size_t>(channels * taps_));  // of one output channel: [i][tap]
  for (int64_t o = 0; o < problem.cout; ++o) {
    ReadReferenceFloats(filter, o * channels * taps_, problem.hf32, row);
    for (int64_t i = 0; i < channels; ++i) {
      const int64_t lane = o % problem.CoutPerGroup() * kReferenceLanes + i % kReferenceLanes;
      for (int64_t tap = 0; tap < taps_; ++tap) {
        const float value = row[static_cast<size_t>(i * taps_ + tap)];
        const float magnitude = std::abs(value);
        const size_t to =
            Start(o / problem.CoutPerGroup(), i / kReferenceLanes, tap) + static_cast<size_t>(lane);
        numbers_.values[to] = double{value};
        numbers_.magnitudes[to] = magnitude;
        if (magnitude > 0 && magnitude <= kLargestFloat) {
          numbers_.largest = std::max(numbers_.largest, double{magnitude});
          numbers_.least = std::min(numbers_.least, double{magnitude});
        }
      }
    }
  }
}

size_t ReferenceTaps::Start(int64_t group, int64_t block, int64_t tap) const {
  const int64_t panel = (group * blocks_ + block) * taps_ + tap;
  return static_cast<size_t>(panel * problem_.CoutPerGroup() * kReferenceLanes);
}

}  // namespace tilesim
