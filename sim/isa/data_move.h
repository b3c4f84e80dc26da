// Moves between GM and a core's L1 or UB, and fills of local memory with one value.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// Blocks of data blocks (32 bytes), as DataCopyParams counts them. Gaps are from the end of a block to the
// start of the next. No blocks, or blocks of no length: nothing is moved.
struct CopyBlocks {
  int64_t count = 1;           // blockCount, 0 .. 4095
  int64_t length_blocks = 0;   // blockLen, 0 .. 65535
  int64_t src_gap_blocks = 0;  // 0 .. 65535
  int64_t dst_gap_blocks = 0;  // 0 .. 65535

  [[nodiscard]] bool IsNop() const { return count == 0 || length_blocks == 0; }
  [[nodiscard]] int64_t block_bytes() const { return length_blocks * 32; }
  [[nodiscard]] int64_t src_stride_bytes() const { return (length_blocks + src_gap_blocks) * 32; }
  [[nodiscard]] int64_t dst_stride_bytes() const { return (length_blocks + dst_gap_blocks) * 32; }
};

// DataCopy GM -> L1 or UB.
struct CopyFromGm {
  static constexpr const char* kName = "DataCopy";
  Operand dst;  // L1 or UB
  Operand src;  // GM
  CopyBlocks blocks;

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte2; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// DataCopy L1 or UB -> GM. With an atomic operation set, GM is updated in the type of the atomic register.
struct CopyToGm {
  static constexpr const char* kName = "DataCopy";
  Operand dst;  // GM
  Operand src;  // L1 or UB
  CopyBlocks blocks;

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte3; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// DataCopy GM -> L1 that turns row-major matrices into NZ (Nd2NzParams). Element (i, r, c) of the matrices
// comes from src element i * src_matrix_stride + r * src_row_stride + c and goes to column strip c / C0, C0 =
// 32 / element_bytes; the columns up to the end of the last strip are zeroed.
struct CopyNd2Nz {
  static constexpr const char* kName = "DataCopy";
  Operand dst;                          // L1
  Operand src;                          // GM
  int64_t element_bytes = 2;            // 1, 2 or 4
  int64_t num_matrices = 1;             // ndNum, 0 .. 4095
  int64_t rows = 0;                     // nValue, 0 .. 16384
  int64_t columns = 0;                  // dValue, 0 .. 65535
  int64_t src_matrix_stride = 0;        // srcNdMatrixStride, elements, 0 .. 65535
  int64_t src_row_stride = 0;           // srcDValue, elements, 1 .. 65535
  int64_t dst_strip_stride_blocks = 0;  // dstNzC0Stride, 32 bytes, 1 .. 16384
  int64_t dst_row_stride_blocks = 0;    // dstNzNStride, 32 bytes, 1 .. 16384
  int64_t dst_matrix_stride = 0;        // dstNzMatrixStride, elements, 0 .. 65535

  [[nodiscard]] bool IsNop() const { return num_matrices == 0 || rows == 0 || columns == 0; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kMte2; }
  // All that Check checks but the memories.
  void CheckLimits(Core& core) const;
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// InitConstValue: `repeat_times` times `num_blocks` blocks of one value, then a gap. A block is 32 bytes in
// L1 and 512 in L0A and L0B.
struct InitConst {
  static constexpr const char* kName = "InitConstValue";
  Operand dst;                    // L1, L0A or L0B
  CubeType dtype = DType::kFp16;  // of 16 or 32 bits
  uint32_t value_bits = 0;        // the value's bits in its type
  int64_t repeat_times = 0;       // 0 .. 32767
  int64_t num_blocks = 0;         // blockNum, 0 .. 32767
  int64_t gap_blocks = 0;         // dstGap, 0 .. 32767

  [[nodiscard]] bool IsNop() const { return repeat_times == 0 || num_blocks == 0; }
  [[nodiscard]] int64_t block_bytes() const { return dst.memory == Memory::kL1 ? 32 : 512; }
  [[nodiscard]] Pipe pipe() const { return dst.memory == Memory::kL1 ? Pipe::kMte2 : Pipe::kMte1; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
