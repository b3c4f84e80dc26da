#include "sim/isa/load.h"

#include <cstring>

#include "formats/units.h"
#include "sim/core/gm_window.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/l0_values.h"

namespace tilesim::isa {
namespace {

constexpr const char* kInParts = "load in parts";

L0Memory& L0Of(Core& core, const Operand& dst) {
  return dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
}

constexpr TypeSet kWholeBytes = {VectorType::kInt8,   VectorType::kUint8,  VectorType::kInt16,
                                 VectorType::kUint16, VectorType::kFp16,   VectorType::kBf16,
                                 VectorType::kInt32,  VectorType::kUint32, VectorType::kFp32};
constexpr TypeSet kFromL1 = {VectorType::kInt4,   VectorType::kInt8, VectorType::kUint8, VectorType::kInt16,
                             VectorType::kUint16, VectorType::kFp16, VectorType::kBf16,  VectorType::kInt32,
                             VectorType::kUint32, VectorType::kFp32};
constexpr TypeSet kTransposedToL0A = {VectorType::kInt8, VectorType::kUint8, VectorType::kFp16,
                                      VectorType::kBf16, VectorType::kInt32, VectorType::kUint32,
                                      VectorType::kFp32};
constexpr TypeSet kTransposedToL0B = {VectorType::kInt4,   VectorType::kInt8, VectorType::kUint8,
                                      VectorType::kFp16,   VectorType::kBf16, VectorType::kInt32,
                                      VectorType::kUint32, VectorType::kFp32};

// The first fractal in memory, of those read.
int64_t LowestFractal(const LoadData2D& load) {
  return load.start_index - (load.backwards ? (load.repeat_times - 1) * load.src_stride : 0);
}

Region SrcOf(const LoadData2D& load) {
  const int64_t lowest = load.IsNop() ? 0 : LowestFractal(load);
  return RegionOf(load.src, Use::kRead, "src",
                  {Unsigned(lowest * kFractalBytes), kFractalBytes,
                   Times(load.repeat_times, load.src_stride * kFractalBytes)});
}

int64_t FractalsOfSquare(CubeType dtype) { return dtype.bits() == 16 ? 1 : dtype.bits() == 4 ? 4 : 2; }

// Element (row, column) of a square of elements of 32, 8 or 4 bits as it lies in L1.
uint32_t ElementOfSquare(const std::byte* square, int64_t bits, int64_t row, int64_t column) {
  uint32_t element = 0;
  if (bits == 32) {
    std::memcpy(&element, square + column / 8 * kFractalBytes + row * 32 + column % 8 * 4, 4);
  } else if (bits == 8) {
    element = static_cast<uint32_t>(square[row * 32 + column]);
  } else {
    element = static_cast<uint32_t>(square[row * 32 + column / 2]) >> (column % 2 * 4) & 15U;
  }
  return element;
}

// Fractal g of a square transposed: row r, column c of it is row c, column 16 * g + r of the square; of 32
// bits, row 8 * g + c, column r.
void TransposedFractal(const std::byte* square, int64_t bits, int64_t g, std::byte* fractal) {
  std::memset(fractal, 0, kFractalBytes);
  for (int64_t r = 0; r < 16; ++r) {
    for (int64_t c = 0; c < 256 / bits; ++c) {
      const uint32_t element = bits == 32 ? ElementOfSquare(square, bits, 8 * g + c, r)
                                          : ElementOfSquare(square, bits, c, 16 * g + r);
      std::byte* const to = fractal + r * 32 + c * bits / 8;
      if (bits == 4) {
        *to |= static_cast<std::byte>(element << (c % 2 * 4));
      } else {
        std::memcpy(to, &element, Unsigned(bits / 8));
      }
    }
  }
}

}  // namespace

void LoadData2D::Check(Core& core) const {
  RequireMemory(core, "src", src, Memory::kL1, Memory::kGm);
  const bool from_gm = src.memory == Memory::kGm;
  if (!from_gm || dst.memory != Memory::kL1) {
    RequireMemory(core, "dst", dst, Memory::kL0A, Memory::kL0B);
  }
  RequireCubeType(core, "src", dtype, from_gm ? kWholeBytes : kFromL1);
  RequireRange(core, "startIndex", start_index, 0, 65535, "begin from a later tensor");
  RequireRange(core, "repeatTimes", repeat_times, 0, 255, kInParts);
  RequireRange(core, "srcStride", src_stride, 0, 65535, kInParts);
  RequireRange(core, "dstGap", dst_gap, 0, 65535, kInParts);
  core.Require(!transpose || dtype.bits() == 16, FaultKind::kLimit, "ifTranspose", "ifTranspose with ",
               Name(dtype), ", must be a 16-bit type; use LoadDataWithTranspose");
  core.Require(!transpose || dst.memory != Memory::kL1, FaultKind::kLimit, "ifTranspose",
               "ifTranspose into L1, allowed into L0A and L0B only; transpose on the way there");
  core.Require(!backwards || IsNop() || (dst.memory == Memory::kL1 && LowestFractal(*this) >= 0),
               FaultKind::kLimit, "addrMode", "addrMode = 1 from fractal ", start_index, " on, ",
               repeat_times, " times ", src_stride,
               " back, must be into L1 and not pass fractal 0; begin at a later fractal");
}

Operands LoadData2D::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, kFractalBytes, Times(repeat_times, (dst_gap + 1) * kFractalBytes)}));
  operands.Add(SrcOf(*this));
  return operands;
}

void LoadData2D::Execute(Core& core) const {
  for (int64_t i = 0; i < repeat_times; ++i) {
    const uint64_t from =
        src.begin + Unsigned((start_index + (backwards ? -i : i) * src_stride) * kFractalBytes);
    const uint64_t to = dst.begin + Unsigned(i * (dst_gap + 1) * kFractalBytes);
    if (dst.memory == Memory::kL1) {
      core.gm().Read(from, core.l1() + to, kFractalBytes);
      continue;
    }
    std::byte fetched[kFractalBytes];
    const std::byte* bytes = fetched;
    if (src.memory == Memory::kGm) {
      core.gm().Read(from, fetched, sizeof(fetched));
    } else {
      bytes = core.l1() + from;
    }
    LandFractal(L0Of(core, dst), static_cast<int64_t>(to) / kFractalBytes, dtype, bytes, transpose);
  }
}

InstructionTime LoadData2D::TimeOn(Core& core) const {
  if (IsNop()) {
    return Cost{};
  }
  if (src.memory == Memory::kGm) {
    return GmPassage{SrcOf(*this), GmReadRule(dst.memory)};
  }
  return LoadCost(core.soc(), dst.memory, repeat_times);
}

void LoadDataTransposed::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0A, Memory::kL0B);
  RequireMemory(core, "src", src, Memory::kL1, Memory::kL1);
  RequireCubeType(core, "src", dtype, dst.memory == Memory::kL0A ? kTransposedToL0A : kTransposedToL0B);
  RequireRange(core, "startIndex", start_index, 0, 65535, "begin from a later tensor");
  RequireRange(core, "repeatTimes", repeat_times, 0, 255, kInParts);
  RequireRange(core, "srcStride", src_stride, 0, 65535, kInParts);
  RequireRange(core, "dstGap", dst_gap, 0, 65535, kInParts);
  RequireRange(core, "dstFracGap", dst_fractal_gap, 0, 65535, kInParts);
}

Operands LoadDataTransposed::Footprint(Core& /*core*/) const {
  const int64_t fractals = FractalsOfSquare(dtype);
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, kFractalBytes, Times(fractals, (dst_fractal_gap + 1) * kFractalBytes),
                         Times(repeat_times, (dst_gap + 1) * kFractalBytes)}));
  operands.Add(RegionOf(src, Use::kRead, "src",
                        {Unsigned(start_index * fractals * kFractalBytes), Unsigned(fractals * kFractalBytes),
                         Times(repeat_times, src_stride * fractals * kFractalBytes)}));
  return operands;
}

void LoadDataTransposed::Execute(Core& core) const {
  L0Memory& l0 = L0Of(core, dst);
  const int64_t fractals = FractalsOfSquare(dtype);
  for (int64_t i = 0; i < repeat_times; ++i) {
    const std::byte* const square =
        core.l1() + src.begin + (start_index + i * src_stride) * fractals * kFractalBytes;
    for (int64_t g = 0; g < fractals; ++g) {
      const int64_t index =
          static_cast<int64_t>(dst.begin) / kFractalBytes + i * (dst_gap + 1) + g * (dst_fractal_gap + 1);
      if (fractals == 1) {
        LandFractal(l0, index, dtype, square, true);
      } else {
        std::byte fractal[kFractalBytes];
        TransposedFractal(square, dtype.bits(), g, fractal);
        LandFractal(l0, index, dtype, fractal, false);
      }
    }
  }
}

Cost LoadDataTransposed::TimeOn(Core& core) const {
  return IsNop() ? Cost{} : LoadCost(core.soc(), dst.memory, repeat_times * FractalsOfSquare(dtype));
}

void AddLoadRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "cube";
  const InstructionCost cost =
      CostOfParameters(soc,
                       Say(soc.load_issue_cycles, " + bytes / ", soc.l0a_bytes_per_cycle, ", to L0B ",
                           soc.l0b_bytes_per_cycle),
                       {"mte1.load_issue_cycles", "mte1.l0a_bytes_per_cycle", "mte1.l0b_bytes_per_cycle"});
  rows.push_back({kFamily, Say(LoadData2D::kName, " (fractals of L1)"), std::string(Name(Pipe::kMte1)),
                  kFromL1.Names(), "to L0A, L0B; 16-bit types transposed", cost});
  rows.push_back({kFamily, Say(LoadData2D::kName, " (fractals of GM)"), std::string(Name(Pipe::kMte2)),
                  kWholeBytes.Names(), "to L0A, L0B, L1; backwards into L1",
                  CostOfParameters(
                      soc,
                      Say("bytes / ", soc.gm_l0a_core_bytes_per_cycle, ", to L0B ",
                          soc.gm_l0b_core_bytes_per_cycle, ", at least ", soc.gm_l0_move_cycles),
                      {"gm.l0a_core_bytes_per_cycle", "gm.l0b_core_bytes_per_cycle", "gm.l0_move_cycles"})});
  rows.push_back({kFamily, LoadDataTransposed::kName, std::string(Name(LoadDataTransposed().pipe())),
                  Say("to L0A ", kTransposedToL0A.Names(), "; to L0B ", kTransposedToL0B.Names()),
                  "squares of 16, 32 or 64", cost});
}

}  // namespace tilesim::isa
