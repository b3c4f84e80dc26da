// A memory of the chip as one core after the other uses it.
#pragma once

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

  // The memory, of which no byte from `end_bytes` on is read or written.
  T* UpTo(uint64_t end_bytes) {
    if (const uint64_t elements = Elements(end_bytes); known_ < elements) [[unlikely]] {
      MakeKnown(elements);
    }
    return values_.data();
  }
  // The same, where the elements [begin_elements, end_elements) are about to be written and not read before.
  T* UpToOverwrite(uint64_t end_bytes, uint64_t begin_elements, uint64_t end_elements) {
    if (known_ < Elements(end_bytes)) [[unlikely]] {
      MakeKnown(begin_elements);
      known_ = known_ < end_elements ? end_elements : known_;
    }
    return values_.data();
  }
  [[nodiscard]] size_t size() const { return values_.size(); }

  // This core is done. It has written no byte from `written_bytes` on.
  void Leave(uint64_t written_bytes);

 private:
  // So many have bytes below `end_bytes`.
  static uint64_t Elements(uint64_t end_bytes) {
    return end_bytes / sizeof(T) + (end_bytes % sizeof(T) != 0 ? 1 : 0);
  }

  void MakeKnown(uint64_t end_elements);

  UntouchedArray<T> values_;
  T clean_;
  uint64_t known_ = 0;  // elements [known_, left_) are as others left them, the later ones clean
  uint64_t left_;
};

extern template class LeftMemory<std::byte>;
extern template class LeftMemory<float>;

}  // namespace tilesim
