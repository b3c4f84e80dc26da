// The on-chip memories of one core as the host holds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/identity.h"
#include "sim/core/instruction.h"
#include "sim/core/l0_memory.h"
#include "sim/core/left_memory.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Clean, L0A and L0B are full of zeros and the others of NaN, so that what a kernel reads and never wrote is
// the same in every run. All but those two are made and become clean as far as instructions reach. Knows no
// clock and no checks.
class CoreMemories {
 public:
  CoreMemories(const SocConfig& soc, CoreKind kind);

  L0Memory l0a;
  L0Memory l0b;

  // Clean but for what this core has written, as far as it reaches.
  std::byte* L1() { return l1_.UpTo(Reached(Memory::kL1)); }
  float* L0c() { return l0c_.UpTo(Reached(Memory::kL0C)); }
  std::byte* Bt() { return bt_.UpTo(Reached(Memory::kBt)); }
  std::byte* Fb() { return fb_.UpTo(Reached(Memory::kFb)); }
  std::byte* Ub() { return ub_.UpTo(Reached(Memory::kUb)); }
  // UB, of which bytes [begin, end) are about to be written and no others read or written. Its elements are
  // bytes.
  std::byte* UbToOverwrite(uint64_t begin, uint64_t end) {
    return ub_.UpToOverwrite(Reached(Memory::kUb), begin, end);
  }
  [[nodiscard]] size_t l1_bytes() const { return l1_.size(); }
  [[nodiscard]] size_t l0c_floats() const { return l0c_.size(); }
  [[nodiscard]] size_t ub_bytes() const { return ub_.size(); }

  // The core is about to read or write bytes up to `end`, at most.
  void Reach(Memory memory, uint64_t end) { Raise(reached_, memory, end); }
  // It can be read and written as one likes.
  void ReachAll() { reached_.fill(~uint64_t{0}); }
  // Has been written up to `end` bytes, at most.
  void NoteWrite(Memory memory, uint64_t end) { Raise(written_, memory, end); }
  // Nothing from byte `begin` on has been written since it was clean.
  [[nodiscard]] bool IsCleanFrom(Memory memory, uint64_t begin) const { return Written(memory) <= begin; }
  // The core is done, the next one finds all clean.
  void Clean();
  [[nodiscard]] bool Fits(const SocConfig& soc, CoreKind kind) const;

 private:
  using Ends = std::array<uint64_t, kNumMemories>;  // bytes

  static void Raise(Ends& ends, Memory memory, uint64_t end) {
    uint64_t& known = ends[static_cast<size_t>(memory)];
    known = known < end ? end : known;
  }
  [[nodiscard]] uint64_t Reached(Memory memory) const { return reached_[static_cast<size_t>(memory)]; }
  [[nodiscard]] uint64_t Written(Memory memory) const { return written_[static_cast<size_t>(memory)]; }

  LeftMemory<std::byte> l1_;  // of an AIC
  LeftMemory<float> l0c_;     // of an AIC
  LeftMemory<std::byte> bt_;  // of an AIC
  LeftMemory<std::byte> fb_;  // of an AIC
  LeftMemory<std::byte> ub_;  // of an AIV
  Ends reached_{};
  Ends written_{};
};

}  // namespace tilesim
