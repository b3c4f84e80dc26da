#include "tiling/max_pool/max_pool_estimate.h"

#include <cmath>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {
namespace {

// Cycles a point in the vector unit, with the bank conflicts of points that start where others do: a
// candidate taken in by three instructions of two sources and one of one; half as much again where its index
// is a tensor too.
constexpr double kRowMergeCycles = 7;
constexpr double kMergeCycles = 8;
constexpr double kFinishCycles = 3;
constexpr double kPoolTransposeCycles = 4;  // a repeat: points lie in few banks
constexpr double kTransposeBackCycles = 8;
constexpr double kRowInstructions = 12;  // of short instructions beside the merges
constexpr double kStartCycles = 100;     // constants in UB, before the first load

// Inputs along one axis that `outputs` neighbours read.
double Reads(const PoolAxis& axis, double outputs) {
  const auto span = static_cast<double>((axis.window - 1) * axis.dilation + 1);
  const auto stride = static_cast<double>(axis.stride);
  const double apart = outputs * static_cast<double>(axis.window);
  return std::min({static_cast<double>(axis.in), (outputs - 1) * stride + span, apart});
}

class PoolEstimator {
 public:
  PoolEstimator(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc, int64_t cores)
      : s_(shape), t_(tile), soc_(soc), counts_(BlockCountsOf(shape, tile)) {
    const int64_t blocks = std::max<int64_t>(counts_.total(), 1);
    used_ = CoresFor(blocks, cores);
    blocks_of_core_ = static_cast<double>(CeilDiv(blocks, used_));
    element_bytes_ = static_cast<double>(SizeOf(shape.dtype));
    w_ = Outputs(s_.w.out, t_.w, counts_.w, counts_.w);
    h_ = Outputs(s_.h.out, t_.h, counts_.h, counts_.w * counts_.h);
    d_ = Outputs(s_.d.out, t_.d, counts_.d, counts_.w * counts_.h * counts_.d);
    planes_ = Reads(s_.d, d_);
    rows_ = Reads(s_.h, h_);
    columns_ = static_cast<double>(std::max<int64_t>(LoadedColumns(s_, t_), 1));
    parts_ = std::ceil(static_cast<double>(s_.w.window) / static_cast<double>(t_.taps_w));
    loads_ = std::ceil(rows_ / static_cast<double>(t_.rows)) * parts_;
    lanes_ = static_cast<double>(t_.lanes);
  }

  MaxPoolEstimate Run() const {
    const auto latency = static_cast<double>(soc_.gm_ub_read_latency_cycles + soc_.gm_miss_latency_cycles);
    const double loads = planes_ * loads_;
    const double read = ReadOfPlane() / loads_;
    const double compute = VectorOfPlane() / loads_;
    // a load may begin when the one before the last is computed on
    const double pooled = loads * std::max(compute, read + latency);
    const WayOut out = OfOutputs();
    const double block = std::max(pooled + d_ * out.busy, d_ * out.written);
    const double first = read + latency + static_cast<double>(soc_.gm_write_latency_cycles) + kStartCycles;
    return {.cycles = first + blocks_of_core_ * block + out.last,
            .launch_cycles = static_cast<double>(used_) * soc_.launch_us_per_core * soc_.clock_mhz,
            .read_cycles = blocks_of_core_ * loads * read,
            .vector_cycles = blocks_of_core_ * (loads * compute + d_ * out.vector),
            .write_cycles = blocks_of_core_ * d_ * out.written,
            .cores = used_};
  }

  PoolPlaneCycles PlaneOf(int64_t cores) {
    used_ = cores;
    const double merges = static_cast<double>(s_.d.window - 1) / static_cast<double>(s_.d.stride);
    return {ReadOfPlane(), VectorOfPlane() + merges * (h_ * w_ * kMergeCycles + Waits())};
  }

 private:
  // Of a block along an axis of `count` blocks, the last one smaller. A core's blocks follow each other:
  // where fewer than `turn` are its, it may have none of the smaller ones.
  [[nodiscard]] double Outputs(int64_t out, int64_t most, int64_t count, int64_t turn) const {
    return blocks_of_core_ < static_cast<double>(turn)
               ? static_cast<double>(most)
               : static_cast<double>(out) / static_cast<double>(count);
  }

  double Rate(double core) const {
    const auto cores = static_cast<double>(used_);
    return std::min({core, soc_.hbm_ub_core_bytes_per_cycle, soc_.hbm_total_bytes_per_cycle / cores,
                     soc_.l2_total_bytes_per_cycle / cores});
  }
  double Bursts(double pieces) const { return pieces * static_cast<double>(soc_.gm_burst_cycles); }

  double ReadOfPlane() const {
    const double points = rows_ * columns_ * parts_;
    const bool whole_rows = columns_ >= static_cast<double>(s_.w.in);
    const double pieces = s_.channels_last ? (t_.lanes == s_.channels ? loads_ : points)
                                           : lanes_ * (whole_rows ? loads_ : rows_ * parts_);
    return std::max(points * lanes_ * element_bytes_ / Rate(soc_.gm_ub_core_bytes_per_cycle), Bursts(pieces));
  }

  double VectorOfPlane() const {
    const double points = rows_ * columns_ * parts_;
    const bool narrow = element_bytes_ == 2;
    double spread = narrow ? points : 0;  // casts
    if (!s_.channels_last) {
      spread += points / (narrow ? 16 : 8) * std::ceil(lanes_ / 16) * kPoolTransposeCycles;
    }
    const double wait = Waits();
    const auto start = static_cast<double>(soc_.vector_startup_cycles);
    const auto taps_w = static_cast<double>(s_.w.window - 1);
    const auto taps_h = static_cast<double>(s_.h.window - 1);
    const double rows = rows_ * w_ * taps_w * kRowMergeCycles + loads_ / parts_ * (taps_w + 1) * wait +
                        rows_ * kRowInstructions * start;
    return spread + rows + h_ * taps_h * (w_ * kMergeCycles + wait);
  }

  // A merge waits for the one before it, for its comparisons and for what becomes of these.
  double Waits() const { return static_cast<double>(3 * (soc_.vector_latency_cycles + soc_.barrier_cycles)); }

  // Of one plane of outputs: planes of x merged, indices finished, the way out.
  struct WayOut {
    double vector = 0;   // cycles of the vector unit
    double busy = 0;     // the same, with its waits for buffers that are still written from
    double written = 0;  // cycles of all stores
    double last = 0;     // what is still to be written when the vector unit is done
  };
  WayOut OfOutputs() const {
    const auto taps = static_cast<double>(s_.d.window - 1);
    const double points = h_ * w_;
    const double merged = taps * (points * kMergeCycles + Waits()) + points * kFinishCycles;
    double out = 0;
    if (s_.channels_last) {
      out = 2 * points;
    } else {
      const double steps = std::ceil(points / 16) * kTransposeBackCycles;
      out = steps * std::ceil(lanes_ / 8) + (element_bytes_ == 2 ? points + steps / 2 * std::ceil(lanes_ / 16)
                                                                 : steps * std::ceil(lanes_ / 8));
    }
    const double stores = 2 * std::ceil(h_ / static_cast<double>(t_.store_rows));  // values and indices
    const double written = WriteOfOutputs();
    const double one = written / stores;
    const auto buffers = static_cast<double>(kPoolQueueBuffers);
    const double waited = std::max(0.0, stores - buffers) * std::max(0.0, one - out / stores);
    return {merged + out, merged + out + waited, written, std::min(stores, buffers) * one};
  }

  double WriteOfOutputs() const {
    const double points = h_ * w_;
    const bool whole_rows = t_.w == s_.w.out;
    const double stores = std::ceil(h_ / static_cast<double>(t_.store_rows));
    const double pieces =
        s_.channels_last ? (t_.lanes == s_.channels ? stores : points) : lanes_ * (whole_rows ? stores : h_);
    return std::max(points * lanes_ * (element_bytes_ + 4) / Rate(soc_.gm_write_core_bytes_per_cycle),
                    Bursts(2 * pieces));
  }

  const PoolShape& s_;
  const PoolTile& t_;
  const SocConfig& soc_;
  PoolBlockCounts counts_;
  int64_t used_ = 1;
  double blocks_of_core_ = 1;
  double element_bytes_ = 4;
  double d_ = 1, h_ = 1, w_ = 1;                // outputs of a block
  double planes_ = 1, rows_ = 1, columns_ = 1;  // of x that it reads
  double parts_ = 1, loads_ = 1;                // of a window's row; of a plane
  double lanes_ = 64;
};

}  // namespace

PoolPlaneCycles EstimatePoolPlane(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc,
                                  int64_t cores) {
  return PoolEstimator(shape, tile, soc, 1).PlaneOf(cores);
}

MaxPoolEstimate EstimateMaxPool(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc,
                                int64_t cores) {
  return PoolEstimator(shape, tile, soc, cores).Run();
}

}  // namespace tilesim
