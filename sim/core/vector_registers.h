// The registers that vector instructions read and leave behind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tilesim {

struct VectorRegisters {
  // The mask. Normal mode: a bit an element of a repeat, low word first. Counter mode: `mask_low` is the
  // number of elements of the whole instruction.
  uint64_t mask_low = ~uint64_t{0};
  uint64_t mask_high = ~uint64_t{0};
  bool counter = false;

  std::array<uint64_t, 2> compare_mask{};  // CMPMASK: a bit an element, element 0 in bit 0
  bool deq_scale_set = false;
  float deq_scale = 0;  // SetDeqScale
  bool pad_value_set = false;
  uint64_t pad_value_bits = 0;  // of DataCopyPad, in the type that set it

  struct Written {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  // What vector instructions have written to UB since they were last waited for.
  std::array<Written, 8> in_flight{};
  int num_in_flight = 0;
  // What the scalar unit has written to GM and its cache still holds.
  std::vector<Written> scalar_gm_writes;
};

}  // namespace tilesim
