// Vector instructions that take elements from where others say: Gather, Gatherb, GatherMask. Which bytes of
// the source they read is a value: known where values are computed, and else taken to be none.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// dst's lane k = the element `base_bytes` + offsets[k] bytes behind the start of src. 16- and 32-bit types.
struct VectorGather {
  VectorOperand dst;
  Operand src;
  Operand offsets;  // uint32, one a lane, those of masked lanes too, which are not read
  uint32_t base_bytes = 0;
  VectorType type = VectorType::kFp32;
  VectorWork work;
  bool of_blocks = false;  // Gatherb: lanes are data blocks as such, and there is no mask

  [[nodiscard]] const char* name() const { return of_blocks ? "Gatherb" : "Gather"; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};
// Gatherb: block k of dst, 8 a repeat, = the 32 bytes offsets[k] bytes behind src. Block stride 0 is as 1.
VectorGather GatherOfBlocks(const Operand& dst, const Operand& src, const Operand& offsets, int64_t repeats,
                            int64_t dst_block_stride = 1, int64_t dst_repeat_stride = 8);

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

// The scalar unit reads how many elements the last GatherMask has kept, when V is done with it: the call
// itself reads it, so that no program could order the two, and strict mode makes no difference.
struct ReadKeptElements {
  static constexpr const char* kName = "GetGatherMaskRemainCount";

  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& /*core*/) const {}
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
