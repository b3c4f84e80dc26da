#include "ops/max_pool/pool_argmax.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "ops/harness/reference_parallel.h"

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

// The first element that is none, in canonical order; -1: there is none. argmax: in that order.
int64_t FirstWrong(const PoolProblem& problem, std::span<const int32_t> indices, int threads) {
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
  return first == wrong.end() ? -1 : *first;
}

// "h 1 to 5 in steps of 2": the inputs that a window looks at; nothing where it is without any.
std::string AxisText(std::string_view name, const WindowAxis& axis, int64_t output) {
  const int64_t start = output * axis.stride - axis.pad_before;
  const int64_t begin = start >= 0 ? 0 : CeilDiv(-start, axis.dilation);
  const int64_t end = std::min(axis.kernel, FloorDiv(axis.in - 1 - start, axis.dilation) + 1);
  if (begin >= end) {
    return "";
  }
  const int64_t first = start + begin * axis.dilation;
  const int64_t last = start + (end - 1) * axis.dilation;
  const bool in_steps = axis.dilation > 1 && last > first;
  return Say(name, " ", first, last > first ? Say(" to ", last) : "",
             in_steps ? Say(" in steps of ", axis.dilation) : "");
}

// What an argmax of that output of a plane may be: "an element of that output's window (h 1 to 3, w 0 to 1),
// counted as plane, or -1 for none".
std::string AllowedText(const PoolProblem& problem, int64_t output) {
  const Windows& windows = problem.windows;
  const std::string d = AxisText("d", windows.D(), output / problem.out.w / problem.out.h);
  const std::string h = AxisText("h", windows.H(), output / problem.out.w % problem.out.h);
  const std::string w = AxisText("w", windows.W(), output % problem.out.w);
  if (d.empty() || h.empty() || w.empty()) {
    return "must be -1: that output's window holds no element";
  }
  return Say("must be an element of that output's window (", problem.Is2d() ? "" : Say(d, ", "), h, ", ", w,
             "), counted as ", Name(problem.argmax), ", or -1 for none");
}

// The order by which all of them are right; nothing where there is none.
std::optional<ArgmaxOrder> OrderOf(PoolProblem problem, std::span<const int32_t> indices, int threads) {
  for (const ArgmaxOrder order : {ArgmaxOrder::kPlane, ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc}) {
    problem.argmax = order;
    if (FirstWrong(problem, indices, threads) < 0) {
      return order;
    }
  }
  return std::nullopt;
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
  const int64_t first = FirstWrong(problem, indices, threads);
  if (first < 0) {
    return std::nullopt;
  }
  const std::optional<ArgmaxOrder> order = OrderOf(problem, indices, threads);
  const int64_t outputs = problem.out.d * problem.out.h * problem.out.w;
  return Refusal{Say("argmax at ", canonical.layout().CoordText(canonical.layout().Coord(first))),
                 std::to_string(indices[static_cast<size_t>(first)]), AllowedText(problem, first % outputs),
                 order ? Say("counted as ", Name(*order), " all of them are: give argmax ", Name(*order))
                       : "give the argmax of this pooling, or none to compute it from x"};
}

}  // namespace tilesim
