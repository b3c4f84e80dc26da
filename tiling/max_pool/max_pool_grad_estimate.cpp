#include "tiling/max_pool/max_pool_grad_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_estimate.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {
namespace {

constexpr double kPointsATranspose = 16;
constexpr double kGradTransposeCycles =
    64;  // of 16 points with 64 lanes: rows of whole points share bank groups

// Of a point, with the conflicts of points that start in the same banks.
constexpr double kChooseCycles = 3;  // Compare 2, Select 1
constexpr double kAddCycles = 1.8;
constexpr double kFirstAndLastCycles = 900;  // the first load and the last store, which nothing hides
constexpr double kExposed = 0.2;             // of the reads where V bounds, or the other way round

double Number(int64_t value) { return static_cast<double>(value); }

class GradEstimator {
 public:
  GradEstimator(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const SocConfig& soc)
      : p_(problem),
        t_(tiling.data),
        s_(tiling.split),
        soc_(soc),
        axes_(AxesOf(problem)),
        points_(PointsOf(tiling, static_cast<int64_t>(SizeOf(problem.shape.dtype)))),
        element_bytes_(Number(static_cast<int64_t>(SizeOf(problem.shape.dtype)))),
        x_shape_(problem.shape) {
    if (problem.recomputes) {
      x_tile_ = XTileOf(tiling, x_shape_);
      x_plane_ = XPlane();
    }
  }

  PoolGradEstimate Estimate() {
    const double run_blocks =
        std::ceil(Number(Signed(t_.singleCoreDo)) / Number(Signed(t_.baseDo))) * Number(CutsAlongD());
    const double tasks = std::ceil(Number(Signed(t_.totalCnt)) / Number(std::max<int64_t>(1, s_.used_cores)));
    const double planes = Loads(tasks, run_blocks);
    PoolGradEstimate e;
    const double blocks = tasks * run_blocks * (TapCycles() + WriteVectorCycles() + WaitCycles());
    e.vector = blocks + planes * TakeCycles();
    // of the many loads of x for a plane two are under way; dy and a given argmax are all of theirs
    e.alone = s_.recomputes == 1 ? blocks : 0;
    e.read = planes * ReadCycles();
    e.write = tasks * run_blocks * WriteCycles();
    e.fixed = kFirstAndLastCycles;
    return e;
  }

 private:
  [[nodiscard]] double Dependent() const { return Number(soc_.vector_latency_cycles + soc_.barrier_cycles); }
  [[nodiscard]] int64_t CutsAlongD() const { return CeilDiv(axes_[0].walk().stride, s_.cut_d); }

  // Parts of planes that a core loads for its tasks, which follow each other along D.
  [[nodiscard]] double Loads(double tasks, double run_blocks) const {
    const double blocks = tasks * run_blocks;
    const auto parts = [&](size_t axis, int64_t base, int64_t part) {
      return std::ceil(Number(std::max<int64_t>(1, axes_[axis].MostOutputs(base))) / Number(part));
    };
    const double kd = Number(axes_[0].walk().window);
    const double kh = Number(axes_[1].walk().window);
    switch (s_.strategy) {
      case PoolGradStrategy::kResident: {
        const double slots = tasks * Number(Signed(t_.singleCoreDo));
        const double columns = std::ceil(slots / Number(axes_[0].Slots().size()));  // of blocks along D
        return std::min(slots + columns * Number(axes_[0].MostShift()),
                        columns * Number(axes_[0].walk().out));
      }
      case PoolGradStrategy::kPlanes:
        return blocks * Number(axes_[0].MostOutputs(Signed(t_.baseDo)));
      case PoolGradStrategy::kRows:
        return blocks * kd * Number(Signed(t_.baseDo)) * parts(1, Signed(t_.baseHo), s_.part_ho);
      default:
        return blocks * kd * Number(Signed(t_.baseDo)) * kh * Number(Signed(t_.baseHo)) *
               parts(2, Signed(t_.baseWo), s_.part_wo);
    }
  }

  // All taps of a block: Compare, Select and Add, or where dy stands in UB as a whole Compare and Select of
  // the first one of each phase. Taps beside a cut are none of its.
  [[nodiscard]] double TapCycles() const {
    double taps = 1;
    double filling = s_.strategy == PoolGradStrategy::kResident ? 1 : 0;
    const std::array cut = {s_.cut_d, s_.cut_h, s_.cut_w};
    for (size_t i = 0; i < axes_.size(); ++i) {
      const PoolAxis& walk = axes_[i].walk();
      const double here = std::max(1.0, Number(walk.window) * Number(cut[i]) / Number(walk.stride));
      taps *= here;
      filling *= std::min(here, Number(axes_[i].Cut({0, cut[i]}).Phases()));
    }
    const double rows = Number(Signed(t_.baseHo));
    const double points = rows * Number(Signed(t_.baseWo));
    const double compared = rows == 1 ? points : rows * Number(points_.row_pitch);
    const double starts = (rows - 1) * Number(soc_.vector_startup_cycles);
    const double add = kChooseCycles * compared + kAddCycles * points + starts + 2 * Dependent();
    const double fill = kChooseCycles * points + 2 * starts + Dependent();
    return Number(Signed(t_.baseDo)) * ((taps - filling) * add + filling * fill);
  }

  // Of a block. A slot has as many positions as its cut, but no more than the axis, which a stride may pass.
  [[nodiscard]] double Positions() const { return PlanePositions() * RowPositions() * ColumnPositions(); }
  [[nodiscard]] double PlanePositions() const {
    return Number(Signed(t_.baseDo) * std::min(s_.cut_d, p_.shape.d.in));
  }
  [[nodiscard]] double RowPositions() const {
    return Number(Signed(t_.baseHo) * std::min(s_.cut_h, p_.shape.h.in));
  }
  [[nodiscard]] double ColumnPositions() const {
    return Number(Signed(t_.baseWo) * std::min(s_.cut_w, p_.shape.w.in));
  }

  [[nodiscard]] double WriteVectorCycles() const {
    const double zeroed = s_.strategy == PoolGradStrategy::kResident ? 0 : Number(points_.image);
    const double narrowed = element_bytes_ == 2 ? Number(points_.image) + Dependent() : 0;
    return s_.channels_last == 1 ? zeroed + narrowed + Positions()
                                 : zeroed + narrowed + Positions() / kPointsATranspose * kGradTransposeCycles;
  }

  // From what has come to dy and indices of a plane's part.
  [[nodiscard]] double TakeCycles() const {
    const double points = Number(s_.part_ho * points_.row_pitch);
    const double transposed = s_.channels_last == 1 ? 0 : points + 4 * Dependent();
    const double dy = transposed + points + Dependent();
    if (s_.recomputes == 0) {
      return dy + transposed + 2 * points + 2 * Dependent();
    }
    return dy + XPlanes() * x_plane_.vector + points + Dependent();
  }

  // Planes of x that are pooled for one of dy.
  [[nodiscard]] double XPlanes() const {
    const PoolAxis& d = axes_[0].walk();
    const auto window = Number(d.window);
    if (x_tile_.d == 1 && d.out > 1) {
      return window;
    }
    const double run = Number(std::max<int64_t>(1, axes_[0].MostOutputs(Signed(t_.singleCoreDo))));
    const double reach = (run - 1) * Number(d.stride) + (window - 1) * Number(d.dilation) + 1;
    return std::min({reach, run * window, Number(d.in)}) / run;
  }
  // The block of outputs whose argmax is made at a time, of one group of lanes.
  [[nodiscard]] static PoolShape BlockOf(PoolShape shape, const PoolTile& tile) {
    shape.d.out = 1;
    shape.h.out = tile.h;
    shape.w.out = tile.w;
    return shape;
  }
  [[nodiscard]] PoolPlaneCycles XPlane() const {
    PoolTile tile = x_tile_;
    tile.d = 1;
    tile.lanes = std::max<int64_t>(1, Signed(t_.baseNc));
    return EstimatePoolPlane(BlockOf(x_shape_, tile), tile, soc_, std::max<int64_t>(1, s_.used_cores));
  }

  // Bytes a cycle that a core moves, `core` of them by itself.
  [[nodiscard]] double Rate(double core) const {
    const double cores = Number(std::max<int64_t>(1, s_.used_cores));
    return std::min({core, soc_.hbm_ub_core_bytes_per_cycle, soc_.hbm_total_bytes_per_cycle / cores,
                     soc_.l2_total_bytes_per_cycle / cores});
  }
  // Pieces of GM of `bytes` each, at `rate` bytes a cycle.
  [[nodiscard]] double Pieces(double pieces, double bytes, double rate) const {
    return pieces * std::max(Number(soc_.gm_burst_cycles), bytes / rate);
  }
  [[nodiscard]] double Box(double rows, double columns, bool whole, double bytes, double rate) const {
    const auto lanes = Number(Signed(t_.baseNc));
    if (s_.channels_last == 1) {
      return Pieces(rows * columns, lanes * bytes, rate);
    }
    return whole ? Pieces(lanes, rows * columns * bytes, rate) : Pieces(lanes * rows, columns * bytes, rate);
  }

  [[nodiscard]] double ReadCycles() const {
    const double rate = Rate(soc_.gm_ub_core_bytes_per_cycle);
    const auto rows = Number(s_.part_ho);
    const auto columns = Number(s_.part_wo);
    const double dy = Box(rows, columns, points_.whole_rows, element_bytes_, rate);
    if (s_.recomputes == 0) {
      return dy + Box(rows, columns, points_.whole_rows, 4, rate);
    }
    return dy + XPlanes() * x_plane_.read;
  }

  // How a block leaves UB.
  struct Boxes {
    double count = 0;
    double cycles = 0;  // of one
  };
  [[nodiscard]] Boxes BoxesOut() const {
    const double rate = Rate(soc_.gm_write_core_bytes_per_cycle);
    const double width = std::min(ColumnPositions(), Number(p_.shape.w.in));
    const double columns = width / std::ceil(width / Number(s_.out_points));
    const double together = std::max(1.0, std::floor(Number(s_.out_points) / width));  // whole rows
    const double rows = width >= Number(p_.shape.w.in) ? std::min(together, RowPositions()) : 1;
    return {PlanePositions() * RowPositions() * width / (rows * columns),
            Box(rows, columns, true, element_bytes_, rate)};
  }

  [[nodiscard]] double WriteCycles() const {
    const Boxes boxes = BoxesOut();
    return boxes.count * boxes.cycles;
  }

  // Beyond what the buffers hold, the vector unit waits for each part of a block to be written.
  [[nodiscard]] double WaitCycles() const {
    const Boxes boxes = BoxesOut();
    const double made = WriteVectorCycles() / boxes.count;
    return std::max(0.0, boxes.count - Number(kPoolQueueBuffers)) * std::max(0.0, boxes.cycles - made);
  }

  const PoolGradProblem& p_;
  const MaxPool3DGradWithArgmaxTilingData& t_;
  const PoolGradSplit& s_;
  const SocConfig& soc_;
  const PoolGradAxes axes_;
  const PoolGradPoints points_;
  const double element_bytes_;
  const PoolShape& x_shape_;
  PoolTile x_tile_;
  PoolPlaneCycles x_plane_;
};

}  // namespace

double PoolGradEstimate::cycles() const {
  return std::max({vector, read + alone, write}) + kExposed * std::min(vector - alone, read) + fixed;
}

const char* PoolGradEstimate::bound_by() const {
  return vector >= std::max(read, write) ? "vector" : read >= write ? "gm_read" : "gm_write";
}

PoolGradEstimate EstimatePoolGrad(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                                  const SocConfig& soc) {
  return GradEstimator(problem, tiling, soc).Estimate();
}

}  // namespace tilesim
