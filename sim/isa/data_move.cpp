#include "sim/isa/data_move.h"

#include "sim/core/gm_window.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"

namespace tilesim::isa {
namespace {

constexpr const char* kFewerBlocks = "split the move";

void CheckBlocks(Core& core, const CopyBlocks& blocks) {
  RequireRange(core, "blockCount", blocks.count, 0, 4095, kFewerBlocks);
  RequireRange(core, "blockLen", blocks.length_blocks, 0, 65535, kFewerBlocks);
  RequireRange(core, "srcStride", blocks.src_gap_blocks, 0, 65535, "move block by block");
  RequireRange(core, "dstStride", blocks.dst_gap_blocks, 0, 65535, "move block by block");
}

std::byte* Bytes(Core& core, const Operand& operand) {
  return (operand.memory == Memory::kUb ? core.ub() : core.l1()) + operand.begin;
}

Region SrcOf(const Operand& src, const CopyBlocks& blocks) {
  return RegionOf(src, Use::kRead, "src",
                  {0, Unsigned(blocks.block_bytes()), Times(blocks.count, blocks.src_stride_bytes())});
}

Region DstOf(const Operand& dst, const CopyBlocks& blocks, Use use) {
  return RegionOf(dst, use, "dst",
                  {0, Unsigned(blocks.block_bytes()), Times(blocks.count, blocks.dst_stride_bytes())});
}

}  // namespace

void CopyFromGm::Check(Core& core) const {
  CheckBlocks(core, blocks);
  RequirePath(core, src, dst, dst.memory == Memory::kL1 || dst.memory == Memory::kUb);
  RequireNotInScalarCache(core, SrcOf(src, blocks));
}

Operands CopyFromGm::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(DstOf(dst, blocks, Use::kWrite));
  operands.Add(SrcOf(src, blocks));
  return operands;
}

void CopyFromGm::Execute(Core& core) const {
  if (blocks.IsNop()) {
    return;
  }
  std::byte* const to = Bytes(core, dst);
  const size_t size = Unsigned(blocks.block_bytes());
  if (blocks.src_gap_blocks == 0 && blocks.dst_gap_blocks == 0) {
    core.gm().Read(src.begin, to, size * Unsigned(blocks.count));
    return;
  }
  for (int64_t i = 0; i < blocks.count; ++i) {
    core.gm().Read(src.begin + Unsigned(i * blocks.src_stride_bytes()), to + i * blocks.dst_stride_bytes(),
                   size);
  }
}

InstructionTime CopyFromGm::TimeOn(Core& /*core*/) const {
  if (blocks.IsNop()) {
    return Cost{};
  }
  return GmPassage{SrcOf(src, blocks), GmReadRule(dst.memory)};
}

void CopyToGm::Check(Core& core) const {
  CheckBlocks(core, blocks);
  RequirePath(core, src, dst, src.memory == Memory::kL1 || src.memory == Memory::kUb);
  RequireAtomicType(core);  // whatever it is, the bytes are taken as of it
  RequireNotInScalarCache(core, DstOf(dst, blocks, Use::kWrite));
}

Operands CopyToGm::Footprint(Core& core) const {
  Operands operands;
  operands.Add(AsStoredToGm(core, DstOf(dst, blocks, Use::kWrite)));
  operands.Add(SrcOf(src, blocks));
  return operands;
}

void CopyToGm::Execute(Core& core) const {
  if (blocks.IsNop()) {
    return;
  }
  const std::byte* const from = Bytes(core, src);
  const int64_t size = blocks.block_bytes();
  if (blocks.src_gap_blocks == 0 && blocks.dst_gap_blocks == 0) {
    StoreToGm(core, dst.begin, from, size * blocks.count);
    return;
  }
  for (int64_t i = 0; i < blocks.count; ++i) {
    StoreToGm(core, dst.begin + Unsigned(i * blocks.dst_stride_bytes()), from + i * blocks.src_stride_bytes(),
              size);
  }
}

InstructionTime CopyToGm::TimeOn(Core& core) const {
  if (blocks.IsNop()) {
    return Cost{};
  }
  return GmPassage{AsStoredToGm(core, DstOf(dst, blocks, Use::kWrite)), GmWriteRule()};
}

void AddDataMoveRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "moves";
  const std::string read(Name(CopyFromGm().pipe()));
  rows.push_back(
      {kFamily, Say(CopyFromGm::kName, " (GM to L1)"), read, "by the byte", "count; blocks and gaps; slices",
       CostOfParameters(soc, Say(soc.gm_read_latency_cycles, " + bytes / ", soc.gm_l1_core_bytes_per_cycle),
                        {"gm.read_latency_cycles", "gm.l1_core_bytes_per_cycle"})});
  rows.push_back({kFamily, Say(CopyFromGm::kName, " (GM to UB)"), read, "by the byte",
                  "count; blocks and gaps; slices; NZ to row-major",
                  CostOfParameters(
                      soc, Say(soc.gm_ub_read_latency_cycles, " + bytes / ", soc.gm_ub_core_bytes_per_cycle),
                      {"gm.ub_read_latency_cycles", "gm.ub_core_bytes_per_cycle"})});
  rows.push_back(
      {kFamily, Say(CopyNd2Nz::kName, " (GM to L1, row-major to NZ)"), std::string(Name(CopyNd2Nz().pipe())),
       "of 8, 16, 32 bits", "matrices and their strides",
       CostOfParameters(soc,
                        Say("as to L1, and at least ", soc.nd2nz_row_cycles, " a row, ",
                            soc.nd2nz_read_cycles, " a read of a row"),
                        {"gm.read_latency_cycles", "gm.l1_core_bytes_per_cycle", "gm.nd2nz_row_cycles",
                         "gm.nd2nz_read_cycles", "gm.nd2nz_rows_in_flight"})});
  rows.push_back(
      {kFamily, Say(CopyToGm::kName, " (L1 or UB to GM)"), std::string(Name(CopyToGm().pipe())),
       "by the byte; of atomics those of the register",
       "count; blocks and gaps; slices; row-major to NZ; atomic add, max, min",
       CostOfParameters(
           soc,
           Say("the larger of ", soc.gm_write_latency_cycles, " + bytes / ",
               soc.gm_write_burst_bytes_per_cycle, " and bytes / ", soc.gm_write_core_bytes_per_cycle),
           {"gm.write_latency_cycles", "gm.write_burst_bytes_per_cycle", "gm.write_core_bytes_per_cycle"})});
}

}  // namespace tilesim::isa
