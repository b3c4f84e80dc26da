// Conv3DBackpropInput along one axis (H or W): which pixels of the gradient lie behind which pixels of dx.
//
// The input gradient is a convolution of stride 1 of the reversed filter with the gradient spread by the
// stride. Tap t of pixel x of dx sees position start + x + t * dilation of the spread gradient, where pixel y
// of the gradient is at y * stride and zeros are between. Of the taps of one pixel at most every stride-th
// meets no zero: with a split, the pixels phase, phase + split, ... of dx make a convolution of their own, of
// the taps that meet their lattice.
//
// Arithmetic of the tile program: it knows no memory and no time.
#pragma once

#include <cstdint>
#include <numeric>

#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// One axis of a single shape.
struct GradientAxis {
  int64_t start = 0;     // negative: the first pixel of dx sees padding first
  int64_t pixels = 0;    // of dx
  int64_t gradient = 0;  // pixels
  uint32_t taps = 1;
  uint32_t stride = 1;
  uint32_t dilation = 1;
  uint32_t split = 1;  // 1: all pixels of dx together; stride: each phase for itself
};

// The pixels phase + i * split of dx: tap i of `taps` is tap first_tap + i * tap_step of the reversed filter.
// Pixel j sees position offset + j + i * dilation, where pixel y of the gradient is at y * spacing.
struct GradientPhase {
  uint32_t phase = 0;
  uint32_t split = 1;
  int64_t pixels = 0;
  uint32_t taps = 0;
  uint32_t first_tap = 0;
  uint32_t tap_step = 1;
  uint32_t dilation = 1;
  int64_t offset = 0;
  int64_t spacing = 1;
  int64_t gradient = 0;
};

inline GradientPhase PhaseOf(const GradientAxis& axis, uint32_t phase) {
  GradientPhase p;
  p.phase = phase;
  p.split = axis.split;
  p.pixels = phase < axis.pixels ? (axis.pixels - phase - 1) / axis.split + 1 : 0;
  p.spacing = axis.stride / axis.split;
  p.gradient = axis.gradient;
  p.tap_step = axis.split / std::gcd(axis.split, axis.dilation);
  while (p.first_tap < p.tap_step &&
         (axis.start + phase + int64_t{p.first_tap} * axis.dilation) % axis.split != 0) {
    ++p.first_tap;
  }
  if (p.first_tap == p.tap_step || p.first_tap >= axis.taps) {
    return p;  // every tap meets a zero
  }
  p.taps = (axis.taps - 1 - p.first_tap) / p.tap_step + 1;
  p.dilation = p.taps == 1 ? 1 : p.tap_step * axis.dilation / axis.split;
  p.offset = (axis.start + phase + int64_t{p.first_tap} * axis.dilation) / axis.split;
  return p;
}

// Pixels of the gradient behind some pixels of dx, and the zeros before and behind them.
struct GradientSpan {
  int64_t first = 0;
  int64_t count = 0;  // 0: none
  int64_t pad_before = 0;
  int64_t pad_after = 0;

  // Positions from the first to the last of them, zeros between counted.
  [[nodiscard]] int64_t spread(int64_t spacing) const { return (count - 1) * spacing + 1; }
  friend bool operator==(const GradientSpan& a, const GradientSpan& b) {
    return a.first == b.first && a.count == b.count && a.pad_before == b.pad_before &&
           a.pad_after == b.pad_after;
  }
};

// Behind the pixels [begin, end) of a phase.
inline GradientSpan SpanBehind(const GradientPhase& phase, int64_t begin, int64_t end) {
  if (phase.taps == 0) {
    return {};
  }
  const int64_t top = phase.offset + begin;
  const int64_t bottom = phase.offset + end - 1 + int64_t{phase.taps - 1} * phase.dilation;
  const int64_t first = top > 0 ? CeilOf(top, phase.spacing) : 0;
  const int64_t reached = FloorOf(bottom, phase.spacing);
  const int64_t last = reached < phase.gradient ? reached : phase.gradient - 1;
  if (first > last) {
    return {};
  }
  return {.first = first,
          .count = last - first + 1,
          .pad_before = first * phase.spacing - top,
          .pad_after = bottom - last * phase.spacing};
}

}  // namespace ConvBackpropApi
