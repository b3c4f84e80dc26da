#include "sim/isa/load3d.h"

#include <algorithm>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/img2col.h"
#include "sim/isa/l0_values.h"
#include "sim/isa/load3d_shape.h"

namespace tilesim::isa {
namespace {

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

// The fractals that one repetition fills, perhaps in part, from fractal `first` on.
void ReinterpretFilled(L0Memory& l0, int64_t first, const Img2Col& img) {
  for (int64_t m = 0; m < img.filled_fractals_m(); ++m) {
    for (int64_t k = 0; k < img.fractals_k(); ++k) {
      Reinterpret(l0, first + m * img.m_step() + k * img.k_step(), FractalTypeOf(img.load.dtype));
    }
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

void LoadData3D::Execute(Core& core) const {
  const Img2Col img(*this, core.registers());
  if (img.IsNop()) {
    return;
  }
  L0Memory& l0 = dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
  const int64_t first = static_cast<int64_t>(dst.begin) / kFractalBytes;
  for (int64_t i = 0; i < img.repeat_times; ++i) {
    ReinterpretFilled(l0, first + i * img.fractals(), img);
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
