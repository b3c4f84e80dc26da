#include "sim/isa/data_move.h"

#include "sim/core/gm_window.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"

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

}  // namespace tilesim::isa
