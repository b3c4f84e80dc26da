// Vector instructions that take elements from where others say: Gather, Gatherb, GatherMask. Which bytes of
// the source they read is a value: known where values are computed, and else taken to be none.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/long_repeats.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// dst's lane k = the element `base_bytes` + offsets[k] bytes behind the start of src. 16- and 32-bit types.
struct VectorGather {
  static constexpr const char* kName = "Gather";
  VectorOperand dst;
  Operand src;
  Operand offsets;  // uint32, one a lane, those of masked lanes too, which are not read
  uint32_t base_bytes = 0;
  VectorType type = VectorType::kFp32;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// Data block k of dst, 8 a repeat, = the 32 bytes offsets[k] bytes behind the start of src. Knows no mask.
struct VectorGatherBlocks {
  static constexpr const char* kName = "Gatherb";
  Operand dst;
  Operand src;
  Operand offsets;  // uint32, 8 a repeat
  int64_t repeats = 0;
  int64_t dst_block_stride = 1;   // data blocks; 0: as 1
  int64_t dst_repeat_stride = 8;  // data blocks

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// The elements of src whose bit is set, one behind the other. The register that says how many there were is
// set; without values and with a user's bits, to 0. 16- and 32-bit types.
struct VectorGatherMask {
  static constexpr const char* kName = "GatherMask";
  static constexpr int64_t kPatterns = 7;

  Operand dst;  // src, or elsewhere
  VectorOperand src;
  int64_t pattern = 0;             // 1, 2: even, odd; 3 .. 6: the first .. fourth of four; 7: all; 0: `bits`
  Operand bits;                    // lowest first; each repeat begins anew
  int64_t bits_repeat_stride = 8;  // data blocks
  VectorType type = VectorType::kFp32;
  LongRepeats work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// The scalar unit reads how many elements the last GatherMask has kept, when V is done with it.
struct ReadKeptElements {
  static constexpr const char* kName = "GetGatherMaskRemainCount";

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const { core.UsesResult(ResultRegister::kKept, Use::kRead); }
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
