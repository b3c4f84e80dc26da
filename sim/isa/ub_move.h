// Moves that only UB has: to and from GM in bytes, with padding, and within UB.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/data_move.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// DataCopyPad GM -> UB. Each block becomes left pad, data, right pad and what is left of the last 32 bytes.
struct CopyPadFromGm {
  static constexpr const char* kName = "DataCopyPad";
  Operand dst;  // UB
  Operand src;  // GM
  int64_t element_bytes = 2;
  int64_t count = 1;           // blockCount, 0 .. 4095
  int64_t block_bytes = 0;     // blockLen, 0 .. 2097151
  int64_t src_gap_bytes = 0;   // srcStride: from the end of a block to the next
  int64_t dst_gap_blocks = 0;  // dstStride, data blocks
  // Pads hold pad_value. Without: where both are 0, the rest of a block repeats its first element; else pads
  // hold what SetPadValue set last, and no program may rely on it if nothing did.
  bool is_pad = false;
  int64_t left_pad = 0;  // elements, 32 bytes at most
  int64_t right_pad = 0;
  uint64_t pad_value_bits = 0;  // in the type of the elements; 0 for 64-bit ones

  [[nodiscard]] bool IsNop() const { return count == 0 || block_bytes == 0; }
  [[nodiscard]] int64_t padded_bytes() const;
  // Do pads hold what SetPadValue set, or nothing?
  [[nodiscard]] bool TakesPadRegister() const { return !is_pad && (left_pad != 0 || right_pad != 0); }
  [[nodiscard]] Pipe pipe() const { return Pipe::kMte2; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// DataCopyPad UB -> GM: blocks of bytes, each from the start of a data block. With an atomic operation set,
// GM is updated in the type of the atomic register.
struct CopyPadToGm {
  static constexpr const char* kName = "DataCopyPad";
  Operand dst;  // GM
  Operand src;  // UB
  int64_t element_bytes = 2;
  int64_t count = 1;           // blockCount, 0 .. 4095
  int64_t block_bytes = 0;     // blockLen, 0 .. 2097151
  int64_t src_gap_blocks = 0;  // srcStride, data blocks
  int64_t dst_gap_bytes = 0;   // dstStride

  [[nodiscard]] bool IsNop() const { return count == 0 || block_bytes == 0; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kMte3; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// DataCopy UB -> UB, by the vector unit.
struct CopyWithinUb {
  static constexpr const char* kName = "DataCopy";
  Operand dst;
  Operand src;
  CopyBlocks blocks;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  bool RunAtOnce(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
