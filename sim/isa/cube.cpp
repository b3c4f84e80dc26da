#include "sim/isa/cube.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/int_matmul.h"
#include "sim/isa/l0_values.h"
#include "sim/isa/matmul.h"

namespace tilesim::isa {

void RefuseCubeType(Core& core, const char* name, CubeType type, const TypeSet& allowed) {
  core.Fail(FaultKind::kMisuse, name,
            Say("has elements of type ", Name(type), "; allowed here: ", allowed.Names()));
}

namespace {

constexpr const char* kSmaller = "work in smaller blocks";
constexpr int64_t kFractalInL0CBytes = 1024;
constexpr TypeSet kProductTypes = {VectorType::kFp16, VectorType::kBf16, VectorType::kFp32, VectorType::kInt8,
                                   VectorType::kInt4};

// How A and B lie in fractals.
struct Fractals {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;       // of which at least one element is used
  int64_t a_row = 0;   // from a row of fractals of A to the next
  int64_t k_edge = 0;  // k of a fractal
};

Fractals FractalsOf(const Mmad& mmad) {
  const int64_t k_edge = mmad.dtype.c0();
  const int64_t k = CeilDiv(mmad.k, k_edge);
  return {.m = CeilDiv(mmad.m, kFractalEdge),
          .n = CeilDiv(mmad.n, kFractalEdge),
          .k = k,
          .a_row = mmad.dtype == DType::kFp32 && mmad.k_align ? AlignUp(k, int64_t{2}) : k,
          .k_edge = k_edge};
}

// GEMV: A is a vector, not a matrix of one row.
bool IsGemv(const Mmad& mmad) { return mmad.m == 1; }

int64_t FractalsOfVector(const Mmad& mmad) { return CeilDiv(mmad.k * mmad.dtype.bits(), 8 * kFractalBytes); }

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
void ReinterpretAll(L0Memory& memory, uint64_t begin, int64_t count, CubeType dtype) {
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

bool IsWhole(const Mmad& mmad) { return mmad.dtype == VectorType::kInt8 || mmad.dtype == VectorType::kInt4; }

// A matrix in L0C that lies as C does.
Region MatrixInL0C(const Operand& at, const Fractals& fractals, Use use, const char* name) {
  Region region = RegionOf(at, use, name, {0, Unsigned(fractals.m * fractals.n * kFractalInL0CBytes)});
  region.align_bytes = kFractalInL0CBytes;
  return region;
}

// Makes C what it starts at; nothing beyond m and n.
void PutStart(Core& core, const Mmad& mmad, const Fractals& fractals) {
  const bool row = mmad.start->memory == Memory::kBt;
  const float* const matrix = core.l0c() + (row ? 0 : mmad.start->begin / sizeof(float));
  float* const c = core.l0c() + mmad.dst.begin / sizeof(float);
  if (!row && matrix == c) {
    return;
  }
  for (int64_t j = 0; j < mmad.n; j += 16) {
    const size_t bytes = sizeof(float) * Unsigned(std::min<int64_t>(16, mmad.n - j));
    const int64_t strip = j / 16 * fractals.m * 256;
    for (int64_t i = 0; i < mmad.m; ++i) {
      const int64_t at = strip + i * 16;
      const void* const from =
          row ? static_cast<const void*>(core.bt() + mmad.start->begin + Unsigned(j) * sizeof(float))
              : static_cast<const void*>(matrix + at);
      std::memcpy(c + at, from, bytes);
    }
  }
}

// Whole numbers in the order of IntMatmul.
std::vector<int16_t>& PairScratch(size_t which, int64_t numbers) {
  thread_local std::vector<int16_t> buffers[2];
  std::vector<int16_t>& buffer = buffers[which];
  if (buffer.size() < Unsigned(numbers)) {
    buffer.resize(Unsigned(numbers));
  }
  return buffer;
}

// Number l of a row of bytes.
int16_t NumberAt(CubeType dtype, const std::byte* row, int64_t l) {
  if (dtype == VectorType::kInt8) {
    return static_cast<int8_t>(row[l]);
  }
  const auto nibble = static_cast<int16_t>(static_cast<uint8_t>(row[l / 2]) >> (l % 2 * 4) & 15);
  return static_cast<int16_t>(nibble < 8 ? nibble : nibble - 16);
}

// The first `count` numbers of row `row` of a fractal; 0 for those beyond them.
void PutRow(CubeType dtype, const std::byte* src, int64_t count, int64_t row, int16_t* dst) {
  for (int64_t l = 0; l < dtype.c0(); ++l) {
    dst[l / 2 * 32 + row * 2 + l % 2] = l < count ? NumberAt(dtype, src, l) : int16_t{0};
  }
}

// Fractals in rows of `num_k`, the one at (outer, k) being `at(outer, k)`.
template <class At>
const int16_t* PairUp(size_t which, const Mmad& mmad, L0Memory& l0, int64_t num_outer, int64_t num_k, At at) {
  const int64_t c0 = mmad.dtype.c0();
  std::vector<int16_t>& pairs = PairScratch(which, num_outer * num_k * c0 * 16);
  int16_t* to = pairs.data();
  for (int64_t outer = 0; outer < num_outer; ++outer) {
    for (int64_t k = 0; k < num_k; ++k, to += c0 * 16) {
      const std::byte* const fractal = l0.FractalBytes(at(outer, k));
      for (int64_t row = 0; row < 16; ++row) {
        PutRow(mmad.dtype, fractal + 32 * row, mmad.k - k * c0, row, to);
      }
    }
  }
  return pairs.data();
}

const int16_t* PairUpVector(const Mmad& mmad, L0Memory& l0a, int64_t num_k) {
  const int64_t c0 = mmad.dtype.c0();
  std::vector<int16_t>& pairs = PairScratch(0, num_k * c0 * 16);
  const int64_t first = static_cast<int64_t>(mmad.a.begin) / kFractalBytes;
  for (int64_t k = 0; k < num_k; ++k) {  // 16 data blocks a fractal
    PutRow(mmad.dtype, l0a.FractalBytes(first + k / 16) + k % 16 * 32, mmad.k - k * c0, 0,
           pairs.data() + k * c0 * 16);
  }
  return pairs.data();
}

void ExecuteWhole(Core& core, const Mmad& mmad, const Fractals& fractals, bool init) {
  const int64_t a = static_cast<int64_t>(mmad.a.begin) / kFractalBytes;
  const int64_t b = static_cast<int64_t>(mmad.b.begin) / kFractalBytes;
  MultiplyInts({.a = IsGemv(mmad) ? PairUpVector(mmad, core.l0a(), fractals.k)
                                  : PairUp(0, mmad, core.l0a(), fractals.m, fractals.k,
                                           [&](int64_t m, int64_t k) { return a + m * fractals.a_row + k; }),
                .b = PairUp(1, mmad, core.l0b(), fractals.n, fractals.k,
                            [&](int64_t n, int64_t k) { return b + k * fractals.n + n; }),
                .c = core.l0c() + mmad.dst.begin / sizeof(float),
                .m = mmad.m,
                .n = mmad.n,
                .pairs = fractals.k * fractals.k_edge / 2,
                .c_strip_step = fractals.m * 256,
                .init = init});
}

void ExecuteFloating(Core& core, const Mmad& mmad, const Fractals& fractals, int64_t a_fractals, bool init) {
  const float* a_values = IsGemv(mmad)
                              ? SpreadVector(mmad, core.l0a(), fractals)
                              : core.l0a().Fractal(static_cast<int64_t>(mmad.a.begin) / kFractalBytes);
  const float* b_values = core.l0b().Fractal(static_cast<int64_t>(mmad.b.begin) / kFractalBytes);
  const CoreRegisters& registers = core.registers();
  if (mmad.dtype == DType::kFp32 && registers.hf32) {
    a_values = AsHf32(0, a_values, IsGemv(mmad) ? fractals.k : a_fractals, registers.hf32_ties_away);
    b_values = AsHf32(1, b_values, fractals.k * fractals.n, registers.hf32_ties_away);
  }
  Multiply({.a = a_values,
            .b = b_values,
            .c = core.l0c() + mmad.dst.begin / sizeof(float),
            .m = mmad.m,
            .n = mmad.n,
            .k = mmad.k,
            .k_fractal = fractals.k_edge,
            .a_row_step = fractals.a_row * L0Memory::kFloats,
            .b_row_step = fractals.n * L0Memory::kFloats,
            .c_strip_step = fractals.m * L0Memory::kFloats,
            .init = init});
}

void CheckStart(Core& core, const Mmad& mmad) {
  RequireMemory(core, "bias", *mmad.start, Memory::kBt, Memory::kL0C);
  const Fractals fractals = FractalsOf(mmad);
  const auto bytes = Unsigned(fractals.m * fractals.n * kFractalInL0CBytes);
  const uint64_t begin = mmad.start->begin;
  core.Require(mmad.start->memory == Memory::kBt || begin == mmad.dst.begin ||
                   begin + bytes <= mmad.dst.begin || mmad.dst.begin + bytes <= begin,
               FaultKind::kMisuse, "bias", "the matrix of ", bytes, " bytes at ", begin,
               " of L0C that C starts at overlaps C at ", mmad.dst.begin,
               ", must be C itself or lie apart from it");
}

}  // namespace

void Mmad::Check(Core& core) const {
  RequireMemory(core, "dst", dst, Memory::kL0C, Memory::kL0C);
  RequireMemory(core, "a", a, Memory::kL0A, Memory::kL0A);
  RequireMemory(core, "b", b, Memory::kL0B, Memory::kL0B);
  RequireCubeType(core, "a", dtype, kProductTypes);
  RequireRange(core, "m", m, 0, 4095, kSmaller);
  RequireRange(core, "n", n, 0, 4095, kSmaller);
  RequireRange(core, "k", k, 0, 4095, kSmaller);
  core.Require(unit_flag == 0 || unit_flag == 2 || unit_flag == 3, FaultKind::kLimit, "unitFlag",
               "unitFlag = ", unit_flag, ", must be 0 (off), 2 (keep) or 3 (flip)");
  core.Require(dtype != VectorType::kInt4 || k % 2 == 0, FaultKind::kLimit, "k", "k = ", k,
               ", must be even with int4; round it up and load a 0");
  if (Accumulates() && start) {
    CheckStart(core, *this);
  }
}

Operands Mmad::Footprint(Core& /*core*/) const {
  Operands operands;
  if (IsNop()) {
    return operands;
  }
  const Fractals fractals = FractalsOf(*this);
  operands.Add(MatrixInL0C(dst, fractals, Use::kWrite, "dst"));
  if (Accumulates()) {
    if (!start) {
      operands.Add(MatrixInL0C(dst, fractals, Use::kRead, "dst"));
    } else if (start->memory == Memory::kL0C) {
      operands.Add(MatrixInL0C(*start, fractals, Use::kRead, "bias"));
    } else {
      operands.Add(RegionOf(*start, Use::kRead, "bias", {0, Unsigned(n) * sizeof(float)}));
    }
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
  if (Accumulates() && start) {
    PutStart(core, *this, fractals);
  }
  if (IsWhole(*this)) {
    ExecuteWhole(core, *this, fractals, !Accumulates());
  } else {
    ExecuteFloating(core, *this, fractals, a_fractals, !Accumulates());
  }
}

Cost Mmad::TimeOn(Core& core) const { return MmadCost(core.soc(), dtype, core.registers().hf32, m, n, k); }

void AddCubeRows(InstructionRows& rows, const SocConfig& soc) {
  rows.push_back({"cube", Mmad::kName, std::string(Name(Mmad().pipe())), kProductTypes.Names(),
                  "C from 0, what is there, or a bias in BT; HF32; unit flags; gemv",
                  CostOfParameters(soc,
                                   Say(soc.mmad_issue_cycles, ", and ", soc.mmad_fractal_cycles,
                                       " for 16 x 16 x C0, fp32 ", soc.mmad_fractal_fp32_cycles),
                                   {"cube.mmad_issue_cycles", "cube.mmad_fractal_cycles",
                                    "cube.mmad_fractal_fp32_cycles"})});
}

}  // namespace tilesim::isa
