#include "sim/isa/sync_words.h"

#include <cstring>

#include "sim/core/gm_window.h"
#include "sim/isa/cost.h"

namespace tilesim::isa {
namespace {

constexpr uint64_t kBlockBytes = 32;

Region Of(const Operand& operand, Use use, const char* name, uint64_t bytes) {
  Region region = RegionOf(operand, use, name, {0, bytes});
  region.by_rule = operand.memory == Memory::kGm;
  return region;
}
Region SrcOf(const SyncWordsIn& move) {
  return Of(move.src, Use::kRead, "src", move.seen.size() * kBlockBytes);
}
Region DstOf(const SyncWordsOut& move) { return Of(move.dst, Use::kWrite, "dst", Unsigned(move.bytes)); }

}  // namespace

void SyncWordsIn::Check(Core& core) const { RequireMemory(core, "ub", dst, Memory::kUb, Memory::kUb); }

Operands SyncWordsIn::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(Of(dst, Use::kWrite, "dst", seen.size() * kBlockBytes));
  operands.Add(SrcOf(*this));
  return operands;
}

void SyncWordsIn::Execute(Core& core) const {
  std::byte* to = core.ub() + dst.begin;
  std::memset(to, 0, seen.size() * kBlockBytes);
  for (const int32_t word : seen) {
    std::memcpy(to, &word, sizeof(word));
    to += kBlockBytes;
  }
}

InstructionTime SyncWordsIn::TimeOn(Core& /*core*/) const {
  return GmPassage{SrcOf(*this), GmReadRule(Memory::kUb)};
}

void SyncWordsOut::Check(Core& core) const { RequireMemory(core, "ub", src, Memory::kUb, Memory::kUb); }

Operands SyncWordsOut::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(DstOf(*this));
  operands.Add(Of(src, Use::kRead, "src", Unsigned(bytes)));
  return operands;
}

void SyncWordsOut::Execute(Core& core) const {
  const std::byte* const from = core.ub() + src.begin;
  if (adds) {
    core.gm().Atomic(AtomicOp::kAdd, DType::kInt32, dst.begin, from, Unsigned(bytes) / sizeof(int32_t));
  } else {
    core.gm().Write(dst.begin, from, Unsigned(bytes));
  }
}

InstructionTime SyncWordsOut::TimeOn(Core& /*core*/) const { return GmPassage{DstOf(*this), GmWriteRule()}; }

}  // namespace tilesim::isa
