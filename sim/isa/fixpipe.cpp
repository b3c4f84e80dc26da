#include "sim/isa/fixpipe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "formats/convert.h"
#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"

namespace tilesim::isa {
namespace {

constexpr std::array<std::string_view, 9> kQuantNames = {
    "NoQuant", "F322F16", "F322BF16", "DEQF16", "VDEQF16", "QF322B8_PRE", "VQF322B8_PRE", "REQ8", "VREQ8"};

constexpr int64_t kStripColumns = 16;   // of L0C
constexpr int64_t kStripRowBytes = 64;  // a row of a strip: 16 floats
constexpr int64_t kFractalOfCBytes = 1024;

int64_t ElementBytes(const Fixpipe& fixpipe) { return CubeElementBytes(fixpipe.dtype); }

int64_t Matrices(const Fixpipe& fixpipe) {
  return fixpipe.layout == FixpipeLayout::kRowMajor ? fixpipe.num_matrices : 1;
}

Region SrcOf(const Fixpipe& f) {
  return RegionOf(
      f.src, Use::kRead, "src",
      {0, Unsigned(f.m * kStripRowBytes), Times(CeilDiv(f.n, kStripColumns), f.src_stride * kStripRowBytes),
       Times(Matrices(f), f.src_matrix_stride * kFractalOfCBytes)});
}

Region DstOf(const Fixpipe& f) {
  const int64_t element = ElementBytes(f);
  if (f.layout == FixpipeLayout::kRowMajor) {
    return RegionOf(f.dst, Use::kWrite, "dst",
                    {0, Unsigned(f.n * element), Times(f.m, f.dst_stride * element),
                     Times(f.num_matrices, f.dst_matrix_stride * element)});
  }
  const int64_t columns = f.channel_split ? 8 : kStripColumns;
  return RegionOf(
      f.dst, Use::kWrite, "dst",
      {0, Unsigned(f.m * columns * element), Times(CeilDiv(f.n, columns), f.dst_stride * kDataBlockBytes)});
}

void CheckKind(Core& core, const Fixpipe& f) {
  core.Require(f.dst.memory == Memory::kGm || f.dst.memory == Memory::kL1, FaultKind::kMisuse, "dst",
               "is in ", tilesim::Name(f.dst.memory), ", must be in GM or L1; there is no such path");
  RequireMemory(core, "src", f.src, Memory::kL0C, Memory::kL0C);
  core.Require(f.quant <= Quant::kF322BF16, FaultKind::kMisuse, "quantPre",
               kQuantNames[std::min<size_t>(static_cast<size_t>(f.quant), kQuantNames.size() - 1)],
               " is not modelled; modelled: NoQuant, F322F16, F322BF16");
  const DType expected = f.quant == Quant::kNone      ? DType::kFp32
                         : f.quant == Quant::kF322F16 ? DType::kFp16
                                                      : DType::kBf16;
  core.Require(f.dtype == expected, FaultKind::kMisuse, "quantPre", kQuantNames[static_cast<size_t>(f.quant)],
               " writes ", tilesim::Name(expected), ", but dst is ", tilesim::Name(f.dtype),
               "; set quantPre to match");
  core.Require(!f.channel_split ||
                   (f.layout == FixpipeLayout::kNz && f.dtype == DType::kFp32 && f.dst.memory == Memory::kGm),
               FaultKind::kLimit, "isChannelSplit", "isChannelSplit = true, allowed for NZ, fp32 to GM only");
  core.Require(f.unit_flag == 0 || f.unit_flag == 2 || f.unit_flag == 3, FaultKind::kLimit, "unitFlag",
               "unitFlag = ", f.unit_flag, ", must be 0 (off), 2 (keep) or 3 (flip)");
}

void CheckSizes(Core& core, const Fixpipe& f) {
  const char* const kInParts = "write in parts";
  RequireRange(core, "nSize", f.n, 0, 4095, kInParts);
  if (f.layout == FixpipeLayout::kNz) {
    const int64_t multiple = f.channel_split ? 8 : 16;
    core.Require(f.n % multiple == 0, FaultKind::kLimit, "nSize", "nSize = ", f.n, ", must be a multiple of ",
                 multiple, " in NZ", f.channel_split ? " with channel split" : "", "; round it up to ",
                 AlignUp(f.n, multiple));
    RequireRange(core, "mSize", f.m, 0, 65535, kInParts);
  } else {
    RequireRange(core, "mSize", f.m, 0, 8192, kInParts);
    RequireRange(core, "ndNum", f.num_matrices, 0, 65535, kInParts);
    RequireRange(core, "srcNdStride", f.src_matrix_stride, 0, 65535, "write matrix by matrix");
    RequireRange(core, "dstNdStride", f.dst_matrix_stride, 0, 65535, "write matrix by matrix");
  }
  RequireRange(core, "srcStride", f.src_stride, 0, 65535, "write strip by strip");
  RequireRange(core, "dstStride", f.dst_stride, f.IsNop() ? 0 : 1, (int64_t{1} << 32) - 1, "it may not be 0");
}

// Converts elements of L0C and puts them where they belong.
class Writer {
 public:
  Writer(Core& core, const Fixpipe& fixpipe)
      : core_(core), fixpipe_(fixpipe), saturate_(!core.registers().ieee) {}

  // Writes `count` consecutive elements from byte `offset_bytes` of dst on.
  void Write(int64_t offset_bytes, const float* src, int64_t count) {
    if (AsTheyAre()) {
      Store(offset_bytes, src, count * 4);
      return;
    }
    for (int64_t at = 0; at < count; at += kChunk) {
      const int64_t here = std::min(kChunk, count - at);
      Store(offset_bytes + at * ElementBytes(fixpipe_), Convert(src + at, here),
            here * ElementBytes(fixpipe_));
    }
  }

  // Writes the first `count` elements of each of `rows` rows of one strip, `stride_bytes` apart in dst.
  void WriteRowsOfStrip(int64_t offset_bytes, const float* src, int64_t rows, int64_t count,
                        int64_t stride_bytes) {
    const int64_t size_bytes = count * ElementBytes(fixpipe_);
    for (int64_t at = 0; at < rows; at += kChunk / kStripColumns) {
      const int64_t here = std::min(kChunk / kStripColumns, rows - at);
      const float* const from = src + at * kStripColumns;
      const auto* bytes = static_cast<const std::byte*>(AsTheyAre() ? static_cast<const void*>(from)
                                                                    : Convert(from, here * kStripColumns));
      for (int64_t r = 0; r < here; ++r) {
        Store(offset_bytes + (at + r) * stride_bytes, bytes + r * kStripColumns * ElementBytes(fixpipe_),
              size_bytes);
      }
    }
  }

 private:
  static constexpr int64_t kChunk = 2048;

  [[nodiscard]] bool AsTheyAre() const { return fixpipe_.quant == Quant::kNone && !fixpipe_.relu; }

  // At most kChunk elements in dst's type; good until the next call.
  const void* Convert(const float* src, int64_t count) {
    Refine(src, count);
    const std::span<const float> refined(refined_, Unsigned(count));
    if (fixpipe_.quant == Quant::kF322F16) {
      ConvertElements(refined, std::span<Half>(halves_, Unsigned(count)));
      return halves_;
    }
    if (fixpipe_.quant == Quant::kF322BF16) {
      ConvertElements(refined, std::span<BFloat16>(bfloats_, Unsigned(count)));
      return bfloats_;
    }
    return refined_;
  }

  void Store(int64_t offset_bytes, const void* bytes, int64_t size_bytes) {
    const uint64_t address = fixpipe_.dst.begin + Unsigned(offset_bytes);
    if (fixpipe_.dst.memory == Memory::kGm) {
      StoreToGm(core_, address, bytes, size_bytes);
    } else {
      std::memcpy(core_.l1() + address, bytes, Unsigned(size_bytes));
    }
  }

  // ReLU, and what saturation makes of values beyond the type: the largest one, and 0 for NaN.
  void Refine(const float* src, int64_t count) {
    if (fixpipe_.relu) {
      for (int64_t i = 0; i < count; ++i) {
        refined_[i] = src[i] > 0.0F ? src[i] : 0.0F;
      }
      src = refined_;
    }
    if (saturate_ && fixpipe_.quant != Quant::kNone) {
      const float most = fixpipe_.quant == Quant::kF322F16 ? float(kHalfMax) : float(kBFloat16Max);
      for (int64_t i = 0; i < count; ++i) {
        const float value = src[i] == src[i] ? src[i] : 0.0F;
        const float below = value < most ? value : most;
        refined_[i] = below > -most ? below : -most;
      }
    } else if (src != refined_) {
      std::copy(src, src + count, refined_);
    }
  }

  Core& core_;
  const Fixpipe& fixpipe_;
  bool saturate_;
  float refined_[kChunk];
  union {
    Half halves_[kChunk];
    BFloat16 bfloats_[kChunk];
  };
};

void WriteStrips(Core& core, const Fixpipe& f) {
  Writer writer(core, f);
  const float* strip = core.l0c() + f.src.begin / sizeof(float);
  for (int64_t n = 0; n < f.n; n += kStripColumns) {
    writer.Write(n / kStripColumns * f.dst_stride * kDataBlockBytes, strip, f.m * kStripColumns);
    strip += f.src_stride * kStripColumns;
  }
}

void WriteSplitStrips(Core& core, const Fixpipe& f) {
  constexpr int64_t kColumns = 8;
  constexpr int64_t kRows = 256;
  Writer writer(core, f);
  float half_strip[kRows * kColumns];
  for (int64_t n = 0; n < f.n; n += kColumns) {
    const float* const from = core.l0c() + f.src.begin / sizeof(float) +
                              n / kStripColumns * f.src_stride * kStripColumns + n % kStripColumns;
    const int64_t to = n / kColumns * f.dst_stride * kDataBlockBytes;
    for (int64_t m = 0; m < f.m; m += kRows) {
      const int64_t rows = std::min(kRows, f.m - m);
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(half_strip + r * kColumns, from + (m + r) * kStripColumns, kColumns * sizeof(float));
      }
      writer.Write(to + m * kDataBlockBytes, half_strip, rows * kColumns);
    }
  }
}

void WriteRows(Core& core, const Fixpipe& f) {
  Writer writer(core, f);
  float row[4096];
  for (int64_t i = 0; i < f.num_matrices; ++i) {
    const float* const matrix =
        core.l0c() + f.src.begin / sizeof(float) + i * f.src_matrix_stride * (kFractalOfCBytes / 4);
    if (f.n <= kStripColumns) {
      writer.WriteRowsOfStrip(i * f.dst_matrix_stride * ElementBytes(f), matrix, f.m, f.n,
                              f.dst_stride * ElementBytes(f));
      continue;
    }
    for (int64_t r = 0; r < f.m; ++r) {
      const float* from = matrix + r * kStripColumns;
      for (int64_t n = 0; n < f.n; n += kStripColumns) {
        std::memcpy(row + n, from, kStripRowBytes);
        from += f.src_stride * kStripColumns;
      }
      writer.Write((i * f.dst_matrix_stride + r * f.dst_stride) * ElementBytes(f), row, f.n);
    }
  }
}

}  // namespace

void Fixpipe::Check(Core& core) const {
  CheckKind(core, *this);
  CheckSizes(core, *this);
  if (dst.memory == Memory::kGm) {
    RequireAtomicType(core, dtype);
  }
}

Operands Fixpipe::Footprint(Core& core) const {
  Operands operands;
  if (!IsNop()) {
    operands.Add(dst.memory == Memory::kGm ? AsStoredToGm(core, DstOf(*this)) : DstOf(*this));
    operands.Add(SrcOf(*this));
  }
  return operands;
}

void Fixpipe::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  if (layout == FixpipeLayout::kRowMajor) {
    WriteRows(core, *this);
  } else if (channel_split) {
    WriteSplitStrips(core, *this);
  } else {
    WriteStrips(core, *this);
  }
}

InstructionTime Fixpipe::TimeOn(Core& core) const {
  if (IsNop()) {
    return Cost{};
  }
  const int64_t fp32_bytes = CeilDiv(n, kStripColumns) * m * kStripRowBytes * Matrices(*this);
  if (dst.memory == Memory::kGm) {
    return GmPassage{AsStoredToGm(core, DstOf(*this)), FixpipeRule(fp32_bytes)};
  }
  return FixpipeCost(core.soc(), fp32_bytes);
}

}  // namespace tilesim::isa
