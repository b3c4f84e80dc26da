// Copies out of L1 into the two small memories of a cube core: the bias table (BT), which Mmad reads, and the
// fixpipe buffer (FB), which Fixpipe reads.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

enum class TableElements : uint8_t {
  kOther,         // neither memory takes them
  kBias,          // int32 or float, BT
  kWidenedBias,   // half that becomes float on the way, BT
  kQuantisation,  // uint64, FB
};

// DataCopy L1 -> BT or FB in units of 64 (BT) or 128 (FB) bytes of dst. Gaps of BT run from the end of a
// block to the start of the next; those of FB from start to start, so that a src gap of 0 reads the first
// block again.
struct CopyToTable {
  static constexpr const char* kName = "DataCopy";
  Operand dst;  // BT or FB
  Operand src;  // L1
  TableElements elements = TableElements::kOther;
  const char* dst_type = "";  // as the program names it
  const char* src_type = "";
  int64_t count = 1;           // blockCount, 0 .. 4095
  int64_t length_units = 0;    // blockLen, 0 .. 65535
  int64_t src_gap_blocks = 0;  // data blocks of 32 bytes, 0 .. 65535
  int64_t dst_gap_units = 0;   // 0 .. 65535; FB: 1 at least where there are several blocks

  [[nodiscard]] static int64_t UnitBytes(Memory dst) { return dst == Memory::kBt ? 64 : 128; }
  [[nodiscard]] bool IsNop() const { return count == 0 || length_units == 0; }
  [[nodiscard]] Pipe pipe() const { return dst.memory == Memory::kBt ? Pipe::kMte1 : Pipe::kFix; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
