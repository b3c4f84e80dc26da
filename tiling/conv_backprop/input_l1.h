#pragma once
#include <cstdint>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {

// What one copy of A (the gradient, with zeros between its pixels where there is a stride) and one copy of B
// (the weights) take in L1. From the tiling data alone, so that kernels may name it: host and tile program
// reserve the same.
struct InputL1 {
  // Of A: rows of the stride-expanded gradient behind the baseM pixels of a block, whatever row of its task
  // the block begins in; pixels of such a row; lines of c0 channels.
  int64_t rows = 0;
  int64_t width = 0;
  int64_t lines = 0;
  int64_t elements_a = 0;
  // Of B: input channels (whole fractals) and output channels times taps.
  int64_t elements_b = 0;

  static constexpr InputL1 Of(const TConv3DBackpropInputTiling& t) {
    const int64_t taps = int64_t{t.hk} * t.wk;
    const auto task_rows = static_cast<int64_t>(t.singleCoreM / t.wi);
    InputL1 l1;
    l1.rows = ExpandedRows(t, Least(Least(MostTouched(t.baseM, t.wi), task_rows), t.hi));
    l1.width = (int64_t{t.wo} - 1) * t.strideW + 1;
    l1.lines = int64_t{t.stepKa} * t.baseK / (taps * t.c0);
    l1.elements_a = l1.rows * l1.width * l1.lines * t.c0;
    l1.elements_b = int64_t{t.baseN} * t.stepKb * t.baseK;
    return l1;
  }

  // Rows of the expanded gradient behind `rows` rows of dx, none counted that lies beyond its last.
  static constexpr int64_t ExpandedRows(const TConv3DBackpropInputTiling& t, int64_t rows) {
    const int64_t all = (int64_t{t.ho} - 1) * t.strideH + 1;
    return Least(rows + (int64_t{t.hk} - 1) * t.dilationH, all);
  }
};

}  // namespace tilesim
