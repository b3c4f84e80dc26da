#include "sim/isa/load3d.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/img2col.h"
#include "sim/isa/instruction_row.h"
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
  const int64_t odd = load.channels % img.c0;  // a part of a data block: 8 bytes or twice, four times as much
  const int64_t least = load.dtype.bits() == 4 ? 8 : 4;
  core.Require(odd == 0 || (odd >= least && std::has_single_bit(static_cast<uint64_t>(odd))),
               FaultKind::kLimit, "channelSize", "channelSize = ", load.channels, ", must be a multiple of ",
               img.c0, ", or one and ",
               img.c0 == 8    ? "4"
               : img.c0 == 16 ? "4 or 8"
               : img.c0 == 32 ? "4, 8 or 16"
                              : "8, 16 or 32",
               " more; round it up to ", AlignUp(load.channels, img.c0));
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

constexpr TypeSet kToL0A = {VectorType::kInt4, VectorType::kInt8,  VectorType::kUint8,  VectorType::kFp16,
                            VectorType::kBf16, VectorType::kInt32, VectorType::kUint32, VectorType::kFp32};
constexpr TypeSet kToL0B = {VectorType::kFp16, VectorType::kBf16, VectorType::kInt32, VectorType::kUint32,
                            VectorType::kFp32};

// What elements are while they move: 32-bit whole numbers are so many bits of a float.
DType MovedAs(CubeType dtype) {
  return dtype == VectorType::kFp16 ? DType::kFp16 : dtype == VectorType::kBf16 ? DType::kBf16 : DType::kFp32;
}

float PadValue(CubeType dtype, uint32_t bits) {
  switch (dtype.type()) {
    case VectorType::kFp16:
      return Half::FromBits(static_cast<uint16_t>(bits));
    case VectorType::kBf16:
      return BFloat16::FromBits(static_cast<uint16_t>(bits));
    default:
      return std::bit_cast<float>(bits);
  }
}

// The source from its start on, as far as the instruction reads, L1 beginning anew at the boundary.
const std::byte* Wrapped(Core& core, const LoadData3D& load, std::vector<std::byte>& bytes) {
  const auto boundary = Unsigned(core.registers().load3d_boundary_bytes);
  const std::byte* const l1 = core.l1();
  const uint64_t end = SourceEnd(core, load);
  if (boundary == 0 || end <= boundary) {
    return l1 + load.src.begin;
  }
  bytes.resize(end - load.src.begin);
  for (uint64_t at = load.src.begin; at < end; ++at) {
    bytes[at - load.src.begin] = l1[at % boundary];
  }
  return bytes.data();
}

// The fractals that one repetition fills, perhaps in part, from fractal `first` on.
void ReinterpretFilled(L0Memory& l0, int64_t first, const Img2Col& img) {
  const bool bytes = img.load.dtype.bits() <= 8;
  const FractalType type = bytes ? FractalType::kBytes : FractalTypeOf(MovedAs(img.load.dtype));
  for (int64_t m = 0; m < img.filled_fractals_m(); ++m) {
    for (int64_t k = 0; k < img.fractals_k(); ++k) {
      Reinterpret(l0, first + m * img.m_step() + k * img.k_step(), type);
    }
  }
}

}  // namespace

void LoadData3D::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0A, Memory::kL0B);
  RequireMemory(core, "src", src, Memory::kL1, Memory::kL1);
  RequireCubeType(core, "src", dtype, dst.memory == Memory::kL0A ? kToL0A : kToL0B);
  core.Require(!transpose || dst.memory == Memory::kL0B || dtype.bits() >= 16, FaultKind::kLimit,
               "enTranspose", "enTranspose with ", Name(dtype),
               ", must be a type of 16 or 32 bits; use LoadDataWithTranspose");
  const int64_t boundary = core.registers().load3d_boundary_bytes;
  core.Require(boundary == 0 || boundary >= 1024, FaultKind::kLimit, "SetLoadDataBoundary", "a boundary of ",
               boundary, " bytes, must be 0 (off) or at least 1024");
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
    ReinterpretFilled(l0, first + i * img.repeat_step(), img);
  }
  thread_local std::vector<std::byte> wrapped;
  Img2ColWindow window{.dtype = MovedAs(dtype),
                       .src = Wrapped(core, *this, wrapped),
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
                       .pad_value = PadValue(dtype, core.registers().pad_bits),
                       .dst = l0.Fractal(first),
                       .direct = img.direct(),
                       .m_step = img.m_step() * L0Memory::kFloats,
                       .g_step = img.k_step() * L0Memory::kFloats};
  for (int64_t i = 0; i < img.repeat_times; ++i) {
    if (dtype.bits() <= 8) {
      LandImg2ColBytes(window, dtype.bits(), core.registers().pad_bits);
    } else {
      LandImg2Col(window);
    }
    window.m_start += img.repeat_m;
    window.num_m = std::min(m_extension, img.num_outputs() - window.m_start);
    window.first_block += img.repeat_k / img.c0;
    window.dst += img.repeat_step() * L0Memory::kFloats;
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

void AddLoad3DRows(InstructionRows& rows, const SocConfig& soc) {
  rows.push_back(
      {"cube", Say(LoadData3D::kName, " (img2col of L1)"), std::string(Name(LoadData3D().pipe())),
       Say("to L0A ", kToL0A.Names(), "; to L0B ", kToL0B.Names()), "3D v2; repeats",
       CostOfParameters(
           soc, Say("as fractals of L1 at stride 1, at most bytes / ", soc.load3d_slow_bytes_per_cycle),
           {"mte1.load_issue_cycles", "mte1.l0a_bytes_per_cycle", "mte1.l0b_bytes_per_cycle",
            "mte1.load3d_slow_bytes_per_cycle"})});
}

}  // namespace tilesim::isa
