// Loads of whole fractals into L0A and L0B. img2col is in load3d.h.
//
// Footprints of L0A and L0B count the bytes of a fractal k-major, as L0Memory keeps them (for 16-bit types
// byte 32 * k + 2 * row), so that a fractal filled for its first k only is a prefix; all 16 rows of a k count
// as one.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// LoadData with LoadData2DParams: fractal start_index + i * src_stride of src to fractal i * (dst_gap + 1) of
// dst.
struct LoadData2D {
  static constexpr const char* kName = "LoadData";
  Operand dst;                 // L0A or L0B
  Operand src;                 // L1 or GM
  DType dtype = DType::kFp16;  // fp16, bf16, fp32
  int64_t start_index = 0;     // fractals, 0 .. 65535
  int64_t repeat_times = 0;    // 0 .. 255
  int64_t src_stride = 0;      // fractals, start to start, 0 .. 65535
  int64_t dst_gap = 0;         // fractals, end to start, 0 .. 65535
  bool transpose = false;      // ifTranspose; 16-bit types only

  [[nodiscard]] bool IsNop() const { return repeat_times == 0; }
  [[nodiscard]] Pipe pipe() const { return src.memory == Memory::kGm ? Pipe::kMte2 : Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// LoadDataWithTranspose: squares of 16x16 elements are transposed: one fractal of a 16-bit type, two
// consecutive fractals (columns 0..7 and 8..15) of fp32. Fractal g of square i goes to fractal i * (dst_gap +
// 1) + g * (dst_fractal_gap + 1).
struct LoadDataTransposed {
  static constexpr const char* kName = "LoadDataWithTranspose";
  Operand dst;  // L0A or L0B
  Operand src;  // L1
  DType dtype = DType::kFp16;
  int64_t start_index = 0;      // squares, 0 .. 65535
  int64_t repeat_times = 0;     // 0 .. 255
  int64_t src_stride = 0;       // squares, start to start, 0 .. 65535
  int64_t dst_gap = 0;          // fractals, 0 .. 65535
  int64_t dst_fractal_gap = 0;  // fractals, 0 .. 65535

  [[nodiscard]] bool IsNop() const { return repeat_times == 0; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
