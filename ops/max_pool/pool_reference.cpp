#include "ops/max_pool/pool_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "formats/units.h"
#include "ops/harness/reference_parallel.h"
#include "ops/max_pool/pool_argmax.h"

namespace tilesim {
namespace {

// The taps of one output along one axis that meet the input: count of them, the first at input `first`.
struct Taps {
  int64_t first = 0;
  int64_t count = 0;
};

std::vector<Taps> TapsOf(const WindowAxis& axis, int64_t out) {
  std::vector<Taps> taps;
  for (int64_t o = 0; o < out; ++o) {
    const int64_t start = o * axis.stride - axis.pad_before;
    const int64_t begin = start >= 0 ? 0 : CeilDiv(-start, axis.dilation);
    const int64_t end = std::min(axis.kernel, FloorDiv(axis.in - 1 - start, axis.dilation) + 1);
    taps.push_back({start + begin * axis.dilation, std::max<int64_t>(0, end - begin)});
  }
  return taps;
}

struct Maximum {
  float value = -std::numeric_limits<float>::infinity();
  int64_t position = kNoPosition;
};

// The windows of one pooling over any plane (n, c) of its input.
class WindowWalk {
 public:
  explicit WindowWalk(const PoolProblem& p)
      : in_(p.windows.in),
        dilation_(p.windows.dilation),
        propagates_(p.nan == NanRule::kPropagate),
        depth_(TapsOf(p.windows.D(), p.out.d)),
        height_(TapsOf(p.windows.H(), p.out.h)),
        width_(TapsOf(p.windows.W(), p.out.w)) {}

  // Calls found(output, maximum) for each output of the plane, in their order.
  template <class Found>
  void ForEachWindow(const float* plane, const Found& found) const {
    int64_t output = 0;
    for (const Taps& d : depth_) {
      for (const Taps& h : height_) {
        for (const Taps& w : width_) {
          found(output++, MaximumOf(plane, d, h, w));
        }
      }
    }
  }

 private:
  [[nodiscard]] Maximum MaximumOf(const float* plane, const Taps& d, const Taps& h, const Taps& w) const {
    Maximum best;
    if (d.count == 0 || h.count == 0 || w.count == 0) {
      return best;
    }
    if (propagates_) {
      best.position = (d.first * in_.h + h.first) * in_.w + w.first;  // also where all are -inf
    }
    for (int64_t kd = 0; kd < d.count; ++kd) {
      for (int64_t kh = 0; kh < h.count; ++kh) {
        const int64_t row = (d.first + kd * dilation_.d) * in_.h + h.first + kh * dilation_.h;
        int64_t position = row * in_.w + w.first;
        for (int64_t kw = 0; kw < w.count; ++kw, position += dilation_.w) {
          const float value = plane[position];
          if (value > best.value || (propagates_ && std::isnan(value))) {
            best = {value, position};
          }
        }
      }
    }
    return best;
  }

  Extents3 in_;
  Extents3 dilation_;
  bool propagates_;
  std::vector<Taps> depth_;
  std::vector<Taps> height_;
  std::vector<Taps> width_;
};

void RequireTensor(const Tensor& tensor, DType dtype, const std::vector<int64_t>& extents) {
  if (tensor.dtype() != dtype || tensor.layout().extents() != extents) {
    throw std::logic_error("the reference's tensors are not those of the problem");
  }
}

// The values in canonical order; fp32 holds each of fp16 and bf16.
Tensor CanonicalFloats(const Tensor& tensor) {
  return Rounded(Converted(tensor, CanonicalLayout(tensor.layout())), DType::kFp32);
}

struct Sizes {
  explicit Sizes(const PoolProblem& p)
      : planes(p.batch * p.channels),
        inputs(p.windows.in.d * p.windows.in.h * p.windows.in.w),
        outputs(p.out.d * p.out.h * p.out.w) {}
  int64_t planes;
  int64_t inputs;   // of a plane
  int64_t outputs;  // of a plane
};

// Adds up the gradient plane by plane. each_position(plane, take) calls take(output, position) for every
// output of the plane.
template <class EachPosition>
PoolGradReference Scatter(const PoolProblem& problem, const Tensor& dy, int threads,
                          const EachPosition& each_position) {
  RequireTensor(dy, problem.dtype, problem.YExtents());
  const Sizes sizes(problem);
  const Tensor floats = CanonicalFloats(dy);
  const float* const gradients = floats.As<float>().data();
  PoolGradReference result;
  result.dx.resize(static_cast<size_t>(sizes.planes * sizes.inputs));
  result.absdot.resize(result.dx.size());
  std::vector<int64_t> most(static_cast<size_t>(sizes.planes));
  ReferenceParallel(sizes.planes, threads, [&](int64_t plane) {
    double* const dx = result.dx.data() + plane * sizes.inputs;
    double* const absdot = result.absdot.data() + plane * sizes.inputs;
    const float* const of_plane = gradients + plane * sizes.outputs;
    std::vector<int64_t> met(static_cast<size_t>(sizes.inputs));
    each_position(plane, [&](int64_t output, int64_t position) {
      if (position != kNoPosition) {
        const double gradient = of_plane[output];
        dx[position] += gradient;
        absdot[position] += std::abs(gradient);
        ++met[static_cast<size_t>(position)];
      }
    });
    most[static_cast<size_t>(plane)] = *std::ranges::max_element(met);
  });
  for (const int64_t products : most) {
    result.products = std::max(result.products, products);
  }
  return result;
}

}  // namespace

PoolReference ReferenceMaxPool(const PoolProblem& problem, const Tensor& x, int threads) {
  RequireTensor(x, problem.dtype, problem.XExtents());
  const Sizes sizes(problem);
  const Tensor floats = CanonicalFloats(x);
  const float* const values = floats.As<float>().data();
  const WindowWalk walk(problem);
  const ArgmaxIndex index_of(problem);
  PoolReference result;
  result.y.resize(static_cast<size_t>(sizes.planes * sizes.outputs));
  result.argmax.resize(result.y.size());
  ReferenceParallel(sizes.planes, threads, [&](int64_t plane) {
    const int64_t n = plane / problem.channels;
    const int64_t c = plane % problem.channels;
    walk.ForEachWindow(values + plane * sizes.inputs, [&](int64_t output, const Maximum& maximum) {
      const auto at = static_cast<size_t>(plane * sizes.outputs + output);
      result.y[at] = maximum.value;
      result.argmax[at] = static_cast<double>(index_of.Of(n, c, maximum.position));
    });
  });
  return result;
}

PoolGradReference ReferenceMaxPoolGrad(const PoolProblem& problem, const Tensor& dy, const Tensor& argmax,
                                       int threads) {
  RequireTensor(argmax, DType::kInt32, problem.YExtents());
  const Sizes sizes(problem);
  const Tensor canonical = Converted(argmax, CanonicalLayout(argmax.layout()));
  const int32_t* const indices = canonical.As<int32_t>().data();
  const ArgmaxIndex index_of(problem);
  return Scatter(problem, dy, threads, [&](int64_t plane, const auto& take) {
    for (int64_t output = 0; output < sizes.outputs; ++output) {
      const int64_t index = indices[plane * sizes.outputs + output];
      take(output, index_of.PositionOf(plane / problem.channels, plane % problem.channels, index));
    }
  });
}

PoolGradReference ReferenceMaxPoolGradOfInput(const PoolProblem& problem, const Tensor& dy, const Tensor& x,
                                              int threads) {
  RequireTensor(x, problem.dtype, problem.XExtents());
  const Sizes sizes(problem);
  const Tensor floats = CanonicalFloats(x);
  const float* const values = floats.As<float>().data();
  const WindowWalk walk(problem);
  return Scatter(problem, dy, threads, [&](int64_t plane, const auto& take) {
    walk.ForEachWindow(values + plane * sizes.inputs,
                       [&](int64_t output, const Maximum& maximum) { take(output, maximum.position); });
  });
}

}  // namespace tilesim
