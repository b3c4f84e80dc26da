// Global memory as one core sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/core/pending_updates.h"

namespace tilesim {

// One core's reads and writes of GM. Plain writes land at once. Atomic updates are gathered and land in GM
// when `Commit` is called, which the launcher does in ascending order of the cores wherever cores meet, so
// that sums of floating-point numbers do not depend on host threads. The core itself sees its own updates.
class GmWindow {
 public:
  void Read(uint64_t address, void* dst, size_t size_bytes) const;
  void Write(uint64_t address, const void* src, size_t size_bytes);
  // Are the host's bytes of the range what the core reads, and may it write there? No updates wait near.
  bool IsPlain(uint64_t address, size_t size_bytes) const { return !updates_.Near(address, size_bytes); }
  // GM[i] = GM[i] op src[i] in type `type` (int8, int16, fp16, bf16, fp32, int32); `address` is a multiple of
  // the type's size.
  void Atomic(AtomicOp op, AtomicType type, uint64_t address, const void* src, size_t count) {
    updates_.Add(op, type, address, src, count);
  }
  // Takes the memory for updates from `pool`, which other cores may use, too.
  void UsePool(std::shared_ptr<UpdateLayerPool> pool) { updates_.UsePool(std::move(pool)); }
  // Puts all gathered updates into GM.
  void Commit() { updates_.Commit(); }

 private:
  PendingUpdates updates_;
};

}  // namespace tilesim
