// Global memory as one core sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/pending_updates.h"

namespace tilesim {

// Bytes of GM that nobody has written, and what stands for them.
struct GmHoles {
  struct Hole {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::vector<Hole> holes;
  std::byte pattern{};
};

// One core's reads and writes of GM. Plain writes land at once. Atomic updates are gathered and land in GM
// when `Commit` is called, which the launcher does in ascending order of the cores wherever cores meet, so
// that sums of floating-point numbers do not depend on host threads. The core itself sees its own updates.
class GmWindow {
 public:
  void Read(uint64_t address, void* dst, size_t size_bytes) const;
  void Write(uint64_t address, const void* src, size_t size_bytes);
  // Are the host's bytes of the range what the core reads, and may it write there? No updates wait near.
  bool IsPlain(uint64_t address, size_t size_bytes) const {
    return holes_ == nullptr && !updates_.Near(address, size_bytes);
  }
  // Until the next call, Read finds `holes->pattern` in every byte of the holes; nullptr: GM as it is.
  void Pretend(const GmHoles* holes) { holes_ = holes; }
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
  const GmHoles* holes_ = nullptr;
};

}  // namespace tilesim
