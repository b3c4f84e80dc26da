// Loads of whole fractals into L0A and L0B. img2col is in load3d.h.
//
// Footprints of L0A and L0B count the bytes of a fractal k-major, as L0Memory keeps them (for 16-bit types
// byte 32 * k + 2 * row), so that a fractal filled for its first k only is a prefix; all 16 rows of a k count
// as one.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// LoadData with LoadData2DParams: fractal start_index + i * src_stride of src to fractal i * (dst_gap + 1) of
// dst; into L1, `backwards`, fractal start_index - i * src_stride.
struct LoadData2D {
  static constexpr const char* kName = "LoadData";
  Operand dst;                    // L0A or L0B; from GM also L1
  Operand src;                    // L1 or GM
  CubeType dtype = DType::kFp16;  // of 8, 16 and 32 bits; from L1 also int4
  int64_t start_index = 0;        // fractals, 0 .. 65535
  int64_t repeat_times = 0;       // 0 .. 255
  int64_t src_stride = 0;         // fractals, start to start, 0 .. 65535
  int64_t dst_gap = 0;            // fractals, end to start, 0 .. 65535
  bool transpose = false;         // ifTranspose; 16-bit types into L0A and L0B only
  bool backwards = false;         // addrMode 1; into L1 only

  [[nodiscard]] bool IsNop() const { return repeat_times == 0; }
  [[nodiscard]] Pipe pipe() const { return src.memory == Memory::kGm ? Pipe::kMte2 : Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// LoadDataWithTranspose: squares are transposed, of 16 x 16 elements of 16 and 32 bits, 32 x 32 of 8 and 64 x
// 64 of 4: 1, 2, 2 and 4 consecutive fractals of src. The columns of a 32-bit square lie in the one fractal
// and the other, else the rows. Fractal g of what square i becomes goes to fractal i * (dst_gap + 1) + g *
// (dst_fractal_gap + 1).
struct LoadDataTransposed {
  static constexpr const char* kName = "LoadDataWithTranspose";
  Operand dst;                    // L0A or L0B
  Operand src;                    // L1
  CubeType dtype = DType::kFp16;  // fp16, bf16, fp32, int8, uint8, int32, uint32; into L0B also int4
  int64_t start_index = 0;        // squares, 0 .. 65535
  int64_t repeat_times = 0;       // 0 .. 255
  int64_t src_stride = 0;         // squares, start to start, 0 .. 65535
  int64_t dst_gap = 0;            // fractals, 0 .. 65535
  int64_t dst_fractal_gap = 0;    // fractals, 0 .. 65535

  [[nodiscard]] bool IsNop() const { return repeat_times == 0; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
