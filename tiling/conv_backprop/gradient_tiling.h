#pragma once
#include <cstdint>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_split.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/core_memory.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// All that a run of the filter gradient needs to know about tiling: the vendor's struct for each core's tile
// program, and our own for dealing the tasks out.
struct FilterTiling {
  Conv3DBackpropFilterTilingData data;
  FilterSplit split;
};

// Fills in what the tiling data repeat of the problem: batch to dilationW and channelSize. Values beyond the
// width of a field keep their low 32 bits, as the shipped planner's do.
void SetProblemFields(const FilterProblem& problem, TConv3DBpFilterTiling& tiling);

// How many tasks of the given tiling data there are along M, N and K of one (batch, dout, group, dk).
struct FilterTaskCounts {
  int64_t m, n, k;
};
FilterTaskCounts TaskCountsOf(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling);

// The split for tiling data that came without one, such as planner `api`'s: the tasks in a list, dealt out
// over `cores` cores, by the strategy the shipped planner would have meant where the tiling data allow it.
// Tiling data that cut M, N and K all three get a grid.
FilterSplit DealOut(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling, int64_t cores);

// All that a run of the input gradient needs to know about tiling: the vendor's struct for each core's tile
// program, and our own for dealing the tasks out.
struct InputTiling {
  Conv3DBackpropInputTilingData data;
  InputSplit split;
};

// What the gradient must be padded with, along one axis, for the input gradient to be a convolution with
// stride one over the stride-expanded gradient. Negative: that many rows are cut away in place.
struct BackpropPads {
  int64_t before;
  int64_t after;
};
BackpropPads BackpropPadsOf(const InputAxis& axis);

// What the shipped planner states of BackpropPads::after: that where img2col can be told it (0 to 255), less
// otherwise.
int64_t ShippedPadBehind(const InputAxis& axis);

// Whether an element of dx gets no contribution from any tap: beside what the windows reach, or passed over
// by strides and dilations. In steps of the axes' kernels and strides, whatever their extents.
bool LeavesZeros(const InputProblem& problem);

// Fills in what the tiling data repeat of the problem: batch to dilationW, the pads of the gradient included.
// Values beyond the width of a field keep their low 32 bits, as the shipped planner's do.
void SetProblemFields(const InputProblem& problem, TConv3DBackpropInputTiling& tiling);

// The split for tiling data that came without one, such as planner `api`'s: the tasks in a list, dealt out
// over `cores` cores.
InputSplit DealOut(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling, int64_t cores);

// Tasks of one size: output channels (whole fractals or planes), cin1 lines, output rows.
struct FilterTaskSize {
  int64_t m = 0;
  int64_t lines = 0;
  int64_t rows = 0;

  friend bool operator==(const FilterTaskSize&, const FilterTaskSize&) = default;
};

// A way to deal the problem out: the split and the largest task it gives.
struct FilterCut {
  FilterSplit split;
  FilterTaskSize part;
};
inline FilterCut CutOf(const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return {.split = tiling.split,
          .part = {.m = t.singleCoreCout,
                   .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize,
                   .rows = t.singleCoreHo}};
}

// Fills in what tiling data say of a choice: blocks, steps, buffers, fractals and the one (group, batch, dk)
// of a task. Not bl1Bound, which follows from the choice and the task.
void SetTaskFields(const CubeChoice& choice, int64_t c0, TConv3DBpFilterTiling& tiling);

// The tiling data and split that say so, with the bl1Bound the steps need.
FilterTiling TilingOf(const FilterProblem& problem, const CoreMemory& memory, const FilterCut& cut,
                      const CubeChoice& choice);

// A way to deal the problem out: the order of the list, the largest part of rows of dx and of c0-lines of
// channels, and the cores.
struct InputCut {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t cores = 1;

  friend bool operator==(const InputCut&, const InputCut&) = default;
};
InputCut CutOf(const InputTiling& tiling);
InputTaskSpace SpaceOf(const InputProblem& problem, const InputCut& cut);

// Fills in what every task holds one of.
void SetTaskFields(TConv3DBackpropInputTiling& tiling);

// The tiling data and split that say so.
InputTiling TilingOf(const InputProblem& problem, const InputCut& cut, const CubeChoice& choice);

// Blocks of K that fit the taps: whole lines of hk * wk * c0 or even parts of one, smallest first, up to
// `most`.
std::vector<int64_t> BlocksOfK(const InputProblem& problem, int64_t most);

inline uint32_t Low32(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }

// Fills in what the tiling data of both gradients repeat of the problem under the same names. Values beyond
// the width of a field keep their low 32 bits, as the shipped planner's do.
template <class Tiling>
void SetConvFields(const ConvProblem& p, Tiling& t) {
  t.batch = Low32(p.batch);
  t.cin = Low32(p.cin);
  t.cout = Low32(p.cout);
  t.dout = Low32(p.dout);
  t.ho = Low32(p.ho);
  t.wo = Low32(p.wo);
  t.di = Low32(p.di);
  t.hi = Low32(p.hi);
  t.wi = Low32(p.wi);
  t.dk = Low32(p.dk);
  t.hk = Low32(p.hk);
  t.wk = Low32(p.wk);
  t.strideD = Low32(p.stride_d);
  t.strideH = Low32(p.stride_h);
  t.strideW = Low32(p.stride_w);
  t.padFront = Low32(p.pad_front);
  t.padBack = Low32(p.pad_back);
  t.padUp = Low32(p.pad_up);
  t.padDown = Low32(p.pad_down);
  t.padLeft = Low32(p.pad_left);
  t.padRight = Low32(p.pad_right);
  t.dilationD = Low32(p.dilation_d);
  t.dilationH = Low32(p.dilation_h);
  t.dilationW = Low32(p.dilation_w);
}

// Fills in what the tiling data of both gradients say of a choice under the same names.
template <class Tiling>
void SetChoiceFields(const CubeChoice& choice, Tiling& t) {
  t.al0Pbuffer = t.bl0Pbuffer = Low32(choice.l0_copies);
  t.cl0Pbuffer = Low32(choice.l0c_copies);
  t.al1Pbuffer = Low32(choice.l1_copies_a);
  t.bl1Pbuffer = Low32(choice.l1_copies_b);
  t.baseM = Low32(choice.base_m);
  t.baseN = Low32(choice.base_n);
  t.baseK = Low32(choice.base_k);
  t.stepM = Low32(choice.step_m);
  t.stepN = Low32(choice.step_n);
  t.stepKa = Low32(choice.step_ka);
  t.stepKb = Low32(choice.step_kb);
  t.iterateOrder = Low32(choice.iterate_order);
}

}  // namespace tilesim
