// Memory whose first byte starts a cache line, so that vector loads and stores never straddle two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tilesim {

// Knows nothing but where to allocate.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>& /*other*/) {}

  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* memory, size_t /*count*/) { ::operator delete(memory, kAlignment); }
  friend bool operator==(const CacheAligned&, const CacheAligned&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace tilesim
