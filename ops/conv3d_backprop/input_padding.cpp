#include <cmath>
#include <optional>

#include "formats/dtype.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/conv3d_backprop/reference_axis.h"

namespace tilesim {
namespace {

// One for each input channel and tap, (c,kd,kh,kw): whether a weight between them is not finite. Empty if
// all are.
std::vector<uint8_t> FindNonFinite(const Conv3dProblem& problem, const Tensor& canonical_filter) {
  const int64_t taps = problem.kernel.d * problem.kernel.h * problem.kernel.w;
  std::vector<uint8_t> found;
  VisitDType(canonical_filter.dtype(), [&]<class T>(TypeTag<T>) {
    const auto values = canonical_filter.As<T>();
    for (int64_t index = 0; index < std::ssize(values); ++index) {
      if (std::isfinite(static_cast<float>(values[static_cast<size_t>(index)]))) {
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

}  // namespace

std::vector<uint8_t> ZerosMeetNonFinite(const Conv3dProblem& problem, const Tensor& filter) {
  const Layout canonical = CanonicalLayout(filter.layout());
  const std::vector<uint8_t> found =
      FindNonFinite(problem, filter.layout() == canonical ? filter : Converted(filter, canonical));
  if (found.empty()) {
    return {};
  }
  const auto [depth, height, width] = ReferenceAxes(problem);
  const int64_t plane = problem.in.h * problem.in.w;
  const int64_t item = problem.cin * problem.in.d * plane;
  std::vector<uint8_t> touched(static_cast<size_t>(problem.batch * item));
  for (int64_t index = 0; index < std::ssize(found); ++index) {
    if (found[static_cast<size_t>(index)] == 0) {
      continue;
    }
    const int64_t kw = index % width.kernel;
    const int64_t kh = index / width.kernel % height.kernel;
    const int64_t kd = index / (width.kernel * height.kernel) % depth.kernel;
    const int64_t c = index / (width.kernel * height.kernel * depth.kernel);
    for (int64_t at = 0; at < problem.in.d * plane; ++at) {
      const bool is_zero = !height.Output(at / width.in % height.in, kh) || !width.Output(at % width.in, kw);
      if (is_zero && depth.Output(at / plane, kd)) {
        for (int64_t n = 0; n < problem.batch; ++n) {
          touched[static_cast<size_t>(n * item + c * problem.in.d * plane + at)] = 1;
        }
      }
    }
  }
  return touched;
}

}  // namespace tilesim
