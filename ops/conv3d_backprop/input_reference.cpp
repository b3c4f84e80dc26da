#include "ops/conv3d_backprop/input_reference.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>

#include "ops/conv3d_backprop/reference_axis.h"
#include "ops/conv3d_backprop/reference_panels.h"
#include "ops/conv3d_backprop/reference_rows.h"
#include "ops/conv3d_backprop/reference_slab.h"
#include "ops/harness/reference_parallel.h"

namespace tilesim {
namespace {

constexpr int64_t kChunkChannels = 128;  // output channels whose rows and weights stay in the first cache
constexpr int64_t kUnitDy = int64_t{1}
                            << 16;  // elements of dy of a unit of work that stay in the second cache
constexpr int64_t kInputUnitSums = int64_t{1} << 14;  // its sums

void RequireShapesOfDyAndFilter(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter) {
  if (dy.layout().extents() != problem.DyExtents() || filter.layout().extents() != problem.FilterExtents() ||
      dy.dtype() != problem.dtype || filter.dtype() != problem.dtype) {
    throw std::logic_error("the reference's tensors are not those of the problem");
  }
}

// The largest number of taps that one input position meets.
int64_t MostTaps(const ReferenceAxis& axis) {
  std::vector<int64_t> taps(static_cast<size_t>(axis.in));
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const ReferenceSpan inside = axis.Inside(k);
    for (int64_t o = inside.begin; o < inside.end; ++o) {
      ++taps[static_cast<size_t>(axis.Input(o, k))];
    }
  }
  return std::ranges::max(taps);
}

// The loops. Work is cut into units of outputs: rows of one plane of x, one block of input channels. A unit's
// sums are one thread's. Taps go backwards, so the products of an output come in the order of dy's positions.
class InputLoops {
 public:
  InputLoops(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter, int threads)
      : problem_(problem),
        axes_(ReferenceAxes(problem)),
        phases_(std::min(axes_[2].stride, axes_[2].in)),
        phase_length_(CeilDiv(axes_[2].in, axes_[2].stride)),
        threads_(threads),
        dy_(problem, dy),
        taps_(problem, filter) {
    const int64_t rows_of_dy = kUnitDy / (dy_.row_stride() * problem.CoutPerGroup());
    const int64_t rows_of_sums = kInputUnitSums / (RowSums());
    const int64_t rows = std::max<int64_t>(1, std::min(rows_of_dy, rows_of_sums));
    for (int64_t group = 0; group < problem.groups; ++group) {
      for (int64_t d = 0; d < problem.in.d; ++d) {
        for (int64_t h = 0; h < problem.in.h; h += rows) {
          for (int64_t block = 0; block < taps_.blocks(); ++block) {  // innermost: they share rows of dy
            units_.push_back({group, block, d, {h, std::min(h + rows, problem.in.h)}});
          }
        }
      }
    }
  }

  InputReference Run() {
    InputReference result;
    const int64_t item = problem_.cin * problem_.in.d * problem_.in.h * problem_.in.w;
    result.dx.resize(static_cast<size_t>(problem_.batch * item));
    result.absdot.resize(result.dx.size());
    for (int64_t n = 0; n < problem_.batch; ++n) {
      dy_.Fill(n, threads_);
      const bool wide = !FloatHoldsProducts();
      if (wide) {
        dy_.numbers().Widen();
        taps_.numbers().Widen();
      }
      const auto start = static_cast<size_t>(n * item);
      ReferenceParallel(static_cast<int64_t>(units_.size()), threads_, [&](int64_t index) {
        AddUnit(units_[static_cast<size_t>(index)], wide, &result.dx[start], &result.absdot[start]);
      });
    }
    result.products = problem_.CoutPerGroup() * MostTaps(axes_[0]) * MostTaps(axes_[1]) * MostTaps(axes_[2]);
    return result;
  }

 private:
  struct Unit {
    int64_t group;
    int64_t block;  // of input channels
    int64_t d;
    ReferenceSpan rows;
  };

  // Sums of a row of x: [phase of the stride][position / stride][lane], so that successive positions of dy
  // reach successive places.
  [[nodiscard]] int64_t RowSums() const { return phases_ * phase_length_ * kReferenceLanes; }
  [[nodiscard]] int64_t PlaceInRow(int64_t w) const {
    return (w % axes_[2].stride * phase_length_ + w / axes_[2].stride) * kReferenceLanes;
  }

  // Whether no product overflows or loses digits in float, nor their sum over a chunk.
  [[nodiscard]] bool FloatHoldsProducts() const {
    using Limits = std::numeric_limits<float>;
    const ReferenceNumbers& dy = dy_.numbers();
    const ReferenceNumbers& taps = taps_.numbers();
    return dy.largest * taps.largest * static_cast<double>(kChunkChannels) < double{Limits::max()} &&
           dy.least * taps.least >= double{Limits::min()};
  }

  void AddUnit(const Unit& unit, bool wide, double* dx, double* absdot) const {
    const auto& [depth, height, width] = axes_;
    const auto sums = static_cast<size_t>(unit.rows.size() * RowSums());
    std::vector<double> unit_dx(sums);
    std::vector<double> unit_absdot(sums);
    for (int64_t kd = depth.kernel - 1; kd >= 0; --kd) {
      const std::optional<int64_t> d = depth.Output(unit.d, kd);
      if (!d) {
        continue;
      }
      for (int64_t kh = height.kernel - 1; kh >= 0; --kh) {
        for (int64_t kw = width.kernel - 1; kw >= 0; --kw) {
          const Tap tap = {*d, kh, kw, (kd * height.kernel + kh) * width.kernel + kw};
          AddTap(unit, tap, wide, unit_dx.data(), unit_absdot.data());
        }
      }
    }
    Store(unit, unit_dx, dx);
    Store(unit, unit_absdot, absdot);
  }

  struct Tap {
    int64_t d;  // of dy
    int64_t kh;
    int64_t kw;
    int64_t index;
  };

  void AddTap(const Unit& unit, const Tap& tap, bool wide, double* dx, double* absdot) const {
    const ReferenceSpan inside = axes_[2].Inside(tap.kw);
    if (inside.size() == 0) {
      return;
    }
    const int64_t place = PlaceInRow(axes_[2].Input(inside.begin, tap.kw));
    const size_t weights = taps_.Start(unit.group, unit.block, tap.index);
    for (int64_t o = 0; o < problem_.CoutPerGroup(); o += kChunkChannels) {
      for (int64_t h = unit.rows.begin; h < unit.rows.end; ++h) {
        const std::optional<int64_t> row = axes_[1].Output(h, tap.kh);
        if (!row) {
          continue;
        }
        const Block block = {.dy = dy_.Start(unit.group, tap.d, *row) +
                                   static_cast<size_t>(o * dy_.row_stride() + inside.begin),
                             .weights = weights + static_cast<size_t>(o * kReferenceLanes),
                             .channels = std::min(kChunkChannels, problem_.CoutPerGroup() - o),
                             .positions = inside.size()};
        const int64_t to = (h - unit.rows.begin) * RowSums() + place;
        const ReferenceNumbers& y = dy_.numbers();
        const ReferenceNumbers& w = taps_.numbers();
        AddBlock(y.values, w.values, block, dx + to);
        if (wide) {
          AddBlock(y.wide_magnitudes, w.wide_magnitudes, block, absdot + to);
        } else {
          AddBlock(y.magnitudes, w.magnitudes, block, absdot + to);
        }
      }
    }
  }

  // Where a block of products begins, and how many output channels and positions of dy it has.
  struct Block {
    size_t dy;
    size_t weights;
    int64_t channels;
    int64_t positions;
  };

  template <class T>
  void AddBlock(const std::vector<T>& dy, const std::vector<T>& weights, const Block& block,
                double* sums) const {
    AddProducts(ReferenceBlock<T>{.x = &dy[block.dy],
                                  .dy = &weights[block.weights],
                                  .x_step_stride = dy_.row_stride(),
                                  .dy_step_stride = kReferenceLanes,
                                  .rows = 1,
                                  .steps = block.channels,
                                  .channels = block.positions},
                sums);
  }

  // A unit's sums to their places in (c, d, h, w).
  void Store(const Unit& unit, const std::vector<double>& sums, double* item) const {
    const Extents3& in = problem_.in;
    const int64_t first = unit.block * kReferenceLanes;
    const int64_t lanes = std::min(kReferenceLanes, problem_.CinPerGroup() - first);
    for (int64_t h = unit.rows.begin; h < unit.rows.end; ++h) {
      const double* const row = &sums[static_cast<size_t>((h - unit.rows.begin) * RowSums())];
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t c = unit.group * problem_.CinPerGroup() + first + lane;
        double* const to = item + ((c * in.d + unit.d) * in.h + h) * in.w;
        for (int64_t w = 0; w < in.w; ++w) {
          to[w] = row[PlaceInRow(w) + lane];
        }
      }
    }
  }

  const Conv3dProblem& problem_;
  std::array<ReferenceAxis, 3> axes_;
  int64_t phases_;
  int64_t phase_length_;
  int threads_;
  ReferenceDyRows dy_;
  ReferenceTaps taps_;
  std::vector<Unit> units_;
};

}  // namespace

InputReference ReferenceInputGradient(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter,
                                      int threads) {
  RequireShapesOfDyAndFilter(problem, dy, filter);
  std::optional<Tensor> dy_copy;
  std::optional<Tensor> filter_copy;
  return InputLoops(problem, Canonical(dy, dy_copy), Canonical(filter, filter_copy), threads).Run();
}

}  // namespace tilesim
