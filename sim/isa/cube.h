// Mmad: the matrix product of pipe M.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// C (m x n, fp32) = or += A (m x k) * B (k x n). Each element of C takes its products in ascending k, one
// fused multiply-add each. Elements beyond m, n and k are neither used nor changed, but count in fractals for
// time and footprint. m == 1: A is a plain vector of k elements.
struct Mmad {
  static constexpr const char* kName = "Mmad";
  Operand dst;                 // L0C, NZ
  Operand a;                   // L0A, zZ
  Operand b;                   // L0B, nZ
  DType dtype = DType::kFp16;  // of A and B: fp16, bf16, fp32 (HF32 where the register says so)
  int64_t m = 0;               // 0 .. 4095; any of m, n, k 0: nothing is done
  int64_t n = 0;
  int64_t k = 0;
  bool init = true;         // cmatrixInitVal: C starts at 0
  bool bias = false;        // isBias: C does not start at 0 whatever `init` says
  bool bias_table = false;  // cmatrixSource: C starts at a bias from BT; refused where it would be read
  bool k_align = false;     // kDirectionAlign: fp32 A has its K padded to 16
  int unit_flag = 0;        // 0, 2, 3

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
