#include "ops/max_pool/pool_argmax.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/error.h"
#include "ops/reference_parallel.h"

namespace tilesim {
namespace {

// Whether the window of output o has a tap at input i.
bool Meets(const WindowAxis& axis, int64_t o, int64_t i) {
  const int64_t distance = i + axis.pad_before - o * axis.stride;
  return distance >= 0 && distance % axis.dilation == 0 && distance / axis.dilation < axis.kernel;
}

bool IsOfWindow(const PoolProblem& problem, int64_t output, int64_t position) {
  const Windows& windows = problem.windows;
  const Extents3& out = problem.out;
  const Extents3& in = windows.in;
  return position != kNoPosition && Meets(windows.W(), output % out.w, position % in.w) &&
         Meets(windows.H(), output / out.w % out.h, position / in.w % in.h) &&
         Meets(windows.D(), output / out.w / out.h, position / in.w / in.h);
}

}  // namespace

ArgmaxIndex::ArgmaxIndex(const PoolProblem& problem)
    : positions_(problem.windows.in.d * problem.windows.in.h * problem.windows.in.w),
      per_item_(0),
      per_position_(1),
      per_channel_(0) {
  if (problem.argmax != ArgmaxOrder::kPlane) {
    per_position_ = problem.channels;
    per_channel_ = 1;
  }
  if (problem.argmax == ArgmaxOrder::kBatchNhwc) {
    per_item_ = positions_ * problem.channels;
  }
}

std::optional<Refusal> WhyNotArgmax(const PoolProblem& problem, const Tensor& argmax, int threads) {
  if (argmax.dtype() != DType::kInt32 || argmax.layout().extents() != problem.YExtents()) {
    throw std::logic_error("the argmax is not that of the problem");
  }
  const Tensor canonical = Converted(argmax, CanonicalLayout(argmax.layout()));
  const std::span<const int32_t> indices = canonical.As<int32_t>();
  const ArgmaxIndex index_of(problem);
  const int64_t planes = problem.batch * problem.channels;
  const int64_t outputs = problem.out.d * problem.out.h * problem.out.w;
  std::vector<int64_t> wrong(static_cast<size_t>(planes), -1);  // the first of each plane
  ReferenceParallel(planes, threads, [&](int64_t plane) {
    for (int64_t o = 0; o < outputs; ++o) {
      const int32_t index = indices[static_cast<size_t>(plane * outputs + o)];
      const int64_t position = index_of.PositionOf(plane / problem.channels, plane % problem.channels, index);
      if (index != -1 && !IsOfWindow(problem, o, position)) {
        wrong[static_cast<size_t>(plane)] = plane * outputs + o;
        return;
      }
    }
  });
  const auto first = std::ranges::find_if(wrong, [](int64_t element) { return element >= 0; });
  if (first == wrong.end()) {
    return std::nullopt;
  }
  return Refusal{Say("argmax at ", canonical.layout().CoordText(canonical.layout().Coord(*first))),
                 std::to_string(indices[static_cast<size_t>(*first)]),
                 Say("must be an element of that output's window, counted as ", Name(problem.argmax),
                     ", or -1 for none"),
                 "give the argmax of this pooling, or none to compute it from x"};
}

}  // namespace tilesim
