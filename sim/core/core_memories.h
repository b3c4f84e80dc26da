// The on-chip memories of one core as the host holds them, and a place where cores leave them to each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/cache_aligned.h"
#include "sim/core/identity.h"
#include "sim/core/instruction.h"
#include "sim/core/l0_memory.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Clean, L1, UB and L0C are full of NaN and L0A and L0B of zeros, so that what a kernel reads and never wrote
// is the same in every run. UB of another core becomes clean when it is asked for: what is written over
// before anybody reads it need not. Knows no clock and no checks.
class CoreMemories {
 public:
  CoreMemories(const SocConfig& soc, CoreKind kind);

  AlignedVector<std::byte> l1;  // of an AIC
  L0Memory l0a;
  L0Memory l0b;
  AlignedVector<float> l0c;

  // UB of an AIV, clean but for what this core has written.
  std::byte* Ub() {
    if (ub_known_ < ub_left_) [[unlikely]] {
      CleanUb(ub_left_);
    }
    return ub_.data();
  }
  // UB, of which bytes [begin, end) are about to be written and no others read or written.
  std::byte* UbToOverwrite(uint64_t begin, uint64_t end) {
    if (ub_known_ < ub_left_) [[unlikely]] {
      CleanUb(begin);
      ub_known_ = end > ub_known_ ? end : ub_known_;
    }
    return ub_.data();
  }
  [[nodiscard]] size_t ub_bytes() const { return ub_.size(); }

  // Has been written up to `end` bytes, at most.
  void NoteWrite(Memory memory, uint64_t end) {
    uint64_t& written = written_[static_cast<size_t>(memory)];
    written = written < end ? end : written;
  }
  // Nothing from byte `begin` on has been written since it was clean.
  [[nodiscard]] bool IsCleanFrom(Memory memory, uint64_t begin) const { return Written(memory) <= begin; }
  // Makes what was written clean again; UB as soon as somebody asks for it.
  void Clean();
  [[nodiscard]] bool Fits(const SocConfig& soc, CoreKind kind) const;

 private:
  [[nodiscard]] uint64_t Written(Memory memory) const { return written_[static_cast<size_t>(memory)]; }

  // Cleans UB up to `end`.
  void CleanUb(uint64_t end);

  AlignedVector<std::byte> ub_;
  uint64_t ub_known_ = 0;  // bytes [ub_known_, ub_left_) of UB are as another core left them
  uint64_t ub_left_ = 0;
  std::array<uint64_t, kNumMemories> written_{};  // bytes
};

}  // namespace tilesim
