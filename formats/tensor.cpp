#include "formats/tensor.h"

#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_whole.h"

namespace tilesim {
namespace {

// Asks the system for large pages under a large block: first touch and random access then cost half as much.
// Only advice: without them everything works the same.
void AdviseLargePages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr size_t kWorthwhileBytes = size_t{4} << 20;
  constexpr size_t kPageBytes = 4096;
  if (bytes >= kWorthwhileBytes) {
    const size_t to_first_page = (kPageBytes - reinterpret_cast<uintptr_t>(memory) % kPageBytes) % kPageBytes;
    const size_t whole_pages = (bytes - to_first_page) / kPageBytes * kPageBytes;
    (void)madvise(static_cast<std::byte*>(memory) + to_first_page, whole_pages, MADV_HUGEPAGE);
  }
#else
  (void)memory;
  (void)bytes;
#endif
}

UntouchedArray<std::byte> Storage(DType dtype, const Layout& layout) {
  const auto elements = static_cast<uint64_t>(layout.StorageElements());
  if (elements > std::numeric_limits<size_t>::max() / 4 / SizeOf(dtype)) {
    throw std::bad_alloc();
  }
  UntouchedArray<std::byte> storage(elements * SizeOf(dtype));
  AdviseLargePages(storage.data(), storage.size());
  return storage;
}

}  // namespace

Tensor::Tensor(DType dtype, Layout layout)
    : dtype_(dtype), layout_(std::move(layout)), storage_(Storage(dtype_, layout_)) {}

Tensor::Tensor(const Tensor& other) : Tensor(other.dtype_, other.layout_) {
  std::memcpy(data(), other.data(), size_bytes());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) {
    *this = Tensor(other);
  }
  return *this;
}

void Tensor::CheckType(DType asked) const {
  if (asked != dtype_) {
    throw std::logic_error(Say("tensor of ", Name(dtype_), " read as ", Name(asked)));
  }
}

double Tensor::Get(std::span<const int64_t> coord) const {
  const int64_t offset = layout_.Offset(coord);
  return VisitDType(dtype_, [&]<class T>(TypeTag<T>) {
    T element;
    std::memcpy(&element, data() + static_cast<size_t>(offset) * sizeof(T), sizeof(T));
    return static_cast<double>(element);
  });
}

void Tensor::Set(std::span<const int64_t> coord, double value) {
  const int64_t offset = layout_.Offset(coord);
  VisitDType(dtype_, [&]<class T>(TypeTag<T>) {
    T element;
    if constexpr (std::is_integral_v<T>) {
      element = NearestWhole<T>(value);
    } else {
      element = static_cast<T>(value);
    }
    std::memcpy(data() + static_cast<size_t>(offset) * sizeof(T), &element, sizeof(T));
  });
}

void Tensor::Relabel(Layout layout) {
  RequireUser(layout.StorageElements() == layout_.StorageElements(), "a tensor laid out as ", layout_.Text(),
              " holds ", layout_.StorageElements(), " elements; it cannot be taken as ", layout.Text(),
              ", which has ", layout.StorageElements());
  layout_ = std::move(layout);
}

}  // namespace tilesim
