#include "sim/core/left_memory.h"

#include <algorithm>

namespace tilesim {

template <class T>
void LeftMemory<T>::Leave(uint64_t written_bytes) {
  const uint64_t left_by_others = known_ < left_ ? left_ : 0;
  left_ = std::min<uint64_t>(std::max(Elements(written_bytes), left_by_others), size());
  known_ = 0;
}

template <class T>
void LeftMemory<T>::MakeKnown(uint64_t end_elements) {
  if (const uint64_t most = std::min(end_elements, left_); known_ < most) {
    std::fill(values_.data() + known_, values_.data() + most, clean_);
  }
  known_ = std::max(known_, end_elements);
}

template class LeftMemory<std::byte>;
template class LeftMemory<float>;

}  // namespace tilesim
