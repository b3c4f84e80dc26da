// Which tasks of the input gradient a core runs, in order.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/conv_depth.h"
#include "tiling/conv_backprop/gradient_split.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {

// One task: a part of dx that no other task writes. `dins` planes of depth, rows of all of wi pixels, and
// lines of c0 channels, of one image and one merged group; summed over every dk and every output channel.
struct InputTask {
  int64_t batch = 0;
  int64_t group = 0;  // merged groups
  int64_t din = 0;
  int64_t dins = 1;
  int64_t row = 0;  // of hi; M starts at row * wi
  int64_t rows = 1;
  int64_t line = 0;  // within the merged group; N starts at line * c0
  int64_t lines = 1;
};

// What is dealt out, and the size of a part.
struct InputTaskSpace {
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t rows = 1, rows_part = 1;
  int64_t lines = 1;    // of all groups
  int64_t lines_g = 1;  // of one merged group; the last may have fewer
  int64_t lines_part = 1;
  int64_t dins_part = 1;
  ConvDepth depth{};

  // By what the tiling data repeat of the problem.
  static constexpr InputTaskSpace Of(const TConv3DBackpropInputTiling& t) {
    return {.batch = t.batch,
            .groups = t.group,
            .rows = t.hi,
            .rows_part = static_cast<int64_t>(t.singleCoreM / t.wi),
            .lines = t.cin1,
            .lines_g = t.cin1G,
            .lines_part = static_cast<int64_t>(t.singleCoreCin / t.c0),
            .dins_part = t.singleCoreDin,
            .depth = {.di = t.di,
                      .dout = t.dout,
                      .dk = t.dk,
                      .stride = t.strideD,
                      .dilation = t.dilationD,
                      .pad_front = t.padFront}};
  }
  // Parts of each: of the rows, of the depth of all images, of the lines of a group.
  [[nodiscard]] constexpr int64_t row_parts() const { return (rows + rows_part - 1) / rows_part; }
  [[nodiscard]] constexpr int64_t din_parts() const { return (depth.di + dins_part - 1) / dins_part; }
  [[nodiscard]] constexpr int64_t line_parts() const { return (lines_g + lines_part - 1) / lines_part; }
};

// The list of all tasks of a problem: group by group, and within a group in the order of the strategy. Knows
// how much each stretch of it weighs, so that cores can be given equal work.
class InputTaskList {
 public:
  constexpr InputTaskList(const InputTaskSpace& space, InputStrategy strategy)
      : space_(space), order_(OrderOf(strategy)), balanced_(IsBalanced(strategy)) {
    counts_[kM] = space.row_parts();
    counts_[kD] = space.batch * space.din_parts();
    counts_[kN] = space.line_parts();
    image_weight_ = WeightOfPlanes(space.depth, space.depth.di);
  }

  [[nodiscard]] constexpr int64_t size() const {
    return space_.groups * counts_[kM] * counts_[kD] * counts_[kN];
  }
  [[nodiscard]] constexpr InputTask At(int64_t index) const {
    int64_t at[3] = {0, 0, 0};
    for (int i = 2; i >= 0; --i) {
      at[order_[i]] = index % counts_[order_[i]];
      index /= counts_[order_[i]];
    }
    InputTask task;
    task.group = index;
    task.batch = at[kD] / space_.din_parts();
    task.din = at[kD] % space_.din_parts() * space_.dins_part;
    task.dins = Least(space_.dins_part, space_.depth.di - task.din);
    task.row = at[kM] * space_.rows_part;
    task.rows = Least(space_.rows_part, space_.rows - task.row);
    task.line = at[kN] * space_.lines_part;
    task.lines = Least(space_.lines_part, LinesOf(task.group) - task.line);
    return task;
  }
  // Work of the first `index` tasks, in units that mean something only beside each other: pixels * lines *
  // taps of depth, and a little for every plane that is written.
  [[nodiscard]] constexpr double WorkBefore(int64_t index) const {
    return static_cast<double>(WeightBefore(index));
  }
  // The first task of core `core` of `cores`; of core `cores`: one past the last.
  [[nodiscard]] constexpr int64_t FirstOf(int64_t core, int64_t cores) const {
    if (!balanced_) {
      return ShareBegin(size(), cores, core);
    }
    // the first task whose middle lies in this core's share of the whole weight
    const Weight all = WeightBefore(size());
    int64_t low = 0;
    int64_t high = size();
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const Weight twice = WeightBefore(middle) + WeightBefore(middle + 1);
      if (twice * cores >= all * 2 * core) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  using Weight = __int128;  // pixels * lines * taps of a large problem do not fit in 64 bits

  [[nodiscard]] constexpr int64_t LinesOf(int64_t group) const {
    return Least(space_.lines_g, space_.lines - group * space_.lines_g);
  }
  // Of some planes of depth. One that no tap reaches still is written.
  static constexpr Weight WeightOfPlanes(const ConvDepth& depth, int64_t dins) {
    constexpr int64_t kTap = 8;
    constexpr int64_t kWrite = 1;
    const int64_t planes = Least(dins, depth.di);
    return Weight{depth.TapsBelow(planes)} * kTap + Weight{planes} * kWrite;
  }
  // Of the first `parts` parts along one digit.
  [[nodiscard]] constexpr Weight WeightAlong(int digit, int64_t parts, int64_t group) const {
    switch (digit) {
      case kM:
        return Least(parts * space_.rows_part, space_.rows);
      case kN:
        return Least(parts * space_.lines_part, LinesOf(group));
      default:
        return parts / space_.din_parts() * image_weight_ +
               WeightOfPlanes(space_.depth, parts % space_.din_parts() * space_.dins_part);
    }
  }
  [[nodiscard]] constexpr Weight WeightOfAll(int digit, int64_t group) const {
    return digit == kM ? space_.rows : digit == kN ? LinesOf(group) : image_weight_ * space_.batch;
  }
  // Of the first `index` tasks.
  [[nodiscard]] constexpr Weight WeightBefore(int64_t index) const {
    const int64_t in_group = counts_[kM] * counts_[kD] * counts_[kN];
    const int64_t group = index / in_group;
    index %= in_group;
    Weight weight = space_.rows * image_weight_ * space_.batch * Least(group * space_.lines_g, space_.lines);
    if (index == 0) {
      return weight;
    }
    Weight of_this = 1;  // of the digits before the one in hand
    int64_t below = in_group;
    for (int i = 0; i < 3 && index > 0; ++i) {
      below /= counts_[order_[i]];
      const int64_t digit = index / below;
      index %= below;
      Weight rest = 1;  // of everything behind the digit in hand
      for (int j = i + 1; j < 3; ++j) {
        rest *= WeightOfAll(order_[j], group);
      }
      const Weight before = WeightAlong(order_[i], digit, group);
      weight += of_this * before * rest;
      if (index > 0) {
        of_this *= WeightAlong(order_[i], digit + 1, group) - before;
      }
    }
    return weight;
  }

  static constexpr int kM = 0;
  static constexpr int kD = 1;
  static constexpr int kN = 2;
  struct Order {
    int digit[3];
    constexpr int operator[](int i) const { return digit[i]; }
  };
  static constexpr Order OrderOf(InputStrategy strategy) {
    Order order{};
    for (int i = 0; i < 3; ++i) {
      const char letter = LettersOf(strategy)[i];
      order.digit[i] = letter == 'm' ? kM : letter == 'd' ? kD : kN;
    }
    return order;
  }
  InputTaskSpace space_;
  Order order_;
  bool balanced_;
  int64_t counts_[3] = {1, 1, 1};
  Weight image_weight_ = 0;  // of all planes of one image
};

// Calls visit(task) for each task of `core`, in the order in which it runs them. Tasks of a last, smaller
// group that no channel is left for are passed over.
template <class Visit>
void ForEachInputTask(const InputTaskSpace& space, const InputSplit& split, int64_t core, Visit&& visit) {
  if (core >= split.used_cores) {
    return;
  }
  const InputTaskList list(space, split.strategy);
  const int64_t end = list.FirstOf(core + 1, split.used_cores);
  for (int64_t index = list.FirstOf(core, split.used_cores); index < end; ++index) {
    const InputTask task = list.At(index);
    if (task.lines > 0) {
      visit(task);
    }
  }
}

}  // namespace tilesim
