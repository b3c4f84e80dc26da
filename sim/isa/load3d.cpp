#include "sim/isa/load3d.h"

#include <algorithm>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/img2col.h"
#include "sim/isa/l0_values.h"

namespace tilesim::isa {
namespace {

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
  int64_t repeat_m = 0;  // output positions from one repetition to the next
  int64_t repeat_k = 0;  // columns from one repetition to the next

  Img2Col(const LoadData3D& op, const CoreRegisters& registers)
      : load(op),
        map(registers.feature_map[op.right_feature_map ? 1 : 0]),
        c0(CubeC0(op.dtype)),
        filter_w(op.filter_w + (op.filter_size_w ? 256 : 0)),
        filter_h(op.filter_h + (op.filter_size_h ? 256 : 0)),
        repeat_times(registers.load3d_repeat_times),
        repeat_m(registers.load3d_repeat_along_k ? 0 : registers.load3d_repeat_stride * 16),
        repeat_k(registers.load3d_repeat_along_k ? registers.load3d_repeat_stride * c0 : 0) {
    if (op.stride_w > 0 && op.stride_h > 0) {
      const int64_t width = map.width + map.pad[0] + map.pad[1] - ((filter_w - 1) * op.dilation_w + 1);
      const int64_t height = map.height + map.pad[2] + map.pad[3] - ((filter_h - 1) * op.dilation_h + 1);
      out_width = width < 0 ? 0 : width / op.stride_w + 1;
      out_height = height < 0 ? 0 : height / op.stride_h + 1;
    }
  }

  bool IsNop() const {
    return map.height == 0 || map.width == 0 || load.channels == 0 || load.k_extension == 0 ||
           load.m_extension == 0 || filter_w == 0 || filter_h == 0 || repeat_times == 0;
  }
  // Do the destination's rows run along the channels?
  bool direct() const { return load.transpose || load.dst.memory == Memory::kL0B; }
  int64_t num_outputs() const { return out_width * out_height; }
  int64_t num_columns() const { return CeilDiv(load.channels, c0) * filter_h * filter_w * c0; }
  // Rows of the window that exist.
  int64_t rows() const { return std::min(load.m_extension, num_outputs() - load.m_start); }
  int64_t blocks() const { return CeilDiv(load.k_extension, c0); }
  // Channel blocks in a row of fractals: with 32-bit types two of them make the 16 rows of a direct fractal.
  int64_t fractals_k() const { return direct() ? CeilDiv(load.k_extension, kFractalEdge) : blocks(); }
  int64_t fractals_m() const {
    const int64_t fractals = CeilDiv(load.m_extension, kFractalEdge);
    if (!direct() || c0 == 16) {
      return fractals;
    }
    return load.dst.memory == Memory::kL0A ? 2 * fractals : CeilDiv(load.m_extension, c0);
  }
  int64_t fractals() const { return fractals_m() * fractals_k(); }
  // From a fractal to the next along m and along k.
  int64_t m_step() const { return direct() && load.dst.memory == Memory::kL0A ? 1 : fractals_k(); }
  int64_t k_step() const { return direct() && load.dst.memory == Memory::kL0A ? fractals_m() : 1; }
};

void CheckMap(Core& core, const Img2Col& img) {
  const LoadData3D& load = img.load;
  const char* const kSlice = "load a slice of the feature map";
  RequireRange(core, "l1H", img.map.height, 0, 32767, kSlice);
  RequireRange(core, "l1W", img.map.width, 0, 32767, kSlice);
  for (const int64_t pad : img.map.pad) {
    RequireRange(core, "padList", pad, 0, 255, "write the pads to L1");
  }
  RequireRange(core, "strideW", load.stride_w, 1, 63, "take the positions in several loads");
  RequireRange(core, "strideH", load.stride_h, 1, 63, "take the positions in several loads");
  RequireRange(core, "filterW", load.filter_w, 0, 255, "set filterSizeW for 256 more");
  RequireRange(core, "filterH", load.filter_h, 0, 255, "set filterSizeH for 256 more");
  RequireRange(core, "dilationFilterW", load.dilation_w, 1, 255, "take the filter column by column");
  RequireRange(core, "dilationFilterH", load.dilation_h, 1, 255, "take the filter row by row");
  RequireRange(core, "channelSize", load.channels, 0, 65535, "load fewer channels");
  const int64_t odd = load.channels % img.c0;
  core.Require(odd == 0 || odd == 4 || (odd == 8 && img.c0 == 16), FaultKind::kLimit, "channelSize",
               "channelSize = ", load.channels, ", must be a multiple of ", img.c0, ", or one and ",
               img.c0 == 16 ? "4 or 8" : "4", " more; round it up to ", AlignUp(load.channels, img.c0));
  core.Require(!load.small_k, FaultKind::kLimit, "enSmallK", "enSmallK = true, must be false on this part");
}

// The window from row m_start and column k_start on.
void CheckWindow(Core& core, const Img2Col& img, int64_t m_start, int64_t k_start) {
  const LoadData3D& load = img.load;
  core.Require(img.num_outputs() > 0, FaultKind::kLimit, "filterW", "a filter of ", img.filter_h, " x ",
               img.filter_w, " with dilation ", load.dilation_h, " x ", load.dilation_w,
               " does not fit into ", img.map.height, " x ", img.map.width,
               " and its pads: there is no output position");
  const int64_t k_end = k_start + load.k_extension;
  core.Require(k_end <= img.num_columns(), FaultKind::kLimit, "kExtension", "kStartPt + kExtension = ", k_end,
               ", must be at most ", img.num_columns(), " (channels * filterH * filterW)");
  core.Require(load.k_extension % img.c0 == 0 || AlignUp(k_end, img.c0) == img.num_columns(),
               FaultKind::kLimit, "kExtension", "kExtension = ", load.k_extension, ", must be a multiple of ",
               img.c0, " unless the window reaches the last of ", img.num_columns(), " columns");
  const int64_t left = img.num_outputs() - m_start;
  core.Require(left > 0, FaultKind::kLimit, "mStartPt", "mStartPt = ", m_start, ", must be below ",
               img.num_outputs(), " (output positions)");
  core.Require(load.m_extension <= AlignUp(left, kFractalEdge), FaultKind::kLimit, "mExtension",
               "mExtension = ", load.m_extension, " from mStartPt = ", m_start, " on, must be at most ",
               AlignUp(left, kFractalEdge), ": there are ", left, " output positions left");
  core.Require(img.c0 == 8 || load.m_extension % kFractalEdge == 0 || load.m_extension > left - kFractalEdge,
               FaultKind::kLimit, "mExtension", "mExtension = ", load.m_extension,
               ", must be a multiple of 16 unless the window reaches the last of ", img.num_outputs(),
               " output positions");
}

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
          load.src, Use::kRead, "src", Unsigned(plane * plane_bytes + pixels.first * kDataBlockBytes),
          Unsigned((pixels.last - pixels.first + 1) * kDataBlockBytes), Times(planes, plane_bytes)));
    }
    at = planes > 1 ? at + planes * taps : plane * taps + to;
  }
}

// Adds the destination: fractals filled along k to the last one, and that as far as it is filled.
void AddDestination(Operands& operands, const Img2Col& img) {
  const LoadData3D& load = img.load;
  if (img.repeat_times > 1) {
    operands.Add(RegionOf(load.dst, Use::kWrite, "dst", 0,
                          Unsigned(img.repeat_times * img.fractals() * kFractalBytes)));
    return;
  }
  const int64_t k_bytes = kFractalBytes / img.c0;  // of one k of the matrix in a fractal
  if (!img.direct()) {
    operands.Add(RegionOf(load.dst, Use::kWrite, "dst", 0, Unsigned(load.k_extension * k_bytes),
                          Times(CeilDiv(img.rows(), kFractalEdge), img.fractals_k() * kFractalBytes)));
  } else if (load.dst.memory == Memory::kL0A) {
    operands.Add(RegionOf(load.dst, Use::kWrite, "dst", 0, Unsigned(img.rows() * k_bytes),
                          Times(img.fractals_k(), img.fractals_m() * kFractalBytes)));
  } else {
    const int64_t row_bytes = img.fractals_k() * kFractalBytes;
    const int64_t whole = img.rows() / img.c0;
    if (whole > 0) {
      operands.Add(RegionOf(load.dst, Use::kWrite, "dst", 0, Unsigned(whole * row_bytes)));
    }
    if (img.rows() % img.c0 != 0) {
      operands.Add(RegionOf(load.dst, Use::kWrite, "dst", Unsigned(whole * row_bytes),
                            Unsigned(img.rows() % img.c0 * k_bytes), Times(img.fractals_k(), kFractalBytes)));
    }
  }
}

float PadValue(DType dtype, double value) {
  switch (dtype) {
    case DType::kFp16:
      return Half(value);
    case DType::kBf16:
      return BFloat16(value);
    default:
      return static_cast<float>(value);
  }
}

}  // namespace

void LoadData3D::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0A, Memory::kL0B);
  RequireMemory(core, "src", src, Memory::kL1, Memory::kL1);
  RequireCubeType(core, "src", dtype);
  const Img2Col img(*this, core.registers());
  CheckMap(core, img);
  RequireRange(core, "kExtension", k_extension, 0, 65535, "load a smaller window");
  RequireRange(core, "mExtension", m_extension, 0, 65535, "load a smaller window");
  RequireRange(core, "kStartPt", k_start, 0, 65535, "begin from a later plane");
  RequireRange(core, "mStartPt", m_start, 0, 32767, "begin from a later row");
  core.Require(k_start % img.c0 == 0, FaultKind::kLimit, "kStartPt", "kStartPt = ", k_start,
               ", must be a multiple of ", img.c0);
  if (img.IsNop()) {
    return;
  }
  CheckWindow(core, img, m_start, k_start);
  if (img.repeat_times > 1) {
    CheckWindow(core, img, m_start + (img.repeat_times - 1) * img.repeat_m,
                k_start + (img.repeat_times - 1) * img.repeat_k);
  }
}

Operands LoadData3D::Footprint(Core& core) const {
  Operands operands;
  const Img2Col img(*this, core.registers());
  if (!img.IsNop()) {
    AddDestination(operands, img);
    AddSource(operands, img);
  }
  return operands;
}

void LoadData3D::Execute(Core& core) const {
  const Img2Col img(*this, core.registers());
  if (img.IsNop()) {
    return;
  }
  L0Memory& l0 = dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
  const int64_t first = static_cast<int64_t>(dst.begin) / kFractalBytes;
  for (int64_t i = first; i < first + img.repeat_times * img.fractals(); ++i) {
    Reinterpret(l0, i, FractalTypeOf(dtype));
  }
  Img2ColWindow window{.dtype = dtype,
                       .src = core.l1() + src.begin,
                       .height = img.map.height,
                       .width = img.map.width,
                       .pad_left = img.map.pad[0],
                       .pad_top = img.map.pad[2],
                       .stride_w = stride_w,
                       .stride_h = stride_h,
                       .filter_w = img.filter_w,
                       .filter_h = img.filter_h,
                       .dilation_w = dilation_w,
                       .dilation_h = dilation_h,
                       .out_width = img.out_width,
                       .m_start = m_start,
                       .num_m = img.rows(),
                       .first_block = k_start / img.c0,
                       .num_k = k_extension,
                       .pad_value = PadValue(dtype, core.registers().pad_value),
                       .dst = l0.Fractal(first),
                       .direct = img.direct(),
                       .m_step = img.m_step() * L0Memory::kFloats,
                       .g_step = img.k_step() * L0Memory::kFloats};
  for (int64_t i = 0; i < img.repeat_times; ++i) {
    LandImg2Col(window);
    window.m_start += img.repeat_m;
    window.num_m = std::min(m_extension, img.num_outputs() - window.m_start);
    window.first_block += img.repeat_k / img.c0;
    window.dst += img.fractals() * L0Memory::kFloats;
  }
}

Cost LoadData3D::TimeOn(Core& core) const {
  const Img2Col img(*this, core.registers());
  if (img.IsNop()) {
    return {};
  }
  Cost cost = Img2ColCost(core.soc(), dst.memory,
                          {.m_start = m_start,
                           .m_extension = m_extension,
                           .channel_blocks = img.blocks(),
                           .out_width = img.out_width,
                           .stride_w = stride_w});
  cost.busy_cycles *= img.repeat_times;
  return cost;
}

}  // namespace tilesim::isa
