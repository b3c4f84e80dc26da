#include "sim/isa/cube.h"

#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/l0_values.h"
#include "sim/isa/matmul.h"

namespace tilesim::isa {
namespace {

constexpr const char* kSmaller = "work in smaller blocks";

// How A and B lie in fractals.
struct Fractals {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;       // of which at least one element is used
  int64_t a_row = 0;   // from a row of fractals of A to the next
  int64_t k_edge = 0;  // k of a fractal
};

Fractals FractalsOf(const Mmad& mmad) {
  const int64_t k_edge = CubeC0(mmad.dtype);
  const int64_t k = CeilDiv(mmad.k, k_edge);
  return {.m = CeilDiv(mmad.m, kFractalEdge),
          .n = CeilDiv(mmad.n, kFractalEdge),
          .k = k,
          .a_row = mmad.dtype == DType::kFp32 && mmad.k_align ? AlignUp(k, int64_t{2}) : k,
          .k_edge = k_edge};
}

// GEMV: A is a vector, not a matrix of one row.
bool IsGemv(const Mmad& mmad) { return mmad.m == 1; }

int64_t FractalsOfVector(const Mmad& mmad) {
  return CeilDiv(mmad.k * CubeElementBytes(mmad.dtype), kFractalBytes);
}

// Buffers that one host thread reuses for operands in another order or precision.
std::vector<float>& Scratch(size_t which, int64_t floats) {
  thread_local std::vector<float> buffers[2];
  std::vector<float>& buffer = buffers[which];
  if (buffer.size() < Unsigned(floats)) {
    buffer.resize(Unsigned(floats));
  }
  return buffer;
}

// The vector of a GEMV as row 0 of fractals.
const float* SpreadVector(const Mmad& mmad, const L0Memory& l0a, const Fractals& fractals) {
  std::vector<float>& spread = Scratch(0, fractals.k * L0Memory::kFloats);
  const int64_t first = static_cast<int64_t>(mmad.a.begin) / kFractalBytes;
  for (int64_t l = 0; l < mmad.k; ++l) {
    const int64_t row = l / fractals.k_edge;
    const int64_t column = l % fractals.k_edge;
    spread[Unsigned(row * L0Memory::kFloats + column * 16)] =
        l0a.Fractal(first + row / 16)[column * 16 + row % 16];
  }
  return spread.data();
}

const float* AsHf32(size_t which, const float* values, int64_t fractals, bool ties_away) {
  std::vector<float>& rounded = Scratch(which, fractals * L0Memory::kFloats);
  for (int64_t i = 0; i < fractals; ++i) {
    RoundToHf32(values + i * L0Memory::kFloats, rounded.data() + i * L0Memory::kFloats, 128, ties_away);
  }
  return rounded.data();
}

// A fractal that nothing was loaded into is left so: Mmad writes no L0A and no L0B.
void ReinterpretAll(L0Memory& memory, uint64_t begin, int64_t count, DType dtype) {
  const int64_t first = static_cast<int64_t>(begin) / kFractalBytes;
  for (int64_t i = first; i < first + count; ++i) {
    if (memory.type(i) != FractalType::kNone) {
      Reinterpret(memory, i, FractalTypeOf(dtype));
    }
  }
}

void AddL0A(Operands& operands, const Mmad& mmad, const Fractals& fractals) {
  if (IsGemv(mmad)) {
    operands.Add(RegionOf(mmad.a, Use::kRead, "a", {0, Unsigned(FractalsOfVector(mmad) * kFractalBytes)}));
    return;
  }
  const int64_t k_bytes = kFractalBytes / fractals.k_edge;
  operands.Add(RegionOf(mmad.a, Use::kRead, "a",
                        {0, Unsigned(mmad.k * k_bytes), Times(fractals.m, fractals.a_row * kFractalBytes)}));
}

void AddL0B(Operands& operands, const Mmad& mmad, const Fractals& fractals) {
  const int64_t row_bytes = fractals.n * kFractalBytes;
  const int64_t whole = mmad.k / fractals.k_edge;
  const int64_t tail = mmad.k % fractals.k_edge;
  if (whole > 0) {
    operands.Add(RegionOf(mmad.b, Use::kRead, "b", {0, Unsigned(whole * row_bytes)}));
  }
  if (tail > 0) {
    operands.Add(RegionOf(mmad.b, Use::kRead, "b",
                          {Unsigned(whole * row_bytes), Unsigned(tail * kFractalBytes / fractals.k_edge),
                           Times(fractals.n, kFractalBytes)}));
  }
}

}  // namespace

void Mmad::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0C, Memory::kL0C);
  RequireMemory(core, "a", a, Memory::kL0A, Memory::kL0A);
  RequireMemory(core, "b", b, Memory::kL0B, Memory::kL0B);
  RequireCubeType(core, "a", dtype);
  RequireRange(core, "m", m, 0, 4095, kSmaller);
  RequireRange(core, "n", n, 0, 4095, kSmaller);
  RequireRange(core, "k", k, 0, 4095, kSmaller);
  core.Require(unit_flag == 0 || unit_flag == 2 || unit_flag == 3, FaultKind::kLimit, "unitFlag",
               "unitFlag = ", unit_flag, ", must be 0 (off), 2 (keep) or 3 (flip)");
  core.Require(
      !Accumulates() || !bias_table, FaultKind::kMisuse, "cmatrixSource",
      "a C that starts at a bias from BT is not modelled; start with cmatrixInitVal and add the bias after");
}

Operands Mmad::Footprint(Core& /*core*/) const {
  Operands operands;
  if (IsNop()) {
    return operands;
  }
  const Fractals fractals = FractalsOf(*this);
  Region c = RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(fractals.m * fractals.n * 1024)});
  c.align_bytes = 1024;
  operands.Add(c);
  if (Accumulates()) {
    c.use = Use::kRead;
    operands.Add(c);
  }
  AddL0A(operands, *this, fractals);
  AddL0B(operands, *this, fractals);
  return operands;
}

void Mmad::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  const Fractals fractals = FractalsOf(*this);
  const int64_t a_fractals =
      IsGemv(*this) ? FractalsOfVector(*this) : (fractals.m - 1) * fractals.a_row + fractals.k;
  ReinterpretAll(core.l0a(), a.begin, a_fractals, dtype);
  ReinterpretAll(core.l0b(), b.begin, fractals.k * fractals.n, dtype);
  const float* a_values = IsGemv(*this) ? SpreadVector(*this, core.l0a(), fractals)
                                        : core.l0a().Fractal(static_cast<int64_t>(a.begin) / kFractalBytes);
  const float* b_values = core.l0b().Fractal(static_cast<int64_t>(b.begin) / kFractalBytes);
  const CoreRegisters& registers = core.registers();
  if (dtype == DType::kFp32 && registers.hf32) {
    a_values = AsHf32(0, a_values, IsGemv(*this) ? fractals.k : a_fractals, registers.hf32_ties_away);
    b_values = AsHf32(1, b_values, fractals.k * fractals.n, registers.hf32_ties_away);
  }
  Multiply({.a = a_values,
            .b = b_values,
            .c = core.l0c() + dst.begin / sizeof(float),
            .m = m,
            .n = n,
            .k = k,
            .k_fractal = fractals.k_edge,
            .a_row_step = fractals.a_row * L0Memory::kFloats,
            .b_row_step = fractals.n * L0Memory::kFloats,
            .c_strip_step = fractals.m * L0Memory::kFloats,
            .init = !Accumulates()});
}

Cost Mmad::TimeOn(Core& core) const { return MmadCost(core.soc(), dtype, core.registers().hf32, m, n, k); }

}  // namespace tilesim::isa
