// What a LoadData3D and the registers that complete it come to: sizes of the img2col matrix and of the
// fractals that a window of it fills. Knows no addresses and no values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/units.h"
#include "sim/isa/load3d.h"

namespace tilesim::isa {

// A LoadData3D and the registers that complete it.
struct Img2Col {
  const LoadData3D& load;
  const FeatureMap& map;
  int64_t c0 = 0;
  int64_t filter_w = 0;
  int64_t filter_h = 0;
  int64_t out_width = 0;
  int64_t out_height = 0;
  int64_t repeat_times = 0;
  bool repeat_along_k = false;
  int64_t repeat_m = 0;  // output positions from one repetition to the next
  int64_t repeat_k = 0;  // columns from one repetition to the next

  Img2Col(const LoadData3D& op, const CoreRegisters& registers)
      : load(op),
        map(registers.feature_map[op.right_feature_map ? 1 : 0]),
        c0(op.dtype.c0()),
        filter_w(op.filter_w + (op.filter_size_w ? 256 : 0)),
        filter_h(op.filter_h + (op.filter_size_h ? 256 : 0)),
        repeat_times(registers.load3d_repeat_times),
        repeat_along_k(registers.load3d_repeat_along_k),
        repeat_m(registers.load3d_repeat_along_k ? 0 : registers.load3d_repeat_stride * 16),
        repeat_k(registers.load3d_repeat_along_k ? registers.load3d_repeat_stride * c0 : 0) {
    if (op.stride_w > 0 && op.stride_h > 0) {
      const int64_t width = map.width + map.pad[0] + map.pad[1] - ((filter_w - 1) * op.dilation_w + 1);
      const int64_t height = map.height + map.pad[2] + map.pad[3] - ((filter_h - 1) * op.dilation_h + 1);
      out_width = width < 0 ? 0 : width / op.stride_w + 1;
      out_height = height < 0 ? 0 : height / op.stride_h + 1;
    }
  }

  [[nodiscard]] bool IsNop() const {
    return map.height == 0 || map.width == 0 || load.channels == 0 || load.k_extension == 0 ||
           load.m_extension == 0 || filter_w == 0 || filter_h == 0 || repeat_times == 0;
  }
  // Do the destination's rows run along the channels?
  [[nodiscard]] bool direct() const { return load.transpose || load.dst.memory == Memory::kL0B; }
  [[nodiscard]] int64_t num_outputs() const { return out_width * out_height; }
  [[nodiscard]] int64_t num_columns() const { return CeilDiv(load.channels, c0) * filter_h * filter_w * c0; }
  // Rows of the window that exist.
  [[nodiscard]] int64_t rows() const { return std::min(load.m_extension, num_outputs() - load.m_start); }
  [[nodiscard]] int64_t blocks() const { return CeilDiv(load.k_extension, c0); }
  // Channel blocks in a row of fractals: with 32-bit types two of them make the 16 rows of a direct fractal.
  [[nodiscard]] int64_t fractals_k() const {
    return direct() ? CeilDiv(load.k_extension, kFractalEdge) : blocks();
  }
  [[nodiscard]] int64_t fractals_m() const {
    const int64_t fractals = CeilDiv(load.m_extension, kFractalEdge);
    if (!direct() || c0 == 16) {
      return fractals;
    }
    return load.dst.memory == Memory::kL0A ? 2 * fractals : CeilDiv(load.m_extension, c0);
  }
  // Of one repetition.
  [[nodiscard]] int64_t fractals() const { return fractals_m() * fractals_k(); }
  // Of fractals_m(), those that values are put into: rows that do not exist leave the last ones alone.
  [[nodiscard]] int64_t filled_fractals_m() const { return CeilDiv(rows(), direct() ? c0 : kFractalEdge); }
  // From a fractal to the next along m and along k, in the matrix of all repetitions.
  [[nodiscard]] int64_t m_step() const {
    return columns_first() ? 1 : fractals_k() * (repeat_along_k ? repeat_times : 1);
  }
  [[nodiscard]] int64_t k_step() const {
    return columns_first() ? fractals_m() * (repeat_along_k ? 1 : repeat_times) : 1;
  }
  // From a repetition's first fractal to that of the next.
  [[nodiscard]] int64_t repeat_step() const {
    return repeat_along_k ? fractals_k() * k_step() : fractals_m() * m_step();
  }

 private:
  [[nodiscard]] bool columns_first() const { return direct() && load.dst.memory == Memory::kL0A; }
};

// One past the last byte of L1 that the instruction reads, were there no boundary.
uint64_t SourceEnd(Core& core, const LoadData3D& load);

}  // namespace tilesim::isa
