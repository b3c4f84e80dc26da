#include "tiling/max_pool/max_pool_grad_fit.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {
namespace {

constexpr int64_t kEnoughOutPoints = 1024;  // beyond, pieces of GM gain nothing

MaxPoolGradTiling TilingOf(const PoolGradProblem& problem, const PoolGradChoice& choice, int64_t cores) {
  MaxPoolGradTiling tiling;
  SetProblemFields(problem, tiling);
  SetBlockFields(problem, choice.sizes, choice.strategy, choice.parts, tiling);
  tiling.split.used_cores = std::max<int64_t>(1, std::min(cores, Signed(tiling.data.totalCnt)));
  tiling.data.usedCoreNum = Unsigned(tiling.split.used_cores);
  const bool whole_window = tiling.split.part_wo > 1;  // of one output it may come in parts
  tiling.split.x_rows = problem.recomputes ? 1 : 0;
  tiling.split.x_taps = !problem.recomputes ? 0 : whole_window ? problem.shape.w.window : 1;
  return tiling;
}

}  // namespace

std::optional<MaxPoolGradTiling> FittedTiling(const PoolGradProblem& problem, const PoolGradChoice& choice,
                                              int64_t ub_bytes, int64_t cores) {
  const int64_t budget = ub_bytes - kSelectScratchBytes;
  MaxPoolGradTiling tiling = TilingOf(problem, choice, cores);
  PoolGradSplit& s = tiling.split;
  const auto total = [&] { return UbOf(tiling, problem.shape.element_bytes()).Total(); };
  const auto fits = [&] { return total() <= budget && MovesFit(tiling, problem.shape.element_bytes()); };
  const auto fits_with = [&](int64_t& field, int64_t value) {
    field = value;
    return fits();
  };
  if (!fits()) {
    return std::nullopt;
  }
  const auto widen_loads = [&](int64_t most_rows) {
    if (problem.recomputes) {
      s.x_rows = Largest(1, most_rows, [&](int64_t count) { return fits_with(s.x_rows, count); });
    }
  };
  if (problem.recomputes) {
    s.x_taps =
        Largest(s.x_taps, problem.shape.w.window, [&](int64_t taps) { return fits_with(s.x_taps, taps); });
  }
  widen_loads(choice.x_rows);
  const int64_t width = problem.shape.w.in;
  const int64_t columns = std::min(Signed(tiling.data.baseWo) * s.cut_w, width);
  const int64_t rows = columns == width ? Signed(tiling.data.baseHo) * s.cut_h : 1;
  const int64_t wanted = std::clamp<int64_t>(rows * columns, 16, kEnoughOutPoints);
  const int64_t points = Largest(16, wanted, [&](int64_t count) { return fits_with(s.out_points, count); });
  s.out_points = points > width ? points / width * width : points;  // whole rows
  widen_loads(std::min(kMostPoolRows, s.part_ho * problem.shape.h.window));
  s.tap_table = Largest(0, MostTapsInUb(tiling), [&](int64_t taps) { return fits_with(s.tap_table, taps); });
  tiling.data.totalUBSize = Unsigned(total());
  return tiling;
}

std::optional<MaxPoolGradTiling> FittedWithParts(const PoolGradProblem& problem,
                                                 const PoolGradBlockSizes& sizes, PoolGradStrategy strategy,
                                                 int64_t ub_bytes, int64_t cores, int64_t x_rows) {
  PoolGradChoice choice{.sizes = sizes, .strategy = strategy, .x_rows = x_rows};
  if (strategy == PoolGradStrategy::kResident) {
    return FittedTiling(problem, choice, ub_bytes, cores);
  }
  const std::array base = {sizes.d, sizes.h, sizes.w};
  const auto cut_axis = static_cast<size_t>(strategy) - 1;
  for (size_t i = cut_axis; i < choice.parts.size(); ++i) {
    choice.parts[i] = NeededOutputs(problem, i, base[i]);
  }
  std::optional<MaxPoolGradTiling> best;
  Largest(1, choice.parts[cut_axis], [&](int64_t part) {
    choice.parts[cut_axis] = part;
    const std::optional<MaxPoolGradTiling> tiling = FittedTiling(problem, choice, ub_bytes, cores);
    if (tiling) {
      best = tiling;
    }
    return tiling.has_value();
  });
  return best;
}

MaxPoolGradTiling SmallestPoolGradTiling(const PoolGradProblem& problem) {
  MaxPoolGradTiling tiling =
      TilingOf(problem, {.sizes = {.cut = {1, 1, 1}}, .strategy = PoolGradStrategy::kColumns}, 1);
  tiling.data.totalUBSize = static_cast<uint64_t>(UbOf(tiling, problem.shape.element_bytes()).Total());
  return tiling;
}

}  // namespace tilesim
