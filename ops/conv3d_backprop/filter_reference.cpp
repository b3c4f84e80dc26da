#include "ops/conv3d_backprop/filter_reference.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>

#include "ops/conv3d_backprop/reference_axis.h"
#include "ops/conv3d_backprop/reference_rows.h"
#include "ops/conv3d_backprop/reference_slab.h"
#include "ops/harness/reference_parallel.h"

namespace tilesim {
namespace {

constexpr int64_t kChunkPositions = 128;  // output positions whose values stay in the first cache
constexpr int64_t kFilterUnitSums =
    (int64_t{1} << 18) / 8;  // sums of a unit of work that stay in the second cache

void RequireShapesOfXAndDy(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy) {
  if (x.layout().extents() != problem.XExtents() || dy.layout().extents() != problem.DyExtents() ||
      x.dtype() != problem.dtype || dy.dtype() != problem.dtype) {
    throw std::logic_error("the reference's tensors are not those of the problem");
  }
}

// The loops. Work is cut into units of outputs: one block of output channels with some blocks of input
// channels. A unit's sums are one thread's, and products reach them in the order of the definition.
class FilterLoops {
 public:
  FilterLoops(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy, int threads)
      : problem_(problem),
        axes_(ReferenceAxes(problem)),
        taps_(problem.kernel.d * problem.kernel.h * problem.kernel.w),
        block_sums_(std::min(kReferenceChannels, problem.CinPerGroup()) * kReferenceLanes),
        threads_(threads),
        x_(x, problem.groups, kReferenceChannels),
        dy_(dy, problem.groups, kReferenceLanes) {
    const int64_t blocks = std::max<int64_t>(1, kFilterUnitSums / (block_sums_ * taps_));
    size_t sums = 0;
    for (int64_t group = 0; group < problem.groups; ++group) {
      for (int64_t block = 0; block < dy_.blocks(); ++block) {
        for (int64_t begin = 0; begin < x_.blocks(); begin += blocks) {
          const ReferenceSpan x_blocks = {begin, std::min(begin + blocks, x_.blocks())};
          units_.push_back({group, block, x_blocks, sums});
          sums += static_cast<size_t>(x_blocks.size() * taps_ * block_sums_);
        }
      }
    }
    dw_.resize(sums);
    absdot_.resize(sums);
  }

  FilterReference Run() {
    for (int64_t n = 0; n < problem_.batch; ++n) {
      x_.Fill(n, problem_.hf32, threads_);
      dy_.Fill(n, problem_.hf32, threads_);
      const bool wide = !FloatHoldsProducts();
      if (wide) {
        x_.Widen();
        dy_.Widen();
      }
      ForEachUnit([&](const Unit& unit) { AddItem(unit, wide); });
    }
    FilterReference result;
    const auto outputs = static_cast<size_t>(problem_.cout * problem_.CinPerGroup() * taps_);
    result.dw.resize(outputs);
    result.absdot.resize(outputs);
    ForEachUnit([&](const Unit& unit) { Gather(unit, result); });
    result.products = problem_.batch * axes_[0].MostInside() * axes_[1].MostInside() * axes_[2].MostInside();
    return result;
  }

 private:
  struct Unit {
    int64_t group;
    int64_t dy_block;
    ReferenceSpan x_blocks;
    size_t sums;  // where its sums begin: [x block][tap][channel][lane]
  };

  void ForEachUnit(const std::function<void(const Unit&)>& body) const {
    ReferenceParallel(static_cast<int64_t>(units_.size()), threads_,
                      [&](int64_t index) { body(units_[static_cast<size_t>(index)]); });
  }

  // Whether no product overflows or loses digits in float, nor their sum over a chunk.
  [[nodiscard]] bool FloatHoldsProducts() const {
    using Limits = std::numeric_limits<float>;
    return x_.largest() * dy_.largest() * static_cast<double>(kChunkPositions) < double{Limits::max()} &&
           x_.least() * dy_.least() >= double{Limits::min()};
  }

  [[nodiscard]] size_t SumsOf(const Unit& unit, int64_t x_block, int64_t tap) const {
    return unit.sums + static_cast<size_t>(((x_block - unit.x_blocks.begin) * taps_ + tap) * block_sums_);
  }

  // Adds one batch item to a unit's sums, chunk by chunk of output positions.
  void AddItem(const Unit& unit, bool wide) {
    const int64_t chunk_w = std::min(axes_[2].out, kChunkPositions);
    const int64_t chunk_h = std::max<int64_t>(1, kChunkPositions / axes_[2].out);
    for (int64_t d = 0; d < axes_[0].out; ++d) {
      for (int64_t h = 0; h < axes_[1].out; h += chunk_h) {
        for (int64_t w = 0; w < axes_[2].out; w += chunk_w) {
          const ReferenceSpan rows = {h, std::min(h + chunk_h, axes_[1].out)};
          const ReferenceSpan steps = {w, std::min(w + chunk_w, axes_[2].out)};
          for (int64_t x_block = unit.x_blocks.begin; x_block < unit.x_blocks.end; ++x_block) {
            AddChunk(unit, x_block, d, rows, steps, wide);
          }
        }
      }
    }
  }

  void AddChunk(const Unit& unit, int64_t x_block, int64_t d, const ReferenceSpan& rows,
                const ReferenceSpan& steps, bool wide) {
    const auto& [depth, height, width] = axes_;
    for (int64_t kd = 0; kd < depth.kernel; ++kd) {
      const int64_t in_d = depth.Input(d, kd);
      if (in_d < 0 || in_d >= depth.in) {
        continue;
      }
      for (int64_t kh = 0; kh < height.kernel; ++kh) {
        const ReferenceSpan h = Intersection(rows, height.Inside(kh));
        for (int64_t kw = 0; kw < width.kernel; ++kw) {
          const ReferenceSpan w = Intersection(steps, width.Inside(kw));
          if (h.size() == 0 || w.size() == 0) {
            continue;
          }
          const Place place = {
              .x = (in_d * height.in + height.Input(h.begin, kh)) * width.in + width.Input(w.begin, kw),
              .dy = (d * height.out + h.begin) * width.out + w.begin,
              .rows = h.size(),
              .steps = w.size()};
          const size_t sums = SumsOf(unit, x_block, (kd * height.kernel + kh) * width.kernel + kw);
          const auto add = [&](const auto* x, const auto* dy, double* to) {
            AddProducts(Block(x, dy, unit, x_block, place), to);
          };
          add(x_.Values(unit.group, x_block), dy_.Values(unit.group, unit.dy_block), &dw_[sums]);
          if (wide) {
            add(x_.WideMagnitudes(unit.group, x_block), dy_.WideMagnitudes(unit.group, unit.dy_block),
                &absdot_[sums]);
          } else {
            add(x_.Magnitudes(unit.group, x_block), dy_.Magnitudes(unit.group, unit.dy_block),
                &absdot_[sums]);
          }
        }
      }
    }
  }

  // First positions of a block of products, and how many.
  struct Place {
    int64_t x;
    int64_t dy;
    int64_t rows;
    int64_t steps;
  };

  template <class T>
  [[nodiscard]] ReferenceBlock<T> Block(const T* x, const T* dy, const Unit& unit, int64_t x_block,
                                        const Place& place) const {
    const int64_t channels = x_.BlockWidth(x_block);
    const int64_t lanes = dy_.BlockWidth(unit.dy_block);
    return {.x = x + place.x * channels,
            .dy = dy + place.dy * lanes,
            .x_row_stride = axes_[1].stride * axes_[2].in * channels,
            .x_step_stride = axes_[2].stride * channels,
            .dy_row_stride = axes_[2].out * lanes,
            .dy_step_stride = lanes,
            .rows = place.rows,
            .steps = place.steps,
            .channels = channels};
  }

  // A unit's sums to their places in (o, i, d, h, w).
  void Gather(const Unit& unit, FilterReference& result) const {
    const int64_t lanes = dy_.BlockWidth(unit.dy_block);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t o = unit.group * problem_.CoutPerGroup() + unit.dy_block * kReferenceLanes + lane;
      for (int64_t x_block = unit.x_blocks.begin; x_block < unit.x_blocks.end; ++x_block) {
        for (int64_t c = 0; c < x_.BlockWidth(x_block); ++c) {
          const int64_t i = x_block * kReferenceChannels + c;
          for (int64_t tap = 0; tap < taps_; ++tap) {
            const size_t from = SumsOf(unit, x_block, tap) + static_cast<size_t>(c * kReferenceLanes + lane);
            const auto to = static_cast<size_t>((o * problem_.CinPerGroup() + i) * taps_ + tap);
            result.dw[to] = dw_[from];
            result.absdot[to] = absdot_[from];
          }
        }
      }
    }
  }

  const Conv3dProblem& problem_;
  std::array<ReferenceAxis, 3> axes_;
  int64_t taps_;
  int64_t block_sums_;  // of one block of input channels at one tap
  int threads_;
  ReferenceSlab x_;
  ReferenceSlab dy_;
  std::vector<Unit> units_;
  std::vector<double> dw_;
  std::vector<double> absdot_;
};

}  // namespace

FilterReference ReferenceFilterGradient(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy,
                                        int threads) {
  RequireShapesOfXAndDy(problem, x, dy);
  std::optional<Tensor> x_copy;
  std::optional<Tensor> dy_copy;
  return FilterLoops(problem, Canonical(x, x_copy), Canonical(dy, dy_copy), threads).Run();
}

}  // namespace tilesim
