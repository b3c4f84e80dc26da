#include "sim/ascendc/buf_pool.h"

#include <exception>

namespace AscendC::simulator {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Pipe;

PoolRange::~PoolRange() noexcept(false) {
  const bool in_kernel = tilesim::internal::current_core != nullptr;
  if (!slots_.empty() && in_kernel && std::uncaught_exceptions() == 0) {
    Reset({});
  }
}

void PoolRange::Take(BufferSource& source, TPosition position, uint32_t length, SourceLine where) {
  const uint64_t begin = source.Allocate(position, length, {.kind = "TBufPool", .made_at = where}, where);
  begin_ = next_ = begin;
  end_ = begin + (uint64_t{length} + 31) / 32 * 32;
  buffers_ = 0;
}

void PoolRange::Share(const PoolRange& other, uint32_t length, SourceLine where) {
  Core& core = ThisCore();
  core.At("InitBufPool", Pipe::kS, where);
  core.Require(MemoryOf(position_) == MemoryOf(other.position_), FaultKind::kMisuse, "shareBuf", "lies in ",
               Name(MemoryOf(other.position_)), ", the pool is for ", Name(MemoryOf(position_)),
               "; share with a pool of the same memory");
  core.Require(length <= other.end_ - other.begin_, FaultKind::kCapacity, "len", "is ", length,
               ", the pool to share with has ", other.end_ - other.begin_, " bytes; make that one larger");
  begin_ = next_ = other.begin_;
  end_ = other.end_;
  buffers_ = 0;
}

void PoolRange::Check(TPosition position, uint64_t address, uint64_t size_bytes, SourceLine where) const {
  Core& core = ThisCore();
  core.At("InitBufHandle", Pipe::kS, where);
  core.Require(MemoryOf(position) == MemoryOf(position_), FaultKind::kMisuse, "queue", "has its buffers in ",
               Name(MemoryOf(position)), ", the pool lies in ", Name(MemoryOf(position_)),
               "; use a pool of that memory");
  core.Require(address % ONE_BLK_SIZE == 0, FaultKind::kAlignment, "address", "is ", address,
               ", which is no multiple of 32; round it up");
  core.Require(address >= begin_ && address + size_bytes <= end_, FaultKind::kCapacity, "buffer", "bytes [",
               address, ", ", address + size_bytes, ") leave the pool's range [", begin_, ", ", end_,
               "); make the pool larger or the buffer smaller");
}

void PoolRange::Adopt(int32_t slot) { slots_.push_back(slot); }

uint64_t PoolRange::Allocate(TPosition position, uint64_t size_bytes, const Holder& holder,
                             SourceLine where) {
  Core& core = ThisCore();
  core.At("InitBuffer", Pipe::kS, where);
  const uint64_t rounded = (size_bytes + 31) / 32 * 32;
  core.Require(end_ != 0, FaultKind::kQueue, "pool", "has no memory; call InitBufPool first");
  core.Require(MemoryOf(position) == MemoryOf(position_), FaultKind::kMisuse, "buffer", "of a ", holder.kind,
               " is to lie in ", Name(MemoryOf(position)), ", the pool lies in ", Name(MemoryOf(position_)),
               "; use a pool of that memory");
  core.Require(buffers_ < most_, FaultKind::kCapacity, "pool", "holds ", buffers_,
               " buffers, its bufIDSize; make that larger (up to 16)");
  core.Require(next_ + rounded <= end_, FaultKind::kCapacity, "pool", "has ", end_ - next_, " bytes left of ",
               end_ - begin_, ", ", rounded, " are asked for; make the pool larger");
  ++buffers_;
  const uint64_t offset = next_;
  next_ += rounded;
  return offset;
}

void PoolRange::Reset(SourceLine where) {
  Core& core = ThisCore();
  BufferTable& table = State(core).buffers;
  for (const int32_t slot : slots_) {
    WaitFreeFlag(core, slot, false, where);
    table.Retire(slot);
  }
  slots_.clear();
  next_ = begin_;
  buffers_ = 0;
}

}  // namespace AscendC::simulator
