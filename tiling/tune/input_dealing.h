#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/input_problem.h"
#include "tiling/conv_backprop/input_tasks.h"

namespace tilesim {

// The largest task of an input gradient: rows of dx, lines of input channels, depth planes.
struct InputPart {
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t dins = 1;
};

// A way to deal parts out.
struct InputDeal {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t used_cores = 1;
};

// Depth planes of one core's tasks that cost the same.
struct InputSamePlanes {
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t outs = 1;       // lines of output channels
  int64_t first_row = 0;  // of dx
  int64_t planes = 0;     // that a tap of depth reaches
  int64_t fresh = 0;      // of them, of tasks that read other rows than the one before
  int64_t taps = 0;       // of depth, of all of them
  int64_t zeros = 0;      // planes that none reaches
};

// All ways to deal an input gradient out over up to `cores` cores. Lists that differ in the place of what is
// not cut are one. Knows no block and no time.
class InputDealing {
 public:
  InputDealing(const InputProblem& problem, int64_t cores);

  // Any rows, whole fractals of channels or all, any planes, in this order.
  [[nodiscard]] int64_t parts() const { return p_.hi * static_cast<int64_t>(lines_.size()) * p_.di; }
  [[nodiscard]] InputPart PartOf(int64_t index) const;
  [[nodiscard]] std::vector<InputDeal> DealsOf(const InputPart& part) const;
  [[nodiscard]] InputTaskSpace SpaceOf(const InputPart& part) const;

  // The core whose tasks weigh most, as InputTaskList weighs them, not always the one that takes longest. As
  // a launch takes no less than any of its cores, a bound of this one's time holds for all.
  [[nodiscard]] size_t BusiestCore(const InputPart& part, const InputDeal& deal) const;
  // What a core does; the kind of its first plane first.
  [[nodiscard]] std::vector<InputSamePlanes> KindsOf(const InputPart& part, const InputDeal& deal,
                                                     size_t core) const;
  // Products (rows, lines, taps of depth and lines of output channels, multiplied) that some core has at
  // least, however so large parts are dealt out over `cores`.
  [[nodiscard]] int64_t LeastProducts(const InputPart& part, int64_t cores) const;
  // Pairs of a depth plane of dx and a tap that reaches it, of all images.
  [[nodiscard]] int64_t active_pairs() const;

 private:
  [[nodiscard]] bool IsInside(const InputTask& task) const;
  [[nodiscard]] int64_t OutsOf(int64_t group) const;

  const InputProblem p_;
  InputExtents e_;
  int64_t pad_up_;  // of the gradient's own convolution
  int64_t cores_;
  std::vector<int64_t> lines_;
  int64_t all_products_ = 0;
};

}  // namespace tilesim
