// What an instruction makes of bits that hold no value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/gm_window.h"
#include "sim/core/hazard.h"
#include "sim/core/undefined.h"

namespace tilesim {

// Computes an instruction twice, and between once more for each of some values that its bits without a value
// might have: bits of the results that differ hold no value either. So a result counts as a value where it is
// the same whatever those bits are (a lane that Select does not choose, a factor of 0 of whole numbers), and
// no instruction says how it treats them, but for the value that it compares elements with. What those few
// values do not tell apart passes for a value.
//
// What goes to GM, and what an instruction says must be values (Region::decides), or touches other bytes for,
// is a use. Execute is run with other values and other registers therefore, and its last run is the true one:
// it changes nothing but those and what the host sees of the last run. Memories of which the host has no
// bytes here: whatever is made of such bits holds no value.
class UndefinedRun {
 public:
  UndefinedRun(Core& core, const Computation& computation, const Operands& operands);
  // The instruction is on `pipe`. Tells the core's checker.
  void Run(Pipe pipe);

 private:
  // Bytes of the host that stand for bytes of a memory; of L0A and L0B, for whole fractals.
  struct Piece {
    Memory memory = Memory::kUb;
    uint64_t begin = 0;  // in the memory
    std::byte* host = nullptr;
    size_t bytes = 0;  // of the host
    size_t at = 0;     // of the first among all pieces'
    bool read = false;
  };

  void AddPieces(const Region& region);
  void AddPiece(Memory memory, uint64_t begin, uint64_t end, bool read);
  void Mark(const Piece& piece);
  void MarkL0(const Piece& piece);
  [[nodiscard]] bool AnyMarked() const;
  void NoteUses(const Region& region, const char* how);
  void TryValues();
  // Once more, a bit without a value as value_of(piece, byte of it) says, in GM as `gm`. False: it would
  // touch other bytes.
  template <class F>
  bool Try(std::byte gm, F&& value_of);
  // Once more each with the value that it compares elements with, and its neighbours.
  bool TryCompared();
  // What the result differs in goes to the checker.
  void Leave();
  void LeaveL0(const Piece& piece);
  // `count` bytes of a piece that hold one value, or may; `bits` of them.
  void LeaveElement(const Piece& piece, size_t first, size_t count, uint8_t* bits,
                    const UndefinedOutcome::Left& left);
  void LeaveBytes(const UndefinedOutcome::Left& left);
  void Compute() { computation_.run(computation_.op, core_, nullptr); }
  void Save(std::vector<std::byte>& to, bool l0) const;
  uint8_t* BitsOf(Memory memory);
  std::byte* HostOf(Memory memory, uint64_t begin);

  Core& core_;
  HazardChecker& hazards_;
  const Computation& computation_;
  const Operands& operands_;
  UndefinedOutcome outcome_;
  bool any_first_ = false;
  std::vector<Piece> pieces_;       // those written, then those read
  bool opaque_ = false;             // it reads such bits of a memory of which the host has no bytes here
  std::vector<uint8_t> undefined_;  // bits of all pieces
  std::vector<std::byte> before_;
  std::vector<std::byte> result_;
  std::vector<uint8_t> differs_;   // bits of what is written
  std::vector<std::byte> preset_;  // bytes of what is written, before the last try
  std::vector<uint8_t> touched_;   // bits of them that some try has changed
  std::array<uint64_t, 2> mask_differs_{};
  uint64_t result_differs_ = 0;  // of the register in which it leaves its result
  CoreRegisters registers_before_;
  CoreRegisters registers_result_;
  GmHoles holes_;
};

}  // namespace tilesim
