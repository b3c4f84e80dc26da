#include "sim/isa/table_move.h"

#include <cstring>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/cost.h"
#include "sim/isa/instruction_row.h"

namespace tilesim::isa {
namespace {

// Bytes of a block on both sides, and from the start of one to the next.
struct Blocks {
  int64_t dst_bytes = 0;
  int64_t src_bytes = 0;
  int64_t dst_step = 0;
  int64_t src_step = 0;
};

Blocks BlocksOf(const CopyToTable& copy) {
  const int64_t unit = CopyToTable::UnitBytes(copy.dst.memory);
  Blocks blocks{
      .dst_bytes = copy.length_units * unit,
      .src_bytes = copy.length_units * unit / (copy.elements == TableElements::kWidenedBias ? 2 : 1),
      .dst_step = copy.dst_gap_units * unit,
      .src_step = copy.src_gap_blocks * kDataBlockBytes};
  if (copy.dst.memory == Memory::kBt) {
    blocks.dst_step += blocks.dst_bytes;
    blocks.src_step += blocks.src_bytes;
  }
  return blocks;
}

}  // namespace

void CopyToTable::Check(Core& core) const {
  const bool to_bt = dst.memory == Memory::kBt;
  RequirePath(core, src, dst, src.memory == Memory::kL1 && (to_bt || dst.memory == Memory::kFb));
  const bool known = to_bt ? elements == TableElements::kBias || elements == TableElements::kWidenedBias
                           : elements == TableElements::kQuantisation;
  core.Require(known, FaultKind::kMisuse, "dst", "is ", dst_type, " in ", Name(dst.memory), " and src ",
               src_type, " in L1; allowed: ",
               to_bt ? "int32_t from int32_t, float from float, float from half"
                     : "uint64_t from uint64_t, a quantisation word each");
  RequireRange(core, "blockCount", count, 0, 4095, "split the move");
  RequireRange(core, "blockLen", length_units, 0, 65535, "split the move");
  RequireRange(core, "srcGap", src_gap_blocks, 0, 65535, "move block by block");
  RequireRange(core, "dstGap", dst_gap_units, 0, 65535, "move block by block");
  core.Require(to_bt || count <= 1 || dst_gap_units >= 1, FaultKind::kLimit, "dstGap",
               "dstGap = 0 with blockCount = ", count,
               ", must be at least 1: in FB it runs from the start of a block to the start of the next");
}

Operands CopyToTable::Footprint(Core& /*core*/) const {
  Operands operands;
  if (!IsNop()) {
    const Blocks blocks = BlocksOf(*this);
    operands.Add(
        RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(blocks.dst_bytes), Times(count, blocks.dst_step)}));
    operands.Add(
        RegionOf(src, Use::kRead, "src", {0, Unsigned(blocks.src_bytes), Times(count, blocks.src_step)}));
  }
  return operands;
}

void CopyToTable::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  const Blocks blocks = BlocksOf(*this);
  std::byte* const table = dst.memory == Memory::kBt ? core.bt() : core.fb();
  for (int64_t i = 0; i < count; ++i) {
    std::byte* const to = table + dst.begin + i * blocks.dst_step;
    const std::byte* const from = core.l1() + src.begin + i * blocks.src_step;
    if (elements != TableElements::kWidenedBias) {
      std::memcpy(to, from, Unsigned(blocks.dst_bytes));
      continue;
    }
    for (int64_t e = 0; e < blocks.dst_bytes / 4; ++e) {
      uint16_t bits = 0;
      std::memcpy(&bits, from + 2 * e, sizeof(bits));
      const auto wide = static_cast<float>(Half::FromBits(bits));
      std::memcpy(to + 4 * e, &wide, sizeof(wide));
    }
  }
}

Cost CopyToTable::TimeOn(Core& core) const {
  return IsNop() ? Cost{} : TableCost(core.soc(), dst.memory, count * BlocksOf(*this).dst_bytes);
}

void AddTableMoveRows(InstructionRows& rows, const SocConfig& soc) {
  rows.push_back(
      {"moves", Say(CopyToTable::kName, " (L1 to BT)"),
       std::string(Name(CopyToTable{.dst = {.memory = Memory::kBt}, .src = {}}.pipe())),
       "fp32, int32, fp16 to fp32", "count; blocks and gaps",
       CostOfParameters(soc, Say("bytes / ", soc.bt_bytes_per_cycle, ", at least ", soc.bt_min_cycles),
                        {"mte1.bt_bytes_per_cycle", "mte1.bt_min_cycles"})});
  rows.push_back({"moves", Say(CopyToTable::kName, " (L1 to FB)"),
                  std::string(Name(CopyToTable{.dst = {.memory = Memory::kFb}, .src = {}}.pipe())), "uint64",
                  "count; blocks and gaps",
                  CostOfParameters(soc, Say(soc.fb_latency_cycles, " + bytes / ", soc.fb_bytes_per_cycle),
                                   {"mte1.fb_latency_cycles", "mte1.fb_bytes_per_cycle"})});
}

}  // namespace tilesim::isa
