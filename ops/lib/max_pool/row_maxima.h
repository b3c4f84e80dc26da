// The first pass of a max pooling: rows of x to maxima over the taps of a window's row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/running_max.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {

// Indices of its maxima are (d * H + h) * W + w less the place of the output within its block,
// (o - first o) * stride - padding, which PlaneIndex adds at the end.
class RowMaxima {
 public:
  // `rows`: of a load at most.
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolShape& shape, int64_t rows) {
    shape_ = shape;
    taps_ = PoolTaps(shape.w);
    some_are_empty_ = taps_.AnyEmpty();
    pipe.InitBuffer(first_indices_, static_cast<uint32_t>(rows * kPointBytes));
  }

  // The rows of `chunk` lie in x from row to row `pitch` points apart; to: maxima of each row.
  __aicore__ inline void Run(RunningMax& max, const PoolChunk& chunk, const AscendC::LocalTensor<float>& x,
                             int64_t pitch, const PointMaxima* to) {
    const PoolRange outputs = chunk.block.w;
    if (some_are_empty_ && chunk.taps.begin == 0) {
      for (int64_t row = 0; row < chunk.h.size(); ++row) {
        max.SetToNone(to[row], outputs.size());
      }
    }
    if (chunk.w.Empty()) {
      return;
    }
    const Load load{chunk, x, pitch, to,
                    !shape_.ignores_nan && chunk.taps.begin == 0 && chunk.taps.size() > 1};
    if (load.fused) {
      for (int64_t row = 0; row < chunk.h.size(); ++row) {
        AscendC::Duplicate(FirstIndex(row), IndexBits(IndexOf(chunk, row, 0)), kPoolLanes);
      }
    }
    for (int64_t k = chunk.taps.begin; k < chunk.taps.end; ++k) {
      PoolRange first = taps_.First(k).Meet(outputs);
      if (load.fused && k == 0) {
        first.begin = std::max(first.begin, taps_.Inside(1).end);  // the others start with two taps at once
      }
      Start(max, load, k, first);
      TakeIn(max, load, k, taps_.Later(k).Meet(outputs), false);
    }
  }

 private:
  struct Load {
    const PoolChunk& chunk;
    const AscendC::LocalTensor<float>& x;
    int64_t pitch;
    const PointMaxima* to;
    bool fused;  // the second tap takes in against the values of the first, without a copy of these
  };

  __aicore__ inline AscendC::LocalTensor<float> FirstIndex(int64_t row) {
    return first_indices_.Get<float>()[static_cast<uint32_t>(row * kPoolLanes)];
  }
  __aicore__ inline int64_t IndexOf(const PoolChunk& chunk, int64_t row, int64_t k) const {
    return (chunk.d * shape_.h.in + chunk.h.begin + row) * shape_.w.in +
           chunk.block.w.begin * shape_.w.stride + k * shape_.w.dilation;
  }
  // What tap k of the outputs of a row from `o` on reads.
  __aicore__ inline PointValues ValuesOf(const Load& load, int64_t row, int64_t o, int64_t k,
                                         int64_t points) const {
    const int64_t point = row * load.pitch + taps_.Position(o, k) - load.chunk.w.begin;
    return {load.x[static_cast<uint32_t>(point * kPoolLanes)], points == 1 ? 1 : shape_.w.stride};
  }

  __aicore__ inline void Start(RunningMax& max, const Load& load, int64_t k, const PoolRange& outputs) {
    if (shape_.ignores_nan) {
      TakeIn(max, load, k, outputs, true);
      return;
    }
    for (int64_t row = 0; row < load.chunk.h.size() && !outputs.Empty(); ++row) {
      max.Start(load.to[row].From(outputs.begin - load.chunk.block.w.begin),
                ValuesOf(load, row, outputs.begin, k, outputs.size()), IndexOf(load.chunk, row, k),
                outputs.size());
    }
  }

  // `from_nothing`: the maxima start here.
  __aicore__ inline void TakeIn(RunningMax& max, const Load& load, int64_t k, const PoolRange& outputs,
                                bool from_nothing) {
    const int64_t together = shape_.w.stride > RunningMax::kMostStep ? 1 : outputs.size();
    for (int64_t o = outputs.begin; o < outputs.end; o += together) {
      for (int64_t row = 0; row < load.chunk.h.size(); ++row) {
        const PointMaxima to = load.to[row].From(o - load.chunk.block.w.begin);
        MaxRow& taken = rows_[row];
        taken = {to,
                 {to.values, 1},
                 {to.indices, 1},
                 ValuesOf(load, row, o, k, together),
                 IndexOf(load.chunk, row, k)};
        if (from_nothing) {
          taken.current = max.Lowest();
          taken.current_indices = max.None();
        } else if (load.fused && k == 1) {
          taken.current = ValuesOf(load, row, o, 0, together);
          taken.current_indices = {FirstIndex(row), 0};
        }
      }
      max.TakeIn(rows_, load.chunk.h.size(), together);
    }
  }

  PoolShape shape_;
  PoolTaps taps_;
  bool some_are_empty_ = false;  // outputs with no tap in bounds
  MaxRow rows_[kMostPoolRows];   // of the load at hand
  AscendC::TBuf<AscendC::TPosition::VECCALC> first_indices_;
};

}  // namespace tilesim
