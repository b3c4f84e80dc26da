// The registers that vector instructions read and leave behind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/result_register.h"

namespace tilesim {

// Bytes of UB that a pipe touched since it was last waited for; beyond some pieces, all between them, too.
class UbInFlight {
 public:
  void Add(uint64_t begin, uint64_t end) {
    if (size_ == pieces_.size()) {
      Piece& last = pieces_.back();
      last = {begin < last.begin ? begin : last.begin, end > last.end ? end : last.end};
    } else {
      pieces_[size_++] = {begin, end};
    }
  }
  void Clear() { size_ = 0; }
  [[nodiscard]] bool Meets(uint64_t begin, uint64_t end) const {
    for (size_t i = 0; i < size_; ++i) {
      if (pieces_[i].begin < end && begin < pieces_[i].end) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::array<Piece, 8> pieces_{};
  size_t size_ = 0;
};

struct VectorRegisters {
  // The mask: a bit an element of a repeat, low word first; counter mode: `mask_low` elements in all.
  uint64_t mask_low = ~uint64_t{0};
  uint64_t mask_high = ~uint64_t{0};
  bool counter = false;
  bool saturate_whole_numbers = false;  // CTRL[53]: sums and products of integers do not wrap around

  std::array<uint64_t, 2> compare_mask{};  // CMPMASK: a bit an element, element 0 in bit 0
  bool wrap_casts = false;                 // CTRL[59]: casts to integers keep the low bits
  bool lrelu_mode = false;                 // CTRL[50]: no modelled instruction reads it
  int64_t kept_elements = 0;               // by the last GatherMask
  // Of the last ReduceSum of a count, and of the last instruction that found the largest or the least of each
  // repeat: the best of all, and its lane, counted from the first repeat's first one.
  uint32_t reduced_sum_bits = 0;
  uint32_t reduced_best_bits = 0;
  uint32_t reduced_best_index = 0;

  // SetDeqScale: one scale as fp16; a scale, offset and sign for all (`dequant_one`, as in vector_dequant.h);
  // or the place in UB of 16 of these. The one that came last is set. The fp16 scale stays for AddDeqRelu.
  bool deq_scale_set = false;
  bool dequant_one_set = false;
  bool dequant_list_set = false;
  bool has_deq_scale = false;  // deq_scale holds one, though another may have come since
  float deq_scale = 0;
  uint64_t dequant_one = 0;
  uint64_t dequant_list = 0;  // bytes
  bool has_merged = false;
  std::array<uint16_t, 4> merged_pairs{};  // that each queue gave to the last MrgSort
  bool pad_value_set = false;
  uint64_t pad_value_bits = 0;  // of DataCopyPad, in the type that set it

  // All bits of a register of results, its words one behind the other, the first lowest.
  [[nodiscard]] uint64_t BitsOf(ResultRegister result) const {
    return result == ResultRegister::kSum ? reduced_sum_bits
           : result == ResultRegister::kBest
               ? uint64_t{reduced_best_index} << 32 | reduced_best_bits
               : merged_pairs[0] | uint64_t{merged_pairs[1]} << 16 | uint64_t{merged_pairs[2]} << 32 |
                     uint64_t{merged_pairs[3]} << 48;
  }

  // What the compiler orders by itself on vector cores.
  UbInFlight written_by_v;
  UbInFlight moved_by_mte2;
  UbInFlight moved_by_mte3;
};

}  // namespace tilesim
