// Zeroes points in UB with few instructions.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// Ranges are told in ascending order: neighbours become one, and single points that are equally far from each
// other one instruction. Nothing is sure to be zero before Finish.
class PointZeros {
 public:
  explicit PointZeros(const AscendC::LocalTensor<float>& points) : points_(points) {}

  __aicore__ inline void Add(const PoolRange& range) {
    if (range.Empty()) {
      return;
    }
    if (range.begin == range_.end) {
      range_.end = range.end;
      return;
    }
    Zero();
    range_ = range;
  }
  __aicore__ inline void Finish() {
    Zero();
    ZeroSingles();
  }

 private:
  static constexpr int64_t kMostApart = 31;  // repeat strides have 8 bits, a point is 8 data blocks

  // What is in range_.
  __aicore__ inline void Zero() {
    const int64_t apart = range_.begin - last_single_;
    const bool goes_on = singles_ > 0 && singles_ < kPoolMostRepeats && range_.size() == 1 &&
                         apart <= kMostApart && (singles_ == 1 || apart == apart_);
    if (goes_on) {
      apart_ = apart;
      last_single_ = range_.begin;
      ++singles_;
      return;
    }
    ZeroSingles();
    if (range_.size() == 1) {
      last_single_ = range_.begin;
      singles_ = 1;
    } else if (!range_.Empty()) {
      AscendC::Duplicate(points_[Elements(range_.begin)], 0.0F,
                         static_cast<int32_t>(range_.size() * kPoolLanes));
    }
  }
  __aicore__ inline void ZeroSingles() {
    if (singles_ > 0) {
      const int64_t apart = singles_ == 1 ? 1 : apart_;
      AscendC::Duplicate(points_[Elements(last_single_ - (singles_ - 1) * apart)], 0.0F, uint64_t{kPoolLanes},
                         static_cast<uint8_t>(singles_), 1,
                         static_cast<uint8_t>(apart * kPointBytes / kDataBlockBytes));
    }
    singles_ = 0;
  }
  static uint32_t Elements(int64_t points) { return static_cast<uint32_t>(points * kPoolLanes); }

  const AscendC::LocalTensor<float>& points_;
  PoolRange range_;          // to be zeroed
  int64_t singles_ = 0;      // single points before it, to be zeroed too
  int64_t last_single_ = 0;  // of these
  int64_t apart_ = 1;        // from each to the next
};

}  // namespace tilesim
