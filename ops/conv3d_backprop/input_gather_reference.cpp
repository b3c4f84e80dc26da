#include "ops/conv3d_backprop/input_gather_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilesim {
namespace {

// The tensor's values in canonical order; with `hf32` rounded to 12 significant bits, fewer below 2^-126.
std::vector<double> Values(const Tensor& tensor, bool hf32) {
  std::vector<double> values;
  const int64_t count = tensor.layout().LogicalElements();
  for (int64_t i = 0; i < count; ++i) {
    double value = tensor.Get(tensor.layout().Coord(i));
    if (hf32 && std::isfinite(value) && value != 0) {
      const int last_bit = std::max(std::ilogb(value), -126) - 11;
      value = std::ldexp(std::nearbyint(std::ldexp(value, -last_bit)), last_bit);
    }
    values.push_back(value);
  }
  return values;
}

// One axis of the convolution that gathers. `x` is a position of dx, `tap` one of the reversed filter.
struct GatherAxis {
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t forward_pad;

  [[nodiscard]] int64_t ReversedTap(int64_t tap) const { return kernel - 1 - tap; }

  // The element of dy that stands there, or -1 for a zero: of the padding or between two elements.
  [[nodiscard]] int64_t Element(int64_t x, int64_t tap) const {
    const int64_t pad = (kernel - 1) * dilation - forward_pad;
    const int64_t place = x + tap * dilation - pad;  // in dy with its zeros
    const bool is_element = place >= 0 && place % stride == 0 && place / stride < out;
    return is_element ? place / stride : -1;
  }
};

class Gatherer {
 public:
  Gatherer(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter)
      : problem_(problem),
        depth_{problem.out.d, problem.kernel.d, problem.stride.d, problem.dilation.d, problem.pad.front},
        height_{problem.out.h, problem.kernel.h, problem.stride.h, problem.dilation.h, problem.pad.top},
        width_{problem.out.w, problem.kernel.w, problem.stride.w, problem.dilation.w, problem.pad.left},
        dy_(Values(dy, problem.hf32)),
        filter_(Values(filter, problem.hf32)) {}

  [[nodiscard]] double At(int64_t n, int64_t c, const Extents3& x) const {
    const int64_t group = c / problem_.CinPerGroup();
    const int64_t i = c % problem_.CinPerGroup();
    double sum = 0;
    for (int64_t o = group * problem_.CoutPerGroup(); o < (group + 1) * problem_.CoutPerGroup(); ++o) {
      for (int64_t kd = 0; kd < depth_.kernel; ++kd) {
        for (int64_t kh = 0; kh < height_.kernel; ++kh) {
          for (int64_t kw = 0; kw < width_.kernel; ++kw) {
            const int64_t d = depth_.Element(x.d, kd);
            const int64_t h = height_.Element(x.h, kh);
            const int64_t w = width_.Element(x.w, kw);
            if (d >= 0 && h >= 0 && w >= 0) {
              sum += Dy(n, o, d, h, w) * Reversed(o, i, kd, kh, kw);
            }
          }
        }
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] double Dy(int64_t n, int64_t o, int64_t d, int64_t h, int64_t w) const {
    const int64_t row = ((n * problem_.cout + o) * depth_.out + d) * height_.out + h;
    return dy_[static_cast<size_t>(row * width_.out + w)];
  }
  [[nodiscard]] double Reversed(int64_t o, int64_t i, int64_t kd, int64_t kh, int64_t kw) const {
    const int64_t plane = (o * problem_.CinPerGroup() + i) * depth_.kernel + depth_.ReversedTap(kd);
    const int64_t row = plane * height_.kernel + height_.ReversedTap(kh);
    return filter_[static_cast<size_t>(row * width_.kernel + width_.ReversedTap(kw))];
  }

  const Conv3dProblem& problem_;
  GatherAxis depth_;
  GatherAxis height_;
  GatherAxis width_;
  std::vector<double> dy_;
  std::vector<double> filter_;
};

}  // namespace

std::vector<double> GatherInputGradient(const Conv3dProblem& problem, const Tensor& dy,
                                        const Tensor& filter) {
  const Gatherer gatherer(problem, dy, filter);
  std::vector<double> dx;
  for (int64_t n = 0; n < problem.batch; ++n) {
    for (int64_t c = 0; c < problem.cin; ++c) {
      for (int64_t d = 0; d < problem.in.d; ++d) {
        for (int64_t h = 0; h < problem.in.h; ++h) {
          for (int64_t w = 0; w < problem.in.w; ++w) {
            dx.push_back(gatherer.At(n, c, {d, h, w}));
          }
        }
      }
    }
  }
  return dx;
}

}  // namespace tilesim
