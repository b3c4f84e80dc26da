// Which bytes a LoadData3D touches, without a walk over its pixels.
#include <algorithm>

#include "formats/units.h"
#include "sim/isa/load3d.h"
#include "sim/isa/load3d_shape.h"

namespace tilesim::isa {
namespace {

// The least base + a * step_a + b * step_b >= 0 with a < count_a, b < count_b, or -1 where there is none.
int64_t LeastInside(int64_t base, int64_t step_a, int64_t count_a, int64_t step_b, int64_t count_b) {
  int64_t least = -1;
  for (int64_t a = 0; a < count_a; ++a, base += step_a) {
    const int64_t b = base >= 0 ? 0 : CeilDiv(-base, step_b);
    const int64_t value = base + b * step_b;
    if (b < count_b && (least < 0 || value < least)) {
      least = value;
    }
    if (base >= 0) {
      break;
    }
  }
  return least;
}

// Positions that a line of outputs and taps touches on an axis of `size` pixels.
struct Touched {
  int64_t first = -1;  // -1: none
  int64_t last = -1;
};

Touched TouchedOn(int64_t size, int64_t base, int64_t step_a, int64_t count_a, int64_t step_b,
                  int64_t count_b) {
  const int64_t first = LeastInside(base, step_a, count_a, step_b, count_b);
  if (first < 0 || first >= size) {
    return {};
  }
  // the greatest one, seen from the far end
  const int64_t far = base + (count_a - 1) * step_a + (count_b - 1) * step_b;
  return {.first = first, .last = size - 1 - LeastInside(size - 1 - far, step_a, count_a, step_b, count_b)};
}

// Pixels of one plane, from the first to the last that rows [m_begin, m_end) and taps [tap_begin, tap_end) of
// the filter touch. Taps are taken as a rectangle, and where pads cut off rows, columns as those of a whole
// row of outputs.
Touched TouchedPixels(const Img2Col& img, int64_t m_begin, int64_t m_end, int64_t tap_begin,
                      int64_t tap_end) {
  const LoadData3D& load = img.load;
  const int64_t ho_first = m_begin / img.out_width;
  const int64_t ho_last = (m_end - 1) / img.out_width;
  const int64_t wo_first = m_begin % img.out_width;
  const int64_t wo_last = (m_end - 1) % img.out_width;
  const int64_t kh_first = tap_begin / img.filter_w;
  const int64_t kh_last = (tap_end - 1) / img.filter_w;
  const bool one_row = kh_first == kh_last;
  const int64_t kw_first = one_row ? tap_begin % img.filter_w : 0;
  const int64_t kw_last = one_row ? (tap_end - 1) % img.filter_w : img.filter_w - 1;
  const int64_t top = ho_first * load.stride_h + kh_first * load.dilation_h - img.map.pad[2];
  const int64_t bottom = ho_last * load.stride_h + kh_last * load.dilation_h - img.map.pad[2];
  const Touched rows = TouchedOn(img.map.height, top, load.stride_h, ho_last - ho_first + 1, load.dilation_h,
                                 kh_last - kh_first + 1);
  const auto columns = [&](int64_t begin, int64_t last) {
    return TouchedOn(img.map.width, begin * load.stride_w + kw_first * load.dilation_w - img.map.pad[0],
                     load.stride_w, last - begin + 1, load.dilation_w, kw_last - kw_first + 1);
  };
  const bool one_line = ho_first == ho_last;
  const Touched all = columns(one_line ? wo_first : 0, one_line ? wo_last : img.out_width - 1);
  if (rows.first < 0 || all.first < 0) {
    return {};
  }
  Touched first = all;
  Touched last = all;
  if (!one_line && rows.first == top) {
    first = columns(wo_first, img.out_width - 1);
  }
  if (!one_line && rows.last == bottom) {
    last = columns(0, wo_last);
  }
  return {.first = rows.first * img.map.width + (first.first < 0 ? all.first : first.first),
          .last = rows.last * img.map.width + (last.first < 0 ? all.last : last.last)};
}

// Adds the source: of the planes the window meets, the first and the last may be met in part.
void AddSource(Operands& operands, const Img2Col& img) {
  const LoadData3D& load = img.load;
  const int64_t taps = img.filter_h * img.filter_w;
  const int64_t more = img.repeat_times - 1;
  const int64_t m_end = std::min(img.num_outputs(), load.m_start + more * img.repeat_m + load.m_extension);
  const int64_t begin = load.k_start / img.c0;
  const int64_t end = begin + more * img.repeat_k / img.c0 + img.blocks();
  const int64_t plane_bytes = img.map.height * img.map.width * kDataBlockBytes;
  for (int64_t at = begin; at < end;) {
    const int64_t plane = at / taps;
    const int64_t from = at - plane * taps;
    // whole planes together, else what is left of this one
    const int64_t planes = from == 0 && end - at >= taps ? (end - at) / taps : 1;
    const int64_t to = std::min(planes == 1 ? end - plane * taps : taps, taps);
    const Touched pixels = TouchedPixels(img, load.m_start, m_end, from, to);
    if (pixels.first >= 0) {
      operands.Add(RegionOf(
          load.src, Use::kRead, "src",
          {Unsigned(plane * plane_bytes + pixels.first * kDataBlockBytes),
           Unsigned((pixels.last - pixels.first + 1) * kDataBlockBytes), Times(planes, plane_bytes)}));
    }
    at = planes > 1 ? at + planes * taps : plane * taps + to;
  }
}

// Adds the destination: fractals filled along k to the last one, and that as far as it is filled.
void AddDestination(Operands& operands, const Img2Col& img) {
  const LoadData3D& load = img.load;
  if (img.repeat_times > 1) {
    operands.Add(RegionOf(load.dst, Use::kWrite, "dst",
                          {0, Unsigned(img.repeat_times * img.fractals() * kFractalBytes)}));
    return;
  }
  const int64_t k_bytes = kFractalBytes / img.c0;  // of one k of the matrix in a fractal
  if (!img.direct()) {
    operands.Add(RegionOf(load.dst, Use::kWrite, "dst",
                          {0, Unsigned(load.k_extension * k_bytes),
                           Times(CeilDiv(img.rows(), kFractalEdge), img.fractals_k() * kFractalBytes)}));
  } else if (load.dst.memory == Memory::kL0A) {
    operands.Add(RegionOf(
        load.dst, Use::kWrite, "dst",
        {0, Unsigned(img.rows() * k_bytes), Times(img.fractals_k(), img.fractals_m() * kFractalBytes)}));
  } else {
    const int64_t row_bytes = img.fractals_k() * kFractalBytes;
    const int64_t whole = img.rows() / img.c0;
    if (whole > 0) {
      operands.Add(RegionOf(load.dst, Use::kWrite, "dst", {0, Unsigned(whole * row_bytes)}));
    }
    if (img.rows() % img.c0 != 0) {
      operands.Add(RegionOf(load.dst, Use::kWrite, "dst",
                            {Unsigned(whole * row_bytes), Unsigned(img.rows() % img.c0 * k_bytes),
                             Times(img.fractals_k(), kFractalBytes)}));
    }
  }
}

// What the regions of a source come to where L1 begins anew at `boundary`: one that passes it becomes two
// runs.
void AddWrapped(Operands& operands, const Operands& source, uint64_t boundary) {
  for (Region region : source) {
    const uint64_t end = region.end();
    if (boundary == 0 || end <= boundary) {
      operands.Add(region);
      continue;
    }
    Region start = region;
    start.begin = 0;
    start.limit = 0;
    for (Region* const run : {&region, &start}) {
      run->count = run->outer_count = 1;
    }
    start.block_bytes = std::min(end - boundary, boundary);
    if (region.begin < boundary) {
      region.block_bytes = boundary - region.begin;
      operands.Add(region);
    }
    operands.Add(start);
  }
}

}  // namespace

uint64_t SourceEnd(Core& core, const LoadData3D& load) {
  Operands source;
  AddSource(source, Img2Col(load, core.registers()));
  uint64_t end = load.src.begin;
  for (const Region& region : source) {
    end = std::max(end, region.end());
  }
  return end;
}

Operands LoadData3D::Footprint(Core& core) const {
  Operands operands;
  const Img2Col img(*this, core.registers());
  if (!img.IsNop()) {
    AddDestination(operands, img);
    Operands source;
    AddSource(source, img);
    AddWrapped(operands, source, Unsigned(core.registers().load3d_boundary_bytes));
  }
  return operands;
}

}  // namespace tilesim::isa
