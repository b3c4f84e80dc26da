// The rules that a pooling must keep, each with the column it is refused by.
#include <optional>
#include <string>

#include "formats/error.h"
#include "ops/cases/window_rules.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim {
namespace {

using Answer = std::optional<Refusal>;

constexpr ShapeLimits kShapes = {
    .extent = PoolLimits::kExtent, .elements = PoolLimits::kElements, .least_batch = 0};

Answer WhyNotElements(const PoolProblem& p) { return WhyNotType(p.dtype); }

Answer WhyNotWalk(const PoolProblem& p) {
  using L = PoolLimits;
  if (Answer no = WhyNotStride(p.windows.stride, {.d = L::kStride, .h = L::kStride, .w = L::kStride})) {
    return no;
  }
  if (Answer no = WhyNotDilation(p.windows.dilation, L::kDilation)) {
    return no;
  }
  return WhyNotPads(p.windows.pad, L::kPad);
}

Answer WhyNotKernel(const PoolProblem& p) {
  const Extents3& kernel = p.windows.kernel;
  return WhyNotAxes("filter", WindowText(p), 1,
                    {{"depth", kernel.d, PoolLimits::kExtent},
                     {"height", kernel.h, PoolLimits::kExtent},
                     {"width", kernel.w, PoolLimits::kExtent}});
}

Answer WhyNotInput(const PoolProblem& p) { return WhyNotShape("input", p.layout, p.XExtents(), kShapes); }

Answer WhyNotFitting(const PoolProblem& p) { return WhyNotWindow(p.windows, WindowText(p)); }

Answer WhyNotY(const PoolProblem& p) {
  return WhyNotOutput(p.windows, p.rounding, p.layout, p.XExtents(), p.YExtents(), kShapes);
}

Answer WhyNotArgmax(const PoolProblem& p) {
  const double positions = p.ArgmaxPositions();
  if (positions <= static_cast<double>(PoolLimits::kPositions)) {
    return std::nullopt;
  }
  return Refusal{"argmax", std::string(Name(p.argmax)),
                 Say("counts ", static_cast<int64_t>(positions), " positions of the input, an int32 tells ",
                     PoolLimits::kPositions, " apart"),
                 p.argmax == ArgmaxOrder::kPlane ? "give a smaller input"
                                                 : "give plane, which counts those of one channel"};
}

}  // namespace

std::optional<Refusal> WhyNotForward(const PoolProblem& problem) {
  return FirstOf<PoolProblem>({WhyNotElements, WhyNotKernel, WhyNotWalk, WhyNotInput}, problem);
}

std::optional<Refusal> WhyNot(const PoolProblem& problem) {
  return FirstOf<PoolProblem>({WhyNotForward, WhyNotFitting, WhyNotY, WhyNotArgmax}, problem);
}

}  // namespace tilesim
