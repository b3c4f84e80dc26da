// Mmad: the matrix product of pipe M.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// C (m x n) = or += A (m x k) * B (k x n): fp32 of fp16, bf16 or fp32, int32 of int8 or int4.
// fp32: each element of C takes its products in ascending k, one fused multiply-add each. int32: the sum of
// the products is exact, and what C starts at is added to it once, ending at the limits of int32. Elements
// beyond m, n and k are neither used nor changed, but count in fractals for time and footprint. m == 1: A is
// a plain vector of k elements.
struct Mmad {
  static constexpr const char* kName = "Mmad";
  Operand dst;  // L0C, NZ
  Operand a;    // L0A, zZ
  Operand b;    // L0B, nZ
  CubeType dtype =
      DType::kFp16;  // of A and B: fp16, bf16, fp32 (HF32 where the register says so), int8, int4
  int64_t m = 0;     // 0 .. 4095; any of m, n, k 0: nothing is done
  int64_t n = 0;
  int64_t k = 0;      // int4: even
  bool init = true;   // cmatrixInitVal: C starts at 0
  bool bias = false;  // isBias: C does not start at 0 whatever `init` says
  // Where C starts if not at 0 and not at what it holds: from BT, a row of n fp32 or int32 for every row of
  // C; or another matrix in L0C that lies as C does, and is C or does not overlap it.
  std::optional<Operand> start = std::nullopt;
  bool k_align = false;  // kDirectionAlign: fp32 A has its K padded to 16; ignored else
  int unit_flag = 0;     // 0, 2, 3

  [[nodiscard]] bool IsNop() const { return m == 0 || n == 0 || k == 0; }
  [[nodiscard]] bool Accumulates() const { return !init || bias; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kM; }
  // The pipe orders accumulating Mmads by itself only from 10 fractals of C on.
  [[nodiscard]] bool OrderedInPipe() const {
    return !Accumulates() || ((m + 15) / 16) * ((n + 15) / 16) >= 10;
  }
  [[nodiscard]] int UnitFlag() const { return unit_flag; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
