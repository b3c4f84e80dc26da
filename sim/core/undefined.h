// Bits of a core's memories that hold no value: never written, or made of such bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/instruction.h"
#include "sim/core/result_register.h"

namespace tilesim {

// What an instruction made of bits that hold no value.
struct UndefinedOutcome {
  // Bytes that it needed values of.
  struct Use {
    Region region;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint16_t origin = 0;
    const char* how = "";  // "go to GM"
  };
  std::vector<Use> uses;
  // On-chip bytes that it left without values, ascending in each memory.
  struct Left {
    Memory memory = Memory::kUb;
    uint64_t begin = 0;
    uint64_t end = 0;
    const char* why = nullptr;  // it leaves them so whatever it reads: "left them as pads, ..."
    bool untouched = false;     // it did not write them, though its footprint says so
    uint16_t origin = 0;        // it moved them here as they were; 0: they come from what it read
  };
  std::vector<Left> left;
  // Where the others come from; 0: from `first_read`, that nothing has written.
  uint16_t origin = 0;
  Left first_read;
  // Bits of the register in which it leaves its result.
  uint64_t of_result = 0;
  ResultRegister result = ResultRegister::kSum;
};

// Knows the bits; which bytes hold nothing but values, and need not be looked up here, the checker knows.
class UndefinedBits {
 public:
  // Has any instruction left bytes without values?
  [[nodiscard]] bool any() const { return any_; }
  void NoteAny() { any_ = true; }

  // A bit each of a memory's bytes as the host holds them, set: no value. `host_bytes` is their number.
  std::vector<uint8_t>& Of(Memory memory, size_t host_bytes) {
    std::vector<uint8_t>& bits = bits_[static_cast<size_t>(memory)];
    if (bits.empty()) {
      bits.resize(host_bytes, 0xFF);
    }
    return bits;
  }
  // Of CMPMASK.
  std::array<uint64_t, 2>& compare_mask() { return compare_mask_; }
  uint16_t& compare_mask_origin() { return compare_mask_origin_; }
  [[nodiscard]] bool any_of_compare_mask() const { return (compare_mask_[0] | compare_mask_[1]) != 0; }
  // Of a register of results, as VectorRegisters::BitsOf has them.
  struct OfResult {
    uint64_t bits = 0;
    uint16_t origin = 0;
  };
  OfResult& result(ResultRegister result) { return results_[static_cast<size_t>(result)]; }

  // Where the bits of a byte come from; 0: it was never written.
  [[nodiscard]] uint16_t OriginOf(Memory memory, uint64_t byte) const;
  void SetOrigin(Memory memory, uint64_t begin, uint64_t end, uint16_t origin);
  // The number of an origin; equal for equal texts.
  uint16_t NumberOf(const std::string& origin);
  // "" of 0
  [[nodiscard]] std::string TextOf(uint16_t origin) const {
    return origin == 0 ? "" : origins_[origin - size_t{1}];
  }

 private:
  static constexpr uint64_t kGrain = 32;  // bytes that have one origin, the newest

  bool any_ = false;
  std::array<std::vector<uint8_t>, kNumMemories> bits_;
  std::array<uint64_t, 2> compare_mask_{};
  uint16_t compare_mask_origin_ = 0;
  std::array<OfResult, kNumResultRegisters> results_{};
  std::array<std::vector<uint16_t>, kNumMemories> origin_of_;  // of kGrain bytes each
  std::vector<std::string> origins_;
};

}  // namespace tilesim
