// Memory of the host that costs nothing before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace tilesim {

// Zeros, whose pages are taken from the system when they are first touched. The first starts a cache line, so
// that vector loads and stores never straddle two.
template <class T>
class UntouchedArray {
 public:
  explicit UntouchedArray(size_t size) : memory_(std::calloc(size * sizeof(T) + kLineBytes, 1)), size_(size) {
    if (memory_ == nullptr) {
      throw std::bad_alloc();
    }
    const size_t past_line = reinterpret_cast<uintptr_t>(memory_.get()) % kLineBytes;
    data_ = reinterpret_cast<T*>(static_cast<std::byte*>(memory_.get()) + (kLineBytes - past_line));
  }

  T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr size_t kLineBytes = 64;

  std::unique_ptr<void, Free> memory_;
  T* data_ = nullptr;  // in memory_, aligned
  size_t size_;
};

}  // namespace tilesim
