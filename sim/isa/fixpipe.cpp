#include "sim/isa/fixpipe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "formats/convert.h"
#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/fixpipe_quant.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"

namespace tilesim::isa {
namespace {

constexpr std::array<std::string_view, 9> kQuantNames = {
    "NoQuant", "F322F16", "F322BF16", "DEQF16", "VDEQF16", "QF322B8_PRE", "VQF322B8_PRE", "REQ8", "VREQ8"};

constexpr int64_t kStripColumns = 16;   // of L0C
constexpr int64_t kMergedColumns = 32;  // of a strip of 8-bit results
constexpr int64_t kStripRowBytes = 64;  // a row of a strip: 16 floats
constexpr int64_t kFractalOfCBytes = 1024;

int64_t ElementBytes(const Fixpipe& fixpipe) { return fixpipe.dtype.bits() / 8; }

int64_t Matrices(const Fixpipe& fixpipe) {
  return fixpipe.layout == FixpipeLayout::kRowMajor ? fixpipe.num_matrices : 1;
}

// Whole strips, and of the last one the columns up to the n-th: what lies beyond stays where it is.
void AddSrc(Operands& operands, const Fixpipe& f) {
  const int64_t step = f.src_stride * kStripRowBytes;
  const int64_t whole = f.n / kStripColumns;
  const int64_t rest = f.n % kStripColumns;
  const Repeated matrices = Times(Matrices(f), f.src_matrix_stride * kFractalOfCBytes);
  if (whole > 0) {
    operands.Add(RegionOf(f.src, Use::kRead, "src",
                          {0, Unsigned(f.m * kStripRowBytes), Times(whole, step), matrices}));
  }
  if (rest > 0) {
    operands.Add(RegionOf(
        f.src, Use::kRead, "src",
        {Unsigned(whole * step), Unsigned(rest) * sizeof(float), Times(f.m, kStripRowBytes), matrices}));
  }
}

Region DstOf(const Fixpipe& f) {
  const int64_t element = ElementBytes(f);
  if (f.layout == FixpipeLayout::kRowMajor) {
    return RegionOf(f.dst, Use::kWrite, "dst",
                    {0, Unsigned(f.n * element), Times(f.m, f.dst_stride * element),
                     Times(f.num_matrices, f.dst_matrix_stride * element)});
  }
  if (element == 1) {  // strips of 32 columns, of which an odd last one has 16 a row
    const int64_t whole = f.n / kMergedColumns;
    return RegionOf(f.dst, Use::kWrite, "dst",
                    {0, Unsigned(f.m * kMergedColumns), Times(whole, f.dst_stride * kDataBlockBytes)});
  }
  const int64_t columns = f.channel_split ? 8 : kStripColumns;
  return RegionOf(
      f.dst, Use::kWrite, "dst",
      {0, Unsigned(f.m * columns * element), Times(CeilDiv(f.n, columns), f.dst_stride * kDataBlockBytes)});
}

// The odd last strip of 8-bit results in NZ; nothing (of no bytes) where there is none.
Region OddStripOf(const Fixpipe& f) {
  const bool odd = f.layout == FixpipeLayout::kNz && f.dtype.bits() == 8 && f.n % kMergedColumns != 0;
  return RegionOf(f.dst, Use::kWrite, "dst",
                  {Unsigned(f.n / kMergedColumns * f.dst_stride * kDataBlockBytes),
                   Unsigned(odd ? kStripColumns : 0), Times(f.m, kMergedColumns)});
}

// A way from L0C: what it holds, what dst gets.
struct Way {
  bool from_int32;
  TypeSet to;
};

Way WayOf(Quant quant, bool src_int32) {
  constexpr TypeSet kBytes = {VectorType::kInt8, VectorType::kUint8};
  switch (quant) {
    case Quant::kNone:
      return {src_int32, src_int32 ? TypeSet{VectorType::kInt32} : TypeSet{VectorType::kFp32}};
    case Quant::kF322F16:
      return {false, {VectorType::kFp16}};
    case Quant::kF322BF16:
      return {false, {VectorType::kBf16}};
    case Quant::kDeqF16:
    case Quant::kVdeqF16:
      return {true, {VectorType::kFp16}};
    case Quant::kQf322B8:
    case Quant::kVqf322B8:
      return {false, kBytes};
    case Quant::kReq8:
    case Quant::kVreq8:
      return {true, kBytes};
  }
  return {false, {}};
}

bool HasWords(Quant quant) { return quant > Quant::kF322BF16; }
bool HasWordsForColumns(Quant quant) {
  return quant == Quant::kVdeqF16 || quant == Quant::kVqf322B8 || quant == Quant::kVreq8;
}

void RequireUsable(Core& core, uint64_t word, const char* where) {
  core.Require(HasUsableScale(word), FaultKind::kMisuse, where, "the scale in bits [31:0] of ", word,
               " is infinite, NaN or subnormal; put a normal fp32 number there");
}

void CheckKind(Core& core, const Fixpipe& f) {
  core.Require(f.dst.memory == Memory::kGm || f.dst.memory == Memory::kL1, FaultKind::kMisuse, "dst",
               "is in ", tilesim::Name(f.dst.memory), ", must be in GM or L1; there is no such path");
  RequireMemory(core, "src", f.src, Memory::kL0C, Memory::kL0C);
  core.Require(static_cast<size_t>(f.quant) < kQuantNames.size(), FaultKind::kMisuse, "quantPre",
               "quantPre = ", static_cast<int>(f.quant), ", there is no such mode on this part");
  const std::string_view name = kQuantNames[static_cast<size_t>(f.quant)];
  const Way way = WayOf(f.quant, f.src_int32);
  core.Require(way.from_int32 == f.src_int32, FaultKind::kMisuse, "quantPre", name, " converts ",
               way.from_int32 ? "int32" : "fp32", ", but L0C holds ", f.src_int32 ? "int32" : "fp32",
               "; set quantPre to match");
  core.Require(way.to.Has(f.dtype.type()), FaultKind::kMisuse, "quantPre", name, " writes ", way.to.Names(),
               ", but dst is ", Name(f.dtype), "; set quantPre to match");
  if (HasWords(f.quant) && !HasWordsForColumns(f.quant)) {
    RequireUsable(core, core.registers().quant_word, "deqScalar");
  }
  core.Require(!f.channel_split || f.unit_flag == 0, FaultKind::kLimit, "isChannelSplit",
               "isChannelSplit = true with unitFlag = ", f.unit_flag, ", must be without; set it to 0");
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

// The columns of consecutive elements: from `at` on, `count` of them over and over from column `first`.
struct Columns {
  int64_t first = 0;
  int64_t count = 0;
  int64_t at = 0;

  [[nodiscard]] Columns From(int64_t element) const { return {first, count, element % count}; }
  size_t Next() {
    const int64_t column = first + at;
    at = at + 1 == count ? 0 : at + 1;
    return static_cast<size_t>(column);
  }
};

// Converts elements of L0C and puts them where they belong.
class Writer {
 public:
  Writer(Core& core, const Fixpipe& fixpipe)
      : core_(core), fixpipe_(fixpipe), saturate_(!core.registers().ieee) {
    if (HasWords(fixpipe.quant)) {
      ReadWords();
    }
  }

  // Writes `count` consecutive elements from byte `offset_bytes` of dst on. They are of `columns`, over and
  // over.
  void Write(int64_t offset_bytes, const float* src, int64_t count, const Columns& columns) {
    if (AsTheyAre()) {
      Store(offset_bytes, src, count * 4);
      return;
    }
    for (int64_t at = 0; at < count; at += kChunk) {
      const int64_t here = std::min(kChunk, count - at);
      Store(offset_bytes + at * ElementBytes(fixpipe_), Convert(src + at, here, columns.From(at)),
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
      const auto* bytes = static_cast<const std::byte*>(
          AsTheyAre() ? static_cast<const void*>(from)
                      : Convert(from, here * kStripColumns, {0, kStripColumns}));
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
  const void* Convert(const float* src, int64_t count, const Columns& columns) {
    if (HasWords(fixpipe_.quant)) {
      return Quantised(src, count, columns);
    }
    if (fixpipe_.src_int32) {  // as it is, but for ReLU
      for (int64_t i = 0; i < count; ++i) {
        const auto value = std::bit_cast<int32_t>(src[i]);
        refined_[i] = std::bit_cast<float>(std::max(value, 0));
      }
      return refined_;
    }
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

  const void* Quantised(const float* src, int64_t count, Columns columns) {
    for (int64_t i = 0; i < count; ++i) {
      const QuantWord word = words_[HasWordsForColumns(fixpipe_.quant) ? columns.Next() : 0];
      int32_t whole = 0;
      std::memcpy(&whole, src + i, sizeof(whole));
      const float scaled =
          fixpipe_.src_int32 ? Scaled(word, whole, fixpipe_.relu) : Scaled(word, src[i], fixpipe_.relu);
      if (fixpipe_.dtype.bits() == 16) {
        halves_[i] = ToHalf(scaled);
      } else {
        bytes_[i] = ToByte(word, scaled);
      }
    }
    return halves_;  // where bytes_ are, too
  }

  // The words of all columns, or the one of all.
  void ReadWords() {
    const CoreRegisters& registers = core_.registers();
    if (!HasWordsForColumns(fixpipe_.quant)) {
      words_.assign(1, QuantWord::Of(registers.quant_word));
      return;
    }
    words_.clear();
    for (int64_t n = 0; n < fixpipe_.n; ++n) {
      uint64_t word = 0;
      std::memcpy(&word, core_.fb() + registers.quant_table_bytes + Unsigned(n) * sizeof(word), sizeof(word));
      RequireUsable(core_, word, "quantPre");
      words_.push_back(QuantWord::Of(word));
    }
    words_.resize(Unsigned(AlignUp(fixpipe_.n, kStripColumns)));  // whole strips are converted
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
    uint8_t bytes_[kChunk];
  };
  std::vector<QuantWord> words_;
};

void WriteStrips(Core& core, const Fixpipe& f) {
  Writer writer(core, f);
  const float* strip = core.l0c() + f.src.begin / sizeof(float);
  for (int64_t n = 0; n < f.n; n += kStripColumns) {
    writer.Write(n / kStripColumns * f.dst_stride * kDataBlockBytes, strip, f.m * kStripColumns,
                 {n, kStripColumns});
    strip += f.src_stride * kStripColumns;
  }
}

// 8-bit results: two strips of L0C side by side make one of 32 bytes a row.
void WriteMergedStrips(Core& core, const Fixpipe& f) {
  constexpr int64_t kRows = 128;
  Writer writer(core, f);
  float rows[kRows * kMergedColumns];
  for (int64_t n = 0; n < f.n; n += kMergedColumns) {
    const int64_t columns = std::min(kMergedColumns, f.n - n);
    const int64_t to = n / kMergedColumns * f.dst_stride * kDataBlockBytes;
    const float* const strip =
        core.l0c() + f.src.begin / sizeof(float) + n / kStripColumns * f.src_stride * kStripColumns;
    // an odd strip leaves half of each data block alone, so that its rows are written one by one
    const int64_t step = columns == kMergedColumns ? kRows : 1;
    for (int64_t m = 0; m < f.m; m += step) {
      const int64_t here = std::min(step, f.m - m);
      for (int64_t r = 0; r < here; ++r) {
        for (int64_t c = 0; c < columns; c += kStripColumns) {
          std::memcpy(rows + r * kMergedColumns + c,
                      strip + (c / kStripColumns * f.src_stride + m + r) * kStripColumns, kStripRowBytes);
        }
      }
      writer.Write(to + m * kMergedColumns, rows, here * columns, {n, columns});
    }
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
      writer.Write(to + m * kDataBlockBytes, half_strip, rows * kColumns, {n, kColumns});
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
      writer.Write((i * f.dst_matrix_stride + r * f.dst_stride) * ElementBytes(f), row, f.n, {0, f.n});
    }
  }
}

}  // namespace

void Fixpipe::Check(Core& core) const {
  CheckKind(core, *this);
  CheckSizes(core, *this);
  if (dst.memory == Memory::kGm) {
    RequireAtomicType(core, AtomicTypeOf(dtype));
  }
}

Operands Fixpipe::Footprint(Core& core) const {
  Operands operands;
  if (!IsNop()) {
    for (const Region& region : {DstOf(*this), OddStripOf(*this)}) {
      operands.Add(dst.memory == Memory::kGm ? AsStoredToGm(core, region) : region);
    }
    AddSrc(operands, *this);
    if (HasWordsForColumns(quant)) {
      operands.Add(RegionOf({.memory = Memory::kFb, .begin = core.registers().quant_table_bytes}, Use::kRead,
                            "quantPre", {0, Unsigned(n) * sizeof(uint64_t)}));
    }
  }
  return operands;
}

void Fixpipe::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  if (layout == FixpipeLayout::kRowMajor) {
    WriteRows(core, *this);
  } else if (dtype.bits() == 8) {
    WriteMergedStrips(core, *this);
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
    // of 8-bit results the odd strip where there is no other: a passage is of one region
    const Region whole = DstOf(*this);
    return GmPassage{AsStoredToGm(core, whole.total_bytes() == 0 ? OddStripOf(*this) : whole),
                     FixpipeRule(fp32_bytes)};
  }
  return FixpipeCost(core.soc(), fp32_bytes);
}

void AddFixpipeRows(InstructionRows& rows, const SocConfig& soc) {
  TypeSet types = {};
  for (size_t quant = 0; quant < kQuantNames.size(); ++quant) {
    const Way way = WayOf(static_cast<Quant>(quant), false);
    for (int t = 0; t < kNumVectorTypes; ++t) {
      if (way.to.Has(static_cast<VectorType>(t))) {
        types.Add(static_cast<VectorType>(t));
      }
    }
  }
  types.Add(VectorType::kInt32);  // as it is
  rows.push_back({"cube", Fixpipe::kName, std::string(Name(Fixpipe().pipe())),
                  Say("fp32, int32 to ", types.Names()),
                  "to GM, L1; NZ, row-major; quantised, ReLU, channel split; atomic add",
                  CostOfParameters(soc,
                                   Say("4-byte elements' bytes / ", soc.fixpipe_bytes_per_cycle,
                                       ", at least ", soc.fixpipe_floor_cycles),
                                   {"fixpipe.bytes_per_cycle", "fixpipe.floor_cycles"})});
}

}  // namespace tilesim::isa
