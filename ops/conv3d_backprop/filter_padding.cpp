#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "formats/dtype.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "ops/conv3d_backprop/reference_axis.h"

namespace tilesim {
namespace {

using Marks = std::vector<uint8_t>;

// Positions along D, H and W at which one output channel's dy is somewhere not finite.
using NonFinite = std::array<Marks, 3>;

// One for each output channel; channels without such values hold empty marks.
std::vector<NonFinite> FindNonFiniteOfDy(const Conv3dProblem& problem, const Tensor& canonical_dy) {
  const int64_t d = problem.out.d;
  const int64_t h = problem.out.h;
  const int64_t w = problem.out.w;
  const int64_t positions = d * h * w;
  std::vector<NonFinite> found(static_cast<size_t>(problem.cout));
  VisitDType(canonical_dy.dtype(), [&]<class T>(TypeTag<T>) {
    const auto values = canonical_dy.As<T>();
    for (int64_t index = 0; index < std::ssize(values); ++index) {
      if (std::isfinite(static_cast<float>(values[static_cast<size_t>(index)]))) {
        continue;
      }
      NonFinite& marks = found[static_cast<size_t>(index / positions % problem.cout)];
      marks[0].resize(static_cast<size_t>(d));
      marks[1].resize(static_cast<size_t>(h));
      marks[2].resize(static_cast<size_t>(w));
      const int64_t position = index % positions;
      marks[0][static_cast<size_t>(position / (h * w))] = 1;
      marks[1][static_cast<size_t>(position / w % h)] = 1;
      marks[2][static_cast<size_t>(position % w)] = 1;
    }
  });
  return found;
}

// For one axis: the taps that meet padding at one of the marked positions.
Marks TapsInPadding(const ReferenceAxis& axis, const Marks& positions) {
  Marks touched(static_cast<size_t>(axis.kernel));
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const ReferenceSpan inside = axis.Inside(k);
    for (int64_t o = 0; o < axis.out; ++o) {
      if (positions[static_cast<size_t>(o)] != 0 && (o < inside.begin || o >= inside.end)) {
        touched[static_cast<size_t>(k)] = 1;
      }
    }
  }
  return touched;
}

}  // namespace

std::vector<uint8_t> PaddingMeetsNonFinite(const Conv3dProblem& problem, const Tensor& dy) {
  const Layout canonical = CanonicalLayout(dy.layout());
  const std::vector<NonFinite> found =
      FindNonFiniteOfDy(problem, dy.layout() == canonical ? dy : Converted(dy, canonical));
  const auto axes = ReferenceAxes(problem);
  const Extents3& kernel = problem.kernel;
  const int64_t taps = kernel.d * kernel.h * kernel.w;
  Marks touched;
  for (int64_t o = 0; o < problem.cout; ++o) {
    const NonFinite& marks = found[static_cast<size_t>(o)];
    if (marks[0].empty()) {
      continue;
    }
    const Marks d = TapsInPadding(axes[0], marks[0]);
    const Marks h = TapsInPadding(axes[1], marks[1]);
    const Marks w = TapsInPadding(axes[2], marks[2]);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const bool in_padding = d[static_cast<size_t>(tap / (kernel.h * kernel.w))] != 0 ||
                              h[static_cast<size_t>(tap / kernel.w % kernel.h)] != 0 ||
                              w[static_cast<size_t>(tap % kernel.w)] != 0;
      for (int64_t i = 0; in_padding && i < problem.CinPerGroup(); ++i) {
        touched.resize(static_cast<size_t>(problem.cout * problem.CinPerGroup() * taps));
        touched[static_cast<size_t>((o * problem.CinPerGroup() + i) * taps + tap)] = 1;
      }
    }
  }
  return touched;
}

}  // namespace tilesim
