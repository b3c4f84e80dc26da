// Memory of the host that costs nothing before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define TILESIM_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILESIM_ADDRESS_SANITIZER
#endif
#endif
#ifdef TILESIM_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace tilesim {

// Zeros, whose pages are taken from the system when they are first touched. The first starts a cache line, so
// that vector loads and stores never straddle two.
template <class T>
class UntouchedArray {
 public:
  explicit UntouchedArray(size_t size) : memory_(std::calloc(MemoryBytes(size), 1)), size_(size) {
    if (memory_ == nullptr) {
      throw std::bad_alloc();
    }
    const size_t past_line = reinterpret_cast<uintptr_t>(memory_) % kLineBytes;
    data_ = reinterpret_cast<T*>(static_cast<std::byte*>(memory_) + (kLineBytes - past_line));
    ForbidGaps();
  }

  UntouchedArray(UntouchedArray&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  UntouchedArray& operator=(UntouchedArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  UntouchedArray(const UntouchedArray&) = delete;
  UntouchedArray& operator=(const UntouchedArray&) = delete;
  ~UntouchedArray() {
    AllowGaps();
    std::free(memory_);
  }

  T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  static constexpr size_t kLineBytes = 64;
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kLineBytes);

  // The array, and room to start it at a cache line.
  static size_t MemoryBytes(size_t size) {
    if (size > (SIZE_MAX - kLineBytes) / sizeof(T)) {
      throw std::bad_alloc();
    }
    return size * sizeof(T) + kLineBytes;
  }

  // AddressSanitizer tells who touches the bytes of memory_ before and behind the array.
#ifdef TILESIM_ADDRESS_SANITIZER
  void ForbidGaps() {
    const auto* const begin = static_cast<std::byte*>(memory_);
    const auto* const first = reinterpret_cast<std::byte*>(data_);
    const auto* const end = reinterpret_cast<std::byte*>(data_ + size_);
    __asan_poison_memory_region(begin, static_cast<size_t>(first - begin));
    __asan_poison_memory_region(end, static_cast<size_t>(begin + MemoryBytes(size_) - end));
  }
  void AllowGaps() {
    if (memory_ != nullptr) {
      __asan_unpoison_memory_region(memory_, MemoryBytes(size_));
    }
  }
#else
  void ForbidGaps() {}
  void AllowGaps() {}
#endif

  void* memory_;  // owned; no unique_ptr, for every kernel compiles this and <memory> is as long as all else
  T* data_ = nullptr;  // in memory_, aligned
  size_t size_;
};

}  // namespace tilesim
