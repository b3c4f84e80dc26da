// A memory of the chip as one core after the other uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/untouched_array.h"

namespace tilesim {

// Clean but for what this core has written, as far as somebody has asked for it; beyond that, as other cores
// or the host left it: nobody makes or cleans what no core touches. Knows no addresses but its own.
template <class T>
class LeftMemory {
 public:
  // Clean, all elements are `clean`.
  LeftMemory(size_t size, T clean) : values_(size), clean_(clean), left_(size) {}

  // The memory, of which no byte from `end` on is read or written.
  T* UpTo(uint64_t end) {
    if (const uint64_t elements = Elements(end); known_ < elements) [[unlikely]] {
      MakeKnown(elements);
    }
    return values_.data();
  }
  // The same, where elements [overwritten, overwritten_end) are about to be written and not read before.
  T* UpTo(uint64_t end, uint64_t overwritten, uint64_t overwritten_end) {
    if (known_ < Elements(end)) [[unlikely]] {
      MakeKnown(overwritten);
      known_ = std::max(known_, overwritten_end);
    }
    return values_.data();
  }
  [[nodiscard]] size_t size() const { return values_.size(); }

  // This core is done. It has written no byte from `written` on.
  void Leave(uint64_t written) {
    const uint64_t left_by_others = known_ < left_ ? left_ : 0;
    left_ = std::min<uint64_t>(std::max(Elements(written), left_by_others), size());
    known_ = 0;
  }

 private:
  // So many have bytes below `end`.
  static uint64_t Elements(uint64_t end) { return end / sizeof(T) + (end % sizeof(T) != 0 ? 1 : 0); }

  void MakeKnown(uint64_t end) {
    if (const uint64_t most = std::min(end, left_); known_ < most) {
      std::fill(values_.data() + known_, values_.data() + most, clean_);
    }
    known_ = std::max(known_, end);
  }

  UntouchedArray<T> values_;
  T clean_;
  uint64_t known_ = 0;  // elements [known_, left_) are as others left them, the later ones clean
  uint64_t left_;
};

}  // namespace tilesim
