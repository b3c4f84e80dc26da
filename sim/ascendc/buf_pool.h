// TBufPool: a part of a memory that is divided among queues and buffers of its own, as a TPipe divides the
// whole; and what a kernel's own pool is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ascendc/queue_buffers.h"
#include "sim/ascendc/tpipe.h"
#include "sim/core/source_line.h"

namespace AscendC {

namespace simulator {

// The bytes of a memory that a pool has, and its buffers in them.
class PoolRange final : public BufferSource {
 public:
  // `most`: buffers it can hold.
  PoolRange(TPosition position, uint32_t most) : position_(position), most_(most) {}
  PoolRange(const PoolRange&) = delete;
  PoolRange& operator=(const PoolRange&) = delete;
  // Resets, where a buffer is left.
  ~PoolRange() noexcept(false);

  // `length` bytes of `source`; or the start of those that `other` has, up to their end.
  void Take(BufferSource& source, TPosition position, uint32_t length, SourceLine where);
  void Share(const PoolRange& other, uint32_t length, SourceLine where);
  // A fault unless a buffer there lies within the range, at a position in its memory.
  void Check(TPosition position, uint64_t address, uint64_t size_bytes, SourceLine where) const;

  uint64_t Allocate(TPosition position, uint64_t size_bytes, const Holder& holder, SourceLine where) override;
  void Adopt(int32_t slot) override;
  // Waits for the flags of its free buffers, then all is free; its queues need InitBuffer again.
  void Reset(SourceLine where);

  uint64_t next() const { return next_; }
  void set_next(uint64_t address) { next_ = address; }
  uint32_t buffers() const { return buffers_; }
  void set_buffers(uint32_t buffers) { buffers_ = buffers; }

 private:
  TPosition position_;
  uint32_t most_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t next_ = 0;  // the first free byte
  uint32_t buffers_ = 0;
  std::vector<int32_t> slots_;  // of its queues' buffers
};

}  // namespace simulator

// For VECIN, VECOUT, VECCALC, A1, B1 or C1; its queues' and buffers' positions must lie in the same memory.
// `bufIDSize`: buffers it can hold, up to 16. Where pools share bytes, Reset one before another is filled.
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
  static_assert(simulator::MemoryOf(pos) == tilesim::Memory::kUb ||
                    simulator::MemoryOf(pos) == tilesim::Memory::kL1,
                "a TBufPool lies in UB or L1");
  static_assert(bufIDSize <= 16, "a TBufPool holds at most 16 buffers");

 public:
  static constexpr TPosition poolPos = pos;
  static constexpr uint32_t bufIDSizeOfPool = bufIDSize;
  static constexpr bool isTbufPool = true;

  template <class Queue>
  bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, SourceLine where = SourceLine::Here()) {
    queue.InitOn(range_, num, len, where);
    return true;
  }
  template <TPosition bufPos>
  bool InitBuffer(TBuf<bufPos>& buffer, uint32_t len, SourceLine where = SourceLine::Here()) {
    buffer.InitOn(range_, len, where);
    return true;
  }
  template <class Pool>
  bool InitBufPool(Pool& pool, uint32_t len, SourceLine where = SourceLine::Here()) {
    pool.range().Take(range_, Pool::poolPos, len, where);
    return true;
  }
  template <class Pool, class Shared>
  bool InitBufPool(Pool& pool, uint32_t len, Shared& shareBuf, SourceLine where = SourceLine::Here()) {
    pool.range().Share(shareBuf.range(), len, where);
    return true;
  }
  void Reset(SourceLine where = SourceLine::Here()) { range_.Reset(where); }

  simulator::PoolRange& range() { return range_; }

 private:
  simulator::PoolRange range_{pos, bufIDSize};
};

}  // namespace AscendC

// Inside a class of the kernel: makes it a pool that divides its range itself, by InitStartBufHandle and
// InitBufHandle of a queue. Addresses are bytes of the memory.
#define EXTERN_IMPL_BUFPOOL(CLASS, POSITION, BUFID_SIZE)                                               \
 public:                                                                                               \
  [[maybe_unused]] static constexpr AscendC::TPosition poolPos = (POSITION);                           \
  [[maybe_unused]] static constexpr uint32_t bufIDSize = (BUFID_SIZE);                                 \
  [[maybe_unused]] static constexpr bool isTbufPool = true;                                            \
  void Reset(tilesim::SourceLine where = tilesim::SourceLine::Here()) { tilesim_range_.Reset(where); } \
  void Init() {}                                                                                       \
  AscendC::TBufHandle GetBufHandle(uint8_t buffer) { return tilesim_handles_ + buffer; }               \
  void SetCurAddr(uint32_t address) { tilesim_range_.set_next(address); }                              \
  uint32_t GetCurAddr() { return static_cast<uint32_t>(tilesim_range_.next()); }                       \
  void SetCurBufSize(uint8_t buffers) { tilesim_range_.set_buffers(buffers); }                         \
  uint8_t GetCurBufSize() { return static_cast<uint8_t>(tilesim_range_.buffers()); }                   \
  AscendC::simulator::PoolRange& range() { return tilesim_range_; }                                    \
                                                                                                       \
 private:                                                                                              \
  AscendC::simulator::PoolRange tilesim_range_{(POSITION), (BUFID_SIZE)};                              \
  uint8_t tilesim_handles_[(BUFID_SIZE)] = {};                                                         \
                                                                                                       \
 public:
