#include "sim/isa/ub_move.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "formats/units.h"
#include "sim/core/gm_window.h"
#include "sim/isa/cost.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/pieces.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kMostBlockBytes = 2097151;
constexpr int64_t kMostGap = (int64_t{1} << 32) - 1;  // the parameter's width

void CheckPadMove(Core& core, int64_t count, int64_t block_bytes, int64_t element_bytes, int64_t src_gap,
                  int64_t dst_gap) {
  RequireRange(core, "blockCount", count, 0, 4095, "split the move");
  RequireRange(core, "blockLen", block_bytes, 0, kMostBlockBytes, "split the move");
  core.Require(block_bytes % element_bytes == 0, FaultKind::kLimit, "blockLen", "blockLen = ", block_bytes,
               " bytes, must be a multiple of the ", element_bytes, " bytes of an element");
  RequireRange(core, "srcStride", src_gap, 0, kMostGap, "move block by block");
  RequireRange(core, "dstStride", dst_gap, 0, kMostGap, "move block by block");
}

Region SrcOf(const CopyPadFromGm& move) {
  return RegionOf(move.src, Use::kRead, "src",
                  {0, Unsigned(move.block_bytes), Times(move.count, move.block_bytes + move.src_gap_bytes)});
}

Region DstOf(const CopyPadToGm& move) {
  return RegionOf(move.dst, Use::kWrite, "dst",
                  {0, Unsigned(move.block_bytes), Times(move.count, move.block_bytes + move.dst_gap_bytes)});
}

int64_t DstStride(const CopyPadFromGm& move) {
  return move.padded_bytes() + move.dst_gap_blocks * kDataBlockBytes;
}
int64_t SrcStride(const CopyPadToGm& move) {
  return AlignUp(move.block_bytes, kDataBlockBytes) + move.src_gap_blocks * kDataBlockBytes;
}

// A data block full of one element of 1, 2, 4 or 8 bytes, the low ones of `bits`.
using DataBlock = std::array<std::byte, kDataBlockBytes>;
DataBlock BlockOf(uint64_t bits, int64_t element_bytes) {
  if (element_bytes == 1) {
    bits = (bits & 0xFF) * 0x0101'0101'0101'0101;
  } else if (element_bytes == 2) {
    bits = (bits & 0xFFFF) * 0x0001'0001'0001'0001;
  } else if (element_bytes == 4) {
    bits = (bits & 0xFFFF'FFFF) * 0x0000'0001'0000'0001;
  }
  DataBlock block;
  for (size_t at = 0; at < block.size(); at += sizeof(bits)) {
    std::memcpy(block.data() + at, &bits, sizeof(bits));
  }
  return block;
}

// May GM from `begin` on be read and written as the host's memory: nothing gathered waits for it?
bool IsPlain(Core& core, uint64_t begin, const Pieces& pieces, int64_t step) {
  return core.gm().IsPlain(begin, Unsigned((pieces.count - 1) * step + pieces.bytes));
}

// Fills the data blocks of `dst` that hold pads; the data goes over what of them is not pad.
void PutPads(const DataBlock& pads, std::byte* dst, int64_t left_bytes, int64_t rest_bytes,
             int64_t padded_bytes) {
  if (left_bytes > 0) {
    std::memcpy(dst, pads.data(), pads.size());
  }
  for (int64_t at = padded_bytes - AlignUp(rest_bytes, kDataBlockBytes); at < padded_bytes;
       at += kDataBlockBytes) {
    std::memcpy(dst + at, pads.data(), pads.size());
  }
}

}  // namespace

int64_t CopyPadFromGm::padded_bytes() const {
  return AlignUp(block_bytes + (left_pad + right_pad) * element_bytes, kDataBlockBytes);
}

void CopyPadFromGm::Check(Core& core) const {
  CheckPadMove(core, count, block_bytes, element_bytes, src_gap_bytes, dst_gap_blocks);
  const int64_t most = kDataBlockBytes / element_bytes;
  RequireRange(core, "leftPadding", left_pad, 0, most, "a pad is 32 bytes at most");
  RequireRange(core, "rightPadding", right_pad, 0, most, "a pad is 32 bytes at most");
  const VectorRegisters& registers = core.registers().vector;
  const bool left_over = TakesPadRegister() && registers.pad_value_set && registers.pad_value_bits != 0;
  core.Require(element_bytes < 8 || (is_pad ? pad_value_bits == 0 : !left_over), FaultKind::kLimit,
               "paddingValue", "elements of 64 bits can be padded with 0 only");
  RequireMemory(core, "dst", dst, Memory::kUb, Memory::kUb);
  RequireNotInScalarCache(core, SrcOf(*this));
}

Operands CopyPadFromGm::Footprint(Core& /*core*/) const {
  Operands operands;
  if (!IsNop()) {
    operands.Add(
        RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(padded_bytes()), Times(count, DstStride(*this))}));
    operands.Add(SrcOf(*this));
  }
  return operands;
}

void CopyPadFromGm::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  VectorRegisters& registers = core.registers().vector;
  if (is_pad) {
    registers.pad_value_set = true;
    registers.pad_value_bits = pad_value_bits;
  }
  const int64_t left_bytes = left_pad * element_bytes;
  const int64_t rest_bytes = padded_bytes() - left_bytes - block_bytes;
  if (left_bytes == 0 && rest_bytes == 0 && src_gap_bytes == 0 && dst_gap_blocks == 0) {
    core.gm().Read(src.begin, core.ub() + dst.begin, Unsigned(count * block_bytes));
    return;
  }
  const bool repeats_first = !is_pad && !TakesPadRegister();
  const Pieces pieces{count, block_bytes, block_bytes + src_gap_bytes, DstStride(*this)};
  if (repeats_first && IsPlain(core, src.begin, pieces, pieces.from_step)) {
    CopyPieces(reinterpret_cast<const std::byte*>(src.begin), core.ub() + dst.begin, pieces, FarSide::kFrom,
               rest_bytes > 0 ? element_bytes : 0);
    core.fetch_ahead().Add(src.begin + Unsigned(block_bytes), block_bytes, count, pieces.from_step);
    return;
  }
  if (TakesPadRegister() && !registers.pad_value_set) {
    const auto leave = [&](int64_t offset, int64_t bytes) {
      if (bytes > 0) {
        core.LeaveUndefined(RegionOf(dst, Use::kWrite, "dst",
                                     {Unsigned(offset), Unsigned(bytes), Times(count, DstStride(*this))}),
                            "left them as pads, with isPad false and no SetPadValue before it; set either");
      }
    };
    leave(0, left_bytes);
    leave(left_bytes + block_bytes, rest_bytes);
  }
  const uint64_t pad_bits = registers.pad_value_set ? registers.pad_value_bits : ~uint64_t{0};  // a NaN
  const DataBlock pads = BlockOf(pad_bits, element_bytes);
  std::byte* to = core.ub() + dst.begin;
  uint64_t from = src.begin;
  const uint64_t piece_step = Unsigned(block_bytes + src_gap_bytes);
  for (int64_t i = 0; i < count; ++i) {
    std::byte* const data = to + left_bytes;
    if (!repeats_first) {
      PutPads(pads, to, left_bytes, rest_bytes, padded_bytes());
    }
    core.gm().Read(from, data, Unsigned(block_bytes));
    if (repeats_first && rest_bytes > 0) {
      uint64_t first = 0;
      std::memcpy(&first, data, Unsigned(element_bytes));
      const DataBlock rest = BlockOf(first, element_bytes);
      const bool next_follows = i + 1 < count && dst_gap_blocks == 0;  // and is written after this
      if (next_follows) {
        std::memcpy(data + block_bytes, rest.data(), rest.size());
      } else {
        std::memcpy(data + block_bytes, rest.data(), Unsigned(rest_bytes));
      }
    }
    to += DstStride(*this);
    from += piece_step;
  }
}

InstructionTime CopyPadFromGm::TimeOn(Core& /*core*/) const {
  if (IsNop()) {
    return Cost{};
  }
  return GmPassage{SrcOf(*this), GmReadRule(Memory::kUb)};
}

void CopyPadToGm::Check(Core& core) const {
  CheckPadMove(core, count, block_bytes, element_bytes, src_gap_blocks, dst_gap_bytes);
  RequireMemory(core, "src", src, Memory::kUb, Memory::kUb);
  const CoreRegisters& registers = core.registers();
  RequireAtomicType(core);  // whatever it is, the bytes are taken as of it
  if (registers.atomic != AtomicOp::kNone) {
    const auto element = static_cast<int64_t>(registers.atomic_dtype.size_bytes());
    core.Require(block_bytes % element == 0 && dst_gap_bytes % element == 0, FaultKind::kAlignment, "dst",
                 "blocks of ", block_bytes, " bytes, ", dst_gap_bytes, " apart, cut elements of ",
                 registers.atomic_dtype.name(), ", the type of the atomic update; use multiples of ",
                 element);
  }
  RequireNotInScalarCache(core, DstOf(*this));
}

Operands CopyPadToGm::Footprint(Core& core) const {
  Operands operands;
  if (!IsNop()) {
    operands.Add(AsStoredToGm(core, DstOf(*this)));
    operands.Add(
        RegionOf(src, Use::kRead, "src", {0, Unsigned(block_bytes), Times(count, SrcStride(*this))}));
  }
  return operands;
}

void CopyPadToGm::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  const std::byte* const from = core.ub() + src.begin;
  if (dst_gap_bytes == 0 && SrcStride(*this) == block_bytes) {
    StoreToGm(core, dst.begin, from, count * block_bytes);
    return;
  }
  const int64_t from_step = SrcStride(*this);
  const uint64_t piece_step = Unsigned(block_bytes + dst_gap_bytes);
  const Pieces pieces{count, block_bytes, from_step, block_bytes + dst_gap_bytes};
  if (core.registers().atomic == AtomicOp::kNone && IsPlain(core, dst.begin, pieces, pieces.to_step)) {
    CopyPieces(from, reinterpret_cast<std::byte*>(dst.begin), pieces, FarSide::kTo);
    return;
  }
  uint64_t to = dst.begin;
  for (int64_t i = 0; i < count; ++i) {
    StoreToGm(core, to, from + i * from_step, block_bytes);
    to += piece_step;
  }
}

InstructionTime CopyPadToGm::TimeOn(Core& core) const {
  if (IsNop()) {
    return Cost{};
  }
  return GmPassage{AsStoredToGm(core, DstOf(*this)), GmWriteRule()};
}

void CopyWithinUb::Check(Core& core) const {
  RequireRange(core, "blockCount", blocks.count, 0, 4095, "split the move");
  RequireRange(core, "blockLen", blocks.length_blocks, 0, 65535, "split the move");
  RequireUb(core, "dst", {.at = dst});
  RequireUb(core, "src", {.at = src});
  const auto span = Unsigned(blocks.count * blocks.block_bytes());
  core.Require(blocks.src_gap_blocks != 0 || blocks.dst_gap_blocks != 0 || dst.begin == src.begin ||
                   dst.begin >= src.begin + span || src.begin >= dst.begin + span,
               FaultKind::kMisuse, "src", "overlaps dst in part: ", span, " bytes from ", src.begin,
               " and from ", dst.begin, " of UB; they must be the same bytes or share none");
}

bool CopyWithinUb::RunAtOnce(Core& core) const {
  Check(core);
  const auto end = [&](const Operand& operand, int64_t stride) {
    return operand.begin + Unsigned((blocks.count - 1) * stride + blocks.block_bytes());
  };
  if (blocks.IsNop() || !core.FitsUb(end(dst, blocks.dst_stride_bytes()), dst.limit, Use::kWrite) ||
      !core.FitsUb(end(src, blocks.src_stride_bytes()), src.limit, Use::kRead)) {
    return false;
  }
  Execute(core);
  return true;
}

Operands CopyWithinUb::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, Unsigned(blocks.block_bytes()), Times(blocks.count, blocks.dst_stride_bytes())}));
  operands.Add(RegionOf(src, Use::kRead, "src",
                        {0, Unsigned(blocks.block_bytes()), Times(blocks.count, blocks.src_stride_bytes())}));
  return operands;
}

void CopyWithinUb::Execute(Core& core) const {
  std::byte* const to = core.ub() + dst.begin;
  const std::byte* const from = core.ub() + src.begin;
  for (int64_t i = 0; i < blocks.count; ++i) {
    std::memmove(to + i * blocks.dst_stride_bytes(), from + i * blocks.src_stride_bytes(),
                 Unsigned(blocks.block_bytes()));
  }
}

Cost CopyWithinUb::TimeOn(Core& core) const {
  if (blocks.IsNop()) {
    return {};
  }
  const int64_t bytes = blocks.count * blocks.block_bytes();  // measured: KPP 910B1, 256 a cycle
  const auto extent = [&](const Operand& operand, int64_t stride) {
    return Extent{operand.begin,
                  operand.begin + Unsigned((blocks.count - 1) * stride + blocks.block_bytes())};
  };
  const Extent read = extent(src, blocks.src_stride_bytes());
  return VectorCost(core, CeilDiv(bytes, kRepeatBytes), extent(dst, blocks.dst_stride_bytes()),
                    std::span<const Extent>(&read, 1));
}

void AddUbMoveRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "moves";
  rows.push_back({kFamily,
                  Say(CopyWithinUb::kName, " (UB to UB)"),
                  std::string(Name(CopyWithinUb().pipe())),
                  "by the data block",
                  "count; blocks and gaps",
                  {Say("bytes / ", kRepeatBytes), Provenance::kMeasured, "KPP 910B1, UB_TO_UB"}});
  rows.push_back(
      {kFamily, Say(CopyPadFromGm::kName, " (GM to UB)"), std::string(Name(CopyPadFromGm().pipe())),
       "by the byte", "blocks and gaps; pads",
       CostOfParameters(soc, Say("as DataCopy, at least ", soc.gm_burst_cycles, " a block"),
                        {"gm.ub_read_latency_cycles", "gm.ub_core_bytes_per_cycle", "gm.burst_cycles"})});
  rows.push_back(
      {kFamily, Say(CopyPadToGm::kName, " (UB to GM)"), std::string(Name(CopyPadToGm().pipe())),
       "by the byte; of atomics those of the register", "blocks and gaps; atomic add, max, min",
       CostOfParameters(soc, Say("as DataCopy, at least ", soc.gm_burst_cycles, " a block"),
                        {"gm.write_latency_cycles", "gm.write_core_bytes_per_cycle", "gm.burst_cycles"})});
}

}  // namespace tilesim::isa
