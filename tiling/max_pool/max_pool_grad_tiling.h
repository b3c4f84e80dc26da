#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tiling/max_pool/max_pool_grad_axis.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_shape.h"

namespace tilesim {

// The vendor's tiling data of a max pooling's input gradient, all of 64 bits. "base" is one block in UB,
// counted in slots of dx (max_pool_grad_axis.h), each as long as the stride; of the vendor's names, "Do" to
// "Wo" say the axis only. Cnt parts of singleCore slots along an axis, the last of Tail, make totalCnt tasks.
// The last four are of a strategy that is not used: 0.
struct MaxPool3DGradWithArgmaxTilingData {
  uint64_t ncDim = 0;
  uint64_t diDim = 0, hiDim = 0, wiDim = 0;
  uint64_t doDim = 0, hoDim = 0, woDim = 0;
  uint64_t kd = 0, kh = 0, kw = 0;
  uint64_t sd = 0, sh = 0, sw = 0;
  uint64_t padDTop = 0, padHTop = 0, padWTop = 0;
  uint64_t padDBottom = 0, padHBottom = 0, padWBottom = 0;
  uint64_t baseNc = 0, baseDo = 0, baseHo = 0, baseWo = 0;
  uint64_t ncTail = 0, doTail = 0, hoTail = 0, woTail = 0;
  uint64_t ncCnt = 0, doCnt = 0, hoCnt = 0, woCnt = 0;
  uint64_t totalCnt = 0;
  uint64_t usedCoreNum = 0;
  uint64_t totalUBSize = 0;
  uint64_t singleCoreNc = 0, singleCoreDo = 0, singleCoreHo = 0, singleCoreWo = 0;
  uint64_t ncRound = 0, ncRoundTail = 0, totalRound = 0, preCoreNum = 0;
};

struct PoolGradProblem {
  PoolShape shape;
  bool recomputes = false;  // the argmax, from x; else it is given, and counts as the shape's index says

  friend bool operator==(const PoolGradProblem&, const PoolGradProblem&) = default;
};

// How much of dy and argmax stands in UB at a time.
enum class PoolGradStrategy : uint8_t {
  kResident,  // all that a block of dx needs; planes that the next block needs too stay
  kPlanes,    // partDo planes
  kRows,      // partHo rows of a plane
  kColumns,   // partWo columns of a row
};
inline constexpr std::array kPoolGradStrategies = {PoolGradStrategy::kResident, PoolGradStrategy::kPlanes,
                                                   PoolGradStrategy::kRows, PoolGradStrategy::kColumns};
// The axis of y that it cuts, 0 being D; -1: none.
constexpr int64_t CutAxisOf(PoolGradStrategy strategy) { return static_cast<int64_t>(strategy) - 1; }
inline constexpr std::array<std::string_view, 4> kPoolGradStrategyNames = {"resident", "planes", "rows",
                                                                           "columns"};
constexpr std::string_view Name(PoolGradStrategy strategy) {
  return kPoolGradStrategyNames[static_cast<size_t>(strategy)];
}

// What the tile program needs to know beyond the vendor's struct.
struct PoolGradSplit {
  PoolGradStrategy strategy = PoolGradStrategy::kResident;
  int64_t used_cores = 0;  // vector cores
  int64_t dilation_d = 1;
  int64_t dilation_h = 1;
  int64_t dilation_w = 1;
  int64_t channels = 1;
  int64_t channels_last = 0;  // 1: lanes are channels of one n; 0: lanes are any n * c
  int64_t argmax_order = 0;   // PoolIndex
  int64_t recomputes = 0;     // 1: the argmax, from x
  int64_t ignores_nan = 0;    // 1: NaN never wins (where it is recomputed)
  int64_t cut_d = 1;          // positions of a slot in a block: the stride, or fewer of one slot
  int64_t cut_h = 1;
  int64_t cut_w = 1;
  int64_t part_do = 1;  // outputs that stand in UB
  int64_t part_ho = 1;
  int64_t part_wo = 1;
  int64_t out_points = 16;  // positions of dx on their way out, in each of two buffers
  int64_t x_rows = 0;       // rows of x in a load, where the argmax is recomputed
  int64_t x_taps = 0;       // taps of a window's row in a load, there; fewer than all only where partWo is 1
  int64_t tap_table = 0;    // taps, from the first on, whose index stands in UB

  friend bool operator==(const PoolGradSplit&, const PoolGradSplit&) = default;
};

// All that a run of the gradient needs to know about tiling.
struct MaxPoolGradTiling {
  MaxPool3DGradWithArgmaxTilingData data;
  PoolGradSplit split;
  // In two phases: the pooling of x that comes first, and leaves its argmax in a workspace in GM. All else is
  // then the tiling of the gradient of that argmax.
  std::optional<MaxPoolTiling> pooling = std::nullopt;
};

// The phases of a gradient in two, as problems of their own. The argmax between them counts as `plane`.
PoolShape FirstPhaseOf(const PoolGradProblem& problem);
PoolGradProblem SecondPhaseOf(const PoolGradProblem& problem);
// The second phase of a tiling, or a tiling that has but one: of a gradient whose argmax is given.
MaxPoolGradTiling SecondPhaseOf(const MaxPoolGradTiling& tiling);

// The tasks of one of `cores` cores: the first ones have one more where they have not the same.
constexpr PoolRange PoolGradTasksOfCore(int64_t core, int64_t cores, int64_t tasks) {
  const auto begin = [&](int64_t before) {
    return before * (tasks / cores) + std::min(before, tasks % cores);
  };
  return {begin(core), begin(core + 1)};
}

// Vector cores that a launch starts: as many as the phase with most of them uses.
int64_t LaunchedCores(const MaxPoolGradTiling& tiling);

// The three axes d, h, w.
using PoolGradAxes = std::array<PoolGradAxis, 3>;
PoolGradAxes AxesOf(const PoolGradProblem& problem);
PoolGradAxes AxesOf(const MaxPoolGradTiling& tiling);

// Fills in what the tiling repeats of the problem: the data from ncDim to padWBottom, and of the split the
// dilations to ignores_nan.
void SetProblemFields(const PoolGradProblem& problem, MaxPoolGradTiling& tiling);

// The outputs along an axis (0: D) that a block of `slots` slots needs in UB, at least 1. Along W whole rows,
// where parts of rows would take as much: in UB they start at data blocks.
int64_t NeededOutputs(const PoolGradProblem& problem, size_t axis, int64_t slots);

// The block of dx in UB, in slots, and the run of slots along D that a core takes at a time.
struct PoolGradBlockSizes {
  int64_t d = 1;
  int64_t h = 1;
  int64_t w = 1;
  int64_t run_d = 1;
  std::array<int64_t, 3> cut = {INT64_MAX, INT64_MAX, INT64_MAX};  // the stride if that is less
};
// Sets base, singleCore, Cnt, Tail and cuts to these sizes, and the parts of dy that stand in UB: `outputs`
// along the axis that the strategy cuts, all that a block needs along those behind it, one along those
// before.
void SetBlockFields(const PoolGradProblem& problem, const PoolGradBlockSizes& sizes,
                    PoolGradStrategy strategy, int64_t outputs, MaxPoolGradTiling& tiling);

// A block of dx and how much of dy stands in UB with it.
struct PoolGradChoice {
  PoolGradBlockSizes sizes;
  PoolGradStrategy strategy = PoolGradStrategy::kResident;
  int64_t outputs = 1;  // along the axis that the strategy cuts
  int64_t x_rows = 2;   // of a load, before dx on its way out gets what it can use
};
// The tiling of a choice: what UB has left goes to `x_rows` rows of x, then to dx on its way out, then to
// more rows, then to the table of taps. Nothing where it does not fit in `ub_bytes`.
std::optional<MaxPoolGradTiling> FittedTiling(const PoolGradProblem& problem, const PoolGradChoice& choice,
                                              int64_t ub_bytes, int64_t cores);
// The same with the most outputs that fit along the axis that the strategy cuts.
std::optional<MaxPoolGradTiling> FittedWithParts(const PoolGradProblem& problem, PoolGradChoice choice,
                                                 int64_t ub_bytes, int64_t cores);
// The tiling with the least of everything, which need not fit.
MaxPoolGradTiling SmallestPoolGradTiling(const PoolGradProblem& problem);

// Do its buffers fit, and its moves?
bool TilingFits(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes);

}  // namespace tilesim
