// The values of LoadData 3D. Knows no core and no limits: the instruction has checked them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/dtype.h"

namespace tilesim::isa {

// A window of the img2col matrix: from which pixel each element comes, and where its fractal is. The data
// block of output position m and channel block g (counted from the window's start) becomes
//   direct:    16 or 8 consecutive floats, one m after the other 16 floats on, fractal after fractal `m_step`
//   on; otherwise: a column of floats 16 apart, one m after the other 1 float on.
struct Img2ColWindow {
  DType dtype = DType::kFp16;
  const std::byte* src = nullptr;  // (c1, height, width, C0)
  int64_t height = 0;
  int64_t width = 0;
  int64_t pad_left = 0;
  int64_t pad_top = 0;
  int64_t stride_w = 1;
  int64_t stride_h = 1;
  int64_t filter_w = 1;
  int64_t filter_h = 1;
  int64_t dilation_w = 1;
  int64_t dilation_h = 1;
  int64_t out_width = 1;
  int64_t m_start = 0;
  int64_t num_m = 0;
  int64_t first_block = 0;  // (c1 * filter_h + kh) * filter_w + kw of the window's first column
  int64_t num_k = 0;        // columns
  float pad_value = 0.0F;

  float* dst = nullptr;
  bool direct = false;  // the destination's rows are channels
  int64_t m_step = 0;   // floats from a fractal to the next along m
  int64_t g_step =
      0;  // floats from a fractal to the next along channel blocks (of two of them for fp32, direct)
};

void LandImg2Col(const Img2ColWindow& window);

// The same for elements of 8 or 4 bits, not direct: a data block becomes a row of 32 bytes of a fractal,
// which is held as its bytes (L0Memory). `window.dtype` and its pad value are not looked at.
void LandImg2ColBytes(const Img2ColWindow& window, int64_t bits, uint32_t pad_bits);

}  // namespace tilesim::isa
