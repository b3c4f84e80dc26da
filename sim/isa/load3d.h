// LoadData 3D v2: img2col on the way from L1 to L0A or L0B.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// Of the matrix IM with a row for each output position (ho, wo) and a column for each (c1, kh, kw, c0), rows
// [m_start, m_start + m_extension) and columns [k_start, k_start + k_extension). Height, width and pads come
// from the left or right feature-map register, the pad value and the repetition from theirs: the API sets
// those registers. Rows and columns that only fill up a fractal are not written, nor are rows beyond the last
// output position. Repeated, the windows lie in the destination as one matrix: one below the other along M,
// one beside the other along K. A source byte beyond the boundary register is read from the start of L1 on.
struct LoadData3D {
  static constexpr const char* kName = "LoadData";
  Operand dst;                    // L0A or L0B
  Operand src;                    // L1, NC1HWC0 with N = 1
  CubeType dtype = DType::kFp16;  // fp16, bf16, fp32, int32, uint32; into L0A also int8, uint8, int4
  int64_t channels = 0;           // channelSize
  int64_t k_extension = 0;
  int64_t m_extension = 0;
  int64_t k_start = 0;   // kStartPt, multiple of C0
  int64_t m_start = 0;   // mStartPt, 0 .. 32767
  int64_t stride_w = 1;  // 1 .. 63
  int64_t stride_h = 1;
  int64_t filter_w = 1;  // 1 .. 255
  int64_t filter_h = 1;
  int64_t dilation_w = 1;  // 1 .. 255
  int64_t dilation_h = 1;
  bool transpose = false;          // enTranspose: 16 and 32 bits into L0A; into L0B it is always so
  bool small_k = false;            // enSmallK: refused
  bool filter_size_w = false;      // 256 more columns of the filter
  bool filter_size_h = false;      // 256 more rows of the filter
  bool right_feature_map = false;  // fMatrixCtrl

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
