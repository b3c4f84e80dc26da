#include "sim/isa/load.h"

#include <cstring>

#include "formats/units.h"
#include "sim/core/gm_window.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/l0_values.h"

namespace tilesim::isa {
namespace {

constexpr const char* kInParts = "load in parts";

L0Memory& L0Of(Core& core, const Operand& dst) {
  return dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
}

Region SrcOf(const LoadData2D& load) {
  return RegionOf(load.src, Use::kRead, "src",
                  {Unsigned(load.start_index * kFractalBytes), kFractalBytes,
                   Times(load.repeat_times, load.src_stride * kFractalBytes)});
}

}  // namespace

void LoadData2D::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0A, Memory::kL0B);
  RequireMemory(core, "src", src, Memory::kL1, Memory::kGm);
  RequireCubeType(core, "src", dtype);
  RequireRange(core, "startIndex", start_index, 0, 65535, "begin from a later tensor");
  RequireRange(core, "repeatTimes", repeat_times, 0, 255, kInParts);
  RequireRange(core, "srcStride", src_stride, 0, 65535, kInParts);
  RequireRange(core, "dstGap", dst_gap, 0, 65535, kInParts);
  core.Require(!transpose || dtype != DType::kFp32, FaultKind::kLimit, "ifTranspose", "ifTranspose with ",
               tilesim::Name(dtype), ", must be a 16-bit type; use LoadDataWithTranspose");
}

Operands LoadData2D::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, kFractalBytes, Times(repeat_times, (dst_gap + 1) * kFractalBytes)}));
  operands.Add(SrcOf(*this));
  return operands;
}

void LoadData2D::Execute(Core& core) const {
  L0Memory& l0 = L0Of(core, dst);
  int64_t index = static_cast<int64_t>(dst.begin) / kFractalBytes;
  uint64_t from = src.begin + Unsigned(start_index * kFractalBytes);
  std::byte fetched[kFractalBytes];
  for (int64_t i = 0; i < repeat_times; ++i) {
    const std::byte* bytes = fetched;
    if (src.memory == Memory::kGm) {
      core.gm().Read(from, fetched, sizeof(fetched));
    } else {
      bytes = core.l1() + from;
    }
    if (transpose) {
      WidenTransposedFractal(dtype, bytes, l0.Fractal(index));
    } else {
      WidenFractal(dtype, bytes, l0.Fractal(index));
    }
    l0.type(index) = FractalTypeOf(dtype);
    index += dst_gap + 1;
    from += Unsigned(src_stride * kFractalBytes);
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
  RequireCubeType(core, "src", dtype);
  RequireRange(core, "startIndex", start_index, 0, 65535, "begin from a later tensor");
  RequireRange(core, "repeatTimes", repeat_times, 0, 255, kInParts);
  RequireRange(core, "srcStride", src_stride, 0, 65535, kInParts);
  RequireRange(core, "dstGap", dst_gap, 0, 65535, kInParts);
  RequireRange(core, "dstFracGap", dst_fractal_gap, 0, 65535, kInParts);
}

Operands LoadDataTransposed::Footprint(Core& /*core*/) const {
  const int64_t fractals = dtype == DType::kFp32 ? 2 : 1;  // of a square
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
  const int64_t fractals = dtype == DType::kFp32 ? 2 : 1;
  for (int64_t i = 0; i < repeat_times; ++i) {
    const std::byte* const square =
        core.l1() + src.begin + (start_index + i * src_stride) * fractals * kFractalBytes;
    for (int64_t g = 0; g < fractals; ++g) {
      const int64_t index =
          static_cast<int64_t>(dst.begin) / kFractalBytes + i * (dst_gap + 1) + g * (dst_fractal_gap + 1);
      float* const to = l0.Fractal(index);
      if (fractals == 1) {
        WidenTransposedFractal(dtype, square, to);
      } else {
        // column k of the result's fractal g is row 8 * g + k of the square, whose halves lie in two fractals
        for (int64_t k = 0; k < 8; ++k) {
          std::memcpy(to + 16 * k, square + (8 * g + k) * 32, 32);
          std::memcpy(to + 16 * k + 8, square + kFractalBytes + (8 * g + k) * 32, 32);
        }
      }
      l0.type(index) = FractalTypeOf(dtype);
    }
  }
}

Cost LoadDataTransposed::TimeOn(Core& core) const {
  return IsNop() ? Cost{} : LoadCost(core.soc(), dst.memory, repeat_times * (dtype == DType::kFp32 ? 2 : 1));
}

}  // namespace tilesim::isa
