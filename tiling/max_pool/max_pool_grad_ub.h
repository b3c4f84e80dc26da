// What the gradient's tile program keeps in UB, and how large.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

inline constexpr int64_t kPoolTapTable = 32;  // taps at most

// Bytes of each buffer.
struct PoolGradUb {
  int64_t image = 0;    // dx in fp32: phases of D, H, W, then slots of D, H, W
  int64_t narrow = 0;   // of image, before that: where its first point in the type of dx ends
  int64_t zero = 0;     // a point of zeros
  int64_t indices = 0;  // argmax, less that of the first tap of its window
  int64_t grads = 0;    // dy in fp32
  int64_t chosen = 0;   // dy where argmax is the tap, 0 elsewhere; and dy before it is fp32
  int64_t mask = 0;     // a bit a lane
  int64_t taps = 0;     // the index of a tap in every lane
  // a given argmax
  int64_t lanes = 0;    // what it counts for the lane
  int64_t pattern = 0;  // what to take off
  int64_t moved = 0;    // that, for the outputs at hand
  // an argmax to make
  int64_t maxima = 0;  // all that pools x
  int64_t in = 0;      // each of two: dy or argmax as they come
  int64_t out = 0;     // each of two: dx as it leaves

  [[nodiscard]] int64_t Total() const {
    return image + zero + indices + grads + chosen + mask + taps + lanes + pattern + moved + maxima +
           kPoolQueueBuffers * (in + out);
  }
};

// Sizes in points that buffers follow from.
struct PoolGradPoints {
  int64_t image = 0;
  int64_t rows = 0;         // of dy, of a plane's part in UB
  int64_t row_pitch = 0;    // from row to row
  int64_t plane_pitch = 0;  // from plane to plane
  int64_t planes = 0;
  bool whole_rows = false;  // they are the rows of GM
};

// Of a bit a lane of `points` points.
inline int64_t MaskBytes(int64_t points) { return AlignUp(points * kPoolLanes / 8, kDataBlockBytes); }

// Taps of a window; many are as good as more.
inline int64_t TapsOf(const MaxPoolGradTiling& tiling) {
  const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
  int64_t taps = 1;
  for (const uint64_t window : {t.kd, t.kh, t.kw}) {
    taps = std::min<int64_t>(taps * std::min<int64_t>(Signed(window), INT32_MAX), INT32_MAX);
  }
  return taps;
}
inline int64_t MostTapsInUb(const MaxPoolGradTiling& tiling) {
  return std::min(TapsOf(tiling), kPoolTapTable);
}

inline PoolGradPoints PointsOf(const MaxPoolGradTiling& tiling, int64_t element_bytes) {
  const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  const PoolGradAxes axes = AxesOf(tiling);
  const PoolStorage storage{s.channels_last == 1, element_bytes};
  const int64_t group = kDataBlockBytes / element_bytes;  // points that one transposition makes
  PoolGradPoints points;
  points.image = axes[0].Cut({0, s.cut_d}).Phases() * axes[1].Cut({0, s.cut_h}).Phases() *
                 axes[2].Cut({0, s.cut_w}).Phases() * Signed(t.baseDo * t.baseHo * t.baseWo);
  points.rows = s.part_ho;
  points.planes = s.part_do;
  points.whole_rows = s.part_wo == Signed(t.woDim);
  points.row_pitch = storage.Pitch(s.part_wo, Signed(t.woDim));
  const int64_t plane = points.rows * points.row_pitch;
  points.plane_pitch = storage.channels_last ? plane : AlignUp(plane, group);
  return points;
}

// What is pooled where the argmax is made from x, and in what pieces. Planes of outputs go on from each other
// where the order of parts and the number of planes under way allow it.
inline PoolShape XShapeOf(const MaxPoolGradTiling& tiling, int64_t element_bytes) {
  const PoolGradSplit& s = tiling.split;
  const PoolGradAxes axes = AxesOf(tiling);
  return {.dtype = element_bytes == 2 ? DType::kFp16 : DType::kFp32,  // as wide as the type
          .batch = Signed(tiling.data.ncDim) / std::max<int64_t>(s.channels, 1),
          .channels = s.channels,
          .channels_last = s.channels_last == 1,
          .ignores_nan = s.ignores_nan == 1,
          .index = PoolIndex::kPlane,
          .d = axes[0].walk(),
          .h = axes[1].walk(),
          .w = axes[2].walk()};
}
inline PoolTile XTileOf(const MaxPoolGradTiling& tiling, const PoolShape& shape) {
  const PoolGradSplit& s = tiling.split;
  const bool goes_on =
      (s.strategy == PoolGradStrategy::kResident || s.strategy == PoolGradStrategy::kPlanes) &&
      PoolPlanesUnderWay(shape.d) <= kMostPoolPlanes;
  return {.lanes = kPoolLanes,
          .d = goes_on ? shape.d.out : 1,
          .h = s.part_ho,
          .w = s.part_wo,
          .rows = s.x_rows,
          .taps_w = s.x_taps,
          .store_rows = 0};
}

// f(limit) of what one instruction takes of the parts of dy, of a given argmax, and of x where it is made: of
// x the parts of dy have checked all but the loads.
template <class F>
void ForEachLimit(const MaxPoolGradTiling& tiling, int64_t element_bytes, F&& f) {
  const PoolGradPoints points = PointsOf(tiling, element_bytes);
  const int64_t plane = points.rows * points.row_pitch;
  f(PoolLimit{"points of a plane of dy in UB, which one copy takes", "split.partHo", plane, kMostCopyPoints});
  if (tiling.split.channels_last == 1) {
    f(PoolLimit{"points of a row of dy, the blocks of one move from GM", "split.partWo", points.row_pitch,
                kMostMovePoints});
    if (points.whole_rows && points.row_pitch <= kMostMovePoints) {
      f(PoolLimit{"points of whole rows of dy, the blocks of one move from GM", "split.partHo", plane,
                  kMostMovePoints});
    }
  } else if (tiling.split.recomputes == 0) {
    f(PoolLimit{"data blocks from lane to lane of the argmax, which an instruction counts in 8 bits",
                "split.partHo", PoolStorage{false, kPoolIndexBytes}.LaneBlocks(plane), kMostLaneBlocks});
  }
  if (tiling.split.recomputes == 1) {
    const PoolShape x = XShapeOf(tiling, element_bytes);
    ForEachLimitOfLoads(x, XTileOf(tiling, x), "split.partWo", "split.xRows", f);
  }
}
// Can its moves be made?
inline bool MovesFit(const MaxPoolGradTiling& tiling, int64_t element_bytes) {
  bool fit = true;
  ForEachLimit(tiling, element_bytes,
               [&](const PoolLimit& limit) { fit = fit && limit.found <= limit.most; });
  return fit;
}

inline PoolGradUb UbOf(const MaxPoolGradTiling& tiling, int64_t element_bytes) {
  const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  const PoolGradPoints points = PointsOf(tiling, element_bytes);
  const int64_t plane = points.rows * points.row_pitch;
  const int64_t tap_rows = std::min(Signed(t.baseHo), points.rows);
  const int64_t tap_points =
      tap_rows == 1 ? std::min(Signed(t.baseWo), s.part_wo) : tap_rows * points.row_pitch;
  const auto staged = [&](int64_t count, int64_t bytes) {
    const PoolStorage storage{s.channels_last == 1, bytes};
    return storage.channels_last ? count * kPoolLanes * bytes
                                 : kPoolLanes * kDataBlockBytes * storage.LaneBlocks(count);
  };
  PoolGradUb ub;
  ub.narrow = element_bytes == 4 ? 0 : kPoolLanes * element_bytes;
  ub.image = ub.narrow + points.image * kPointBytes;
  ub.zero = kPointBytes;
  ub.indices = ub.grads = points.planes * points.plane_pitch * kPointBytes;
  ub.chosen =
      std::max(tap_points * kPointBytes, PoolStorage{s.channels_last == 1, element_bytes}.NarrowBytes(plane));
  ub.mask = std::max(MaskBytes(tap_points), tap_rows * MaskBytes(std::min(Signed(t.baseWo), s.part_wo)));
  // the others take turns in one place
  ub.taps = (s.tap_table + (s.tap_table < TapsOf(tiling) ? 1 : 0)) * kPointBytes;
  if (s.recomputes == 1) {
    const PoolShape shape = XShapeOf(tiling, element_bytes);
    ub.maxima = MaxPoolBuffersOf(shape, XTileOf(tiling, shape)).MaximaBytes(s.x_rows);
    ub.in = staged(plane, element_bytes);
  } else {
    ub.lanes = kPointBytes;
    ub.pattern = s.channels_last == 1 ? s.part_wo * kPointBytes : AlignUp(plane, kPoolLanes) * 4;
    ub.moved = s.channels_last == 1 ? 0 : ub.pattern;
    ub.in = staged(plane, 4);
  }
  // a transposition makes 16 points: the last lane's reach beyond its own
  ub.out = staged(std::max<int64_t>(s.out_points, 16), element_bytes) + kDataBlockBytes;
  return ub;
}

}  // namespace tilesim
