#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/dtype.h"
#include "ops/conv3d_backprop/device_layout.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/conv3d_backprop/reference_axis.h"

namespace tilesim {
namespace {

using Marks = std::vector<uint8_t>;

template <class T>
bool IsFinite(T value) {
  return std::isfinite(static_cast<float>(value));
}

// One for each input channel and tap, (c,kd,kh,kw): whether a weight between them is not finite. Empty if
// all are.
Marks FindNonFinite(const Conv3dProblem& problem, const Tensor& canonical_filter) {
  const int64_t taps = problem.kernel.d * problem.kernel.h * problem.kernel.w;
  Marks found;
  VisitDType(canonical_filter.dtype(), [&]<class T>(TypeTag<T>) {
    const auto values = canonical_filter.As<T>();
    for (int64_t index = 0; index < std::ssize(values); ++index) {
      if (IsFinite(values[static_cast<size_t>(index)])) {
        continue;
      }
      const int64_t group = index / (taps * problem.CinPerGroup() * problem.CoutPerGroup());
      const int64_t c = group * problem.CinPerGroup() + index / taps % problem.CinPerGroup();
      found.resize(static_cast<size_t>(problem.cin * taps));
      found[static_cast<size_t>(c * taps + index % taps)] = 1;
    }
  });
  return found;
}

// Positions (d,h,w) where one of `channels` of a tensor, each so many `positions`, is not finite. Empty if
// there is none.
template <class T>
Marks FindNonFinite(std::span<const T> channels, int64_t positions) {
  Marks found;
  for (int64_t index = 0; index < std::ssize(channels); ++index) {
    if (!IsFinite(channels[static_cast<size_t>(index)])) {
      found.resize(static_cast<size_t>(positions));
      found[static_cast<size_t>(index % positions)] = 1;
    }
  }
  return found;
}

// The outputs that may be NaN, as they are found; nothing is held before there is one.
class Outputs {
 public:
  explicit Outputs(const Conv3dProblem& problem)
      : problem_(problem),
        axes_(ReferenceAxes(problem)),
        positions_(axes_[0].in * axes_[1].in * axes_[2].in) {}

  void MarkFromFilter(const Tensor& canonical_filter) {
    const auto& [depth, height, width] = axes_;
    const Marks found = FindNonFinite(problem_, canonical_filter);
    for (int64_t index = 0; index < std::ssize(found); ++index) {
      if (found[static_cast<size_t>(index)] == 0) {
        continue;
      }
      const int64_t kw = index % width.kernel;
      const int64_t kh = index / width.kernel % height.kernel;
      const int64_t kd = index / (width.kernel * height.kernel) % depth.kernel;
      const int64_t c = index / (width.kernel * height.kernel * depth.kernel);
      for (int64_t at = 0; at < positions_; ++at) {
        const bool is_zero =
            !height.Output(at / width.in % height.in, kh) || !width.Output(at % width.in, kw);
        if (is_zero && depth.Output(at / (height.in * width.in), kd)) {
          for (int64_t n = 0; n < problem_.batch; ++n) {
            Mark(n, c, at);
          }
        }
      }
    }
  }

  // `merged`: neighbouring groups in one block.
  void MarkFromDy(const Tensor& canonical_dy, int64_t merged) {
    const int64_t positions = axes_[0].out * axes_[1].out * axes_[2].out;
    const auto elements = static_cast<size_t>(problem_.CoutPerGroup() * positions);  // of a group
    VisitDType(canonical_dy.dtype(), [&]<class T>(TypeTag<T>) {
      const std::span<const T> values = canonical_dy.As<T>();
      for (int64_t index = 0; index < problem_.batch * problem_.groups; ++index) {
        const Marks found =
            FindNonFinite(values.subspan(static_cast<size_t>(index) * elements, elements), positions);
        if (!found.empty()) {
          MarkOtherGroups(index / problem_.groups, index % problem_.groups, merged, Reached(found));
        }
      }
    });
  }

  Marks Take() { return std::move(touched_); }

 private:
  void Mark(int64_t n, int64_t c, int64_t at) {
    touched_.resize(static_cast<size_t>(problem_.batch * problem_.cin * positions_));
    touched_[static_cast<size_t>((n * problem_.cin + c) * positions_ + at)] = 1;
  }

  // Positions of dx that any tap reaches from the marked ones of dy.
  [[nodiscard]] Marks Reached(const Marks& from) const {
    const auto& [depth, height, width] = axes_;
    Marks reached(static_cast<size_t>(positions_));
    for (int64_t index = 0; index < std::ssize(from); ++index) {
      if (from[static_cast<size_t>(index)] == 0) {
        continue;
      }
      for (int64_t tap = 0; tap < depth.kernel * height.kernel * width.kernel; ++tap) {
        const int64_t d = depth.Input(index / (height.out * width.out), tap / (height.kernel * width.kernel));
        const int64_t h = height.Input(index / width.out % height.out, tap / width.kernel % height.kernel);
        const int64_t w = width.Input(index % width.out, tap % width.kernel);
        if (d >= 0 && d < depth.in && h >= 0 && h < height.in && w >= 0 && w < width.in) {
          reached[static_cast<size_t>((d * height.in + h) * width.in + w)] = 1;
        }
      }
    }
    return reached;
  }

  // In the channels of the block's groups but for `group` itself.
  void MarkOtherGroups(int64_t n, int64_t group, int64_t merged, const Marks& reached) {
    const int64_t each = problem_.CinPerGroup();
    const int64_t first = group / merged * merged;
    const int64_t end = std::min(first + merged, problem_.groups);
    for (int64_t c = first * each; c < end * each; ++c) {
      for (int64_t at = 0; c / each != group && at < positions_; ++at) {
        if (reached[static_cast<size_t>(at)] != 0) {
          Mark(n, c, at);
        }
      }
    }
  }

  const Conv3dProblem& problem_;
  std::array<ReferenceAxis, 3> axes_;
  int64_t positions_;  // of one channel of dx
  Marks touched_;
};

// Neighbouring groups that lie in one block of the device's filter, with zeros between them.
int64_t MergedGroups(const Conv3dProblem& problem) {
  const Layout filter = DeviceFilterLayout(problem);
  int64_t merged = 1;
  while (merged < problem.groups && filter.PlaceOfGroup(merged).base == 0) {
    ++merged;
  }
  return merged;
}

// Calls visit with the tensor in canonical order.
template <class Visit>
void VisitInOrder(const Tensor& tensor, const Visit& visit) {
  const Layout canonical = CanonicalLayout(tensor.layout());
  tensor.layout() == canonical ? visit(tensor) : visit(Converted(tensor, canonical));
}

}  // namespace

std::vector<uint8_t> ZerosMeetNonFinite(const Conv3dProblem& problem, const Tensor& dy,
                                        const Tensor& filter) {
  const int64_t merged = MergedGroups(problem);
  Outputs outputs(problem);
  VisitInOrder(filter, [&](const Tensor& canonical) { outputs.MarkFromFilter(canonical); });
  if (merged > 1) {
    VisitInOrder(dy, [&](const Tensor& canonical) { outputs.MarkFromDy(canonical, merged); });
  }
  return outputs.Take();
}

}  // namespace tilesim
