#include <algorithm>
#include <cstring>

#include "sim/isa/img2col.h"

namespace tilesim::isa {

void LandImg2ColBytes(const Img2ColWindow& w, int64_t bits, uint32_t pad_bits) {
  const int64_t c0 = 256 / bits;
  const int pad = static_cast<int>(bits == 8 ? pad_bits & 255U : (pad_bits & 15U) * 17U);
  for (int64_t g = 0; g * c0 < w.num_k; ++g) {
    const auto size = static_cast<size_t>((std::min(c0, w.num_k - g * c0) * bits + 7) / 8);
    const int64_t block = w.first_block + g;
    const int64_t shift_w = block % w.filter_w * w.dilation_w - w.pad_left;
    const int64_t shift_h = block / w.filter_w % w.filter_h * w.dilation_h - w.pad_top;
    const std::byte* const plane = w.src + block / (w.filter_w * w.filter_h) * w.height * w.width * 32;
    for (int64_t m = 0; m < w.num_m; ++m) {
      const int64_t hi = (w.m_start + m) / w.out_width * w.stride_h + shift_h;
      const int64_t wi = (w.m_start + m) % w.out_width * w.stride_w + shift_w;
      float* const fractal = w.dst + m / 16 * w.m_step + g * w.g_step;
      std::byte* const to = reinterpret_cast<std::byte*>(fractal) + m % 16 * 32;
      if (hi >= 0 && hi < w.height && wi >= 0 && wi < w.width) {
        std::memcpy(to, plane + (hi * w.width + wi) * 32, size);
      } else {
        std::memset(to, pad, size);
      }
    }
  }
}

}  // namespace tilesim::isa
