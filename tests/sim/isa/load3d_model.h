#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/units.h"
#include "sim/isa/load3d.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {

// The documented definition, element by element: from which element of L1 (or from none: pad) each element of
// the destination comes.
class Load3DModel {
 public:
  Load3DModel(const LoadData3D& op, const FeatureMap& map)
      : op_(op), map_(map), c0_(op.dtype == DType::kFp32 ? 8 : 16) {
    hk_ = op.filter_h + (op.filter_size_h ? 256 : 0);
    wk_ = op.filter_w + (op.filter_size_w ? 256 : 0);
    ho_ = (map.height + map.pad[2] + map.pad[3] - ((hk_ - 1) * op.dilation_h + 1)) / op.stride_h + 1;
    wo_ = (map.width + map.pad[0] + map.pad[1] - ((wk_ - 1) * op.dilation_w + 1)) / op.stride_w + 1;
  }

  int64_t num_m() const { return ho_ * wo_; }
  int64_t num_k() const { return (op_.channels + c0_ - 1) / c0_ * hk_ * wk_ * c0_; }

  // Element of L1 that IM[m][k] is, or -1.
  int64_t Source(int64_t m, int64_t k) const {
    const int64_t hi = m / wo_ * op_.stride_h + k / c0_ / wk_ % hk_ * op_.dilation_h - map_.pad[2];
    const int64_t wi = m % wo_ * op_.stride_w + k / c0_ % wk_ * op_.dilation_w - map_.pad[0];
    if (hi < 0 || hi >= map_.height || wi < 0 || wi >= map_.width) {
      return -1;
    }
    return ((k / c0_ / (hk_ * wk_) * map_.height + hi) * map_.width + wi) * c0_ + k % c0_;
  }

  // Element of the destination for (m, k) counted from the window's start.
  int64_t Destination(int64_t m, int64_t k) const {
    const int64_t m16 = (op_.m_extension + 15) / 16;
    const int64_t k1 = (op_.k_extension + c0_ - 1) / c0_;
    if (op_.dst.memory == Memory::kL0A && !op_.transpose) {
      return (m / 16 * k1 + k / c0_) * 16 * c0_ + m % 16 * c0_ + k % c0_;
    }
    if (op_.dst.memory == Memory::kL0A) {
      return c0_ == 16 ? (k / 16 * m16 + m / 16) * 256 + k % 16 * 16 + m % 16
                       : (k / 16 * (2 * m16) + m / 8) * 128 + k % 16 * 8 + m % 8;
    }
    return c0_ == 16 ? (m / 16 * k1 + k / 16) * 256 + k % 16 * 16 + m % 16
                     : (m / 8 * ((op_.k_extension + 15) / 16 * 16) + k) * 8 + m % 8;
  }

  // Calls f(destination element, source element or -1) for each element of the window that exists.
  template <class F>
  void ForEach(F&& f) const {
    for (int64_t m = 0; m < op_.m_extension && op_.m_start + m < num_m(); ++m) {
      for (int64_t k = 0; k < op_.k_extension; ++k) {
        f(Destination(m, k), Source(op_.m_start + m, op_.k_start + k));
      }
    }
  }

 private:
  const LoadData3D& op_;
  const FeatureMap& map_;
  int64_t c0_;
  int64_t hk_;
  int64_t wk_;
  int64_t ho_;
  int64_t wo_;
};

struct Load3DCase {
  LoadData3D op;
  FeatureMap map;
};

// A legal load into a random place.
inline Load3DCase RandomLoad3D(Random& random, DType dtype, Memory memory, bool transpose) {
  const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
  for (;;) {
    Load3DCase c;
    c.map = {.height = random.Int(1, 12),
             .width = random.OneOf<int64_t>({1, 2, 5, 7, 13, 16, 17, 32, 49}),
             .pad = {random.Int(0, 4), random.Int(0, 4), random.Int(0, 4), random.Int(0, 4)}};
    LoadData3D& op = c.op;
    op.dst = In(memory, random.Int(0, 3) * 512);
    op.src = In(Memory::kL1, random.Int(0, 5) * 32);
    op.dtype = dtype;
    op.transpose = transpose;
    op.channels = random.Int(1, 3) * c0 - (random.Coin() ? 0 : c0 - 4);
    op.filter_h = random.Int(1, 4);
    op.filter_w = random.Int(1, 4);
    op.dilation_h = random.Int(1, 3);
    op.dilation_w = random.Int(1, 3);
    op.stride_h = random.Int(1, 3);
    op.stride_w = random.Int(1, 4);
    op.right_feature_map = random.Coin();
    if (c.map.height + c.map.pad[2] + c.map.pad[3] < (op.filter_h - 1) * op.dilation_h + 1 ||
        c.map.width + c.map.pad[0] + c.map.pad[1] < (op.filter_w - 1) * op.dilation_w + 1) {
      continue;
    }
    const Load3DModel model(op, c.map);
    op.m_start = random.Int(0, model.num_m() - 1);
    const int64_t left = model.num_m() - op.m_start;
    op.m_extension = random.Coin() ? left : std::min(AlignUp(left, 16), random.Int(1, 6) * 16);
    op.k_start = random.Int(0, model.num_k() / c0 - 1) * c0;
    const int64_t columns = model.num_k() - op.k_start;
    op.k_extension = std::min(columns, random.Int(1, 12) * c0);
    if (op.k_extension == columns && random.Coin()) {
      op.k_extension -= random.Int(0, c0 - 1);
    }
    const int64_t fractals = CeilDiv(AlignUp(op.m_extension, 16) * AlignUp(op.k_extension, 16), c0 * 16);
    if (fractals + 3 <= 128) {
      return c;
    }
  }
}

}  // namespace tilesim::isa
