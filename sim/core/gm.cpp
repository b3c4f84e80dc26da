#include "sim/core/gm.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formats/half.h"

namespace tilesim {
namespace {

std::byte* Host(uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

// Adds, maximises or minimises in T; 16-bit types round each update to the type.
template <class T>
void Update(AtomicOp op, T* dst, const T* src, size_t count) {
  if (op == AtomicOp::kAdd) {
    for (size_t i = 0; i < count; ++i) {
      dst[i] = static_cast<T>(dst[i] + src[i]);
    }
  } else if (op == AtomicOp::kMax) {
    for (size_t i = 0; i < count; ++i) {
      dst[i] = dst[i] < src[i] ? src[i] : dst[i];
    }
  } else {
    for (size_t i = 0; i < count; ++i) {
      dst[i] = src[i] < dst[i] ? src[i] : dst[i];
    }
  }
}

// The value that changes nothing: 0, or the smallest or the largest value.
template <class T>
T Identity(AtomicOp op) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return op == AtomicOp::kAdd   ? 0
           : op == AtomicOp::kMax ? std::numeric_limits<int32_t>::min()
                                  : std::numeric_limits<int32_t>::max();
  } else {
    const float infinity = std::numeric_limits<float>::infinity();
    return T(op == AtomicOp::kAdd ? 0.0F : op == AtomicOp::kMax ? -infinity : infinity);
  }
}

template <class F>
void WithType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFp16:
      return f(Half{});
    case DType::kBf16:
      return f(BFloat16{});
    case DType::kInt32:
      return f(int32_t{});
    default:
      return f(float{});
  }
}

// Sets bits [first, first + count).
void SetBits(std::vector<uint64_t>& bits, size_t first, size_t count) {
  size_t at = first;
  const size_t last = first + count;
  while (at < last) {
    const size_t shift = at % 64;
    const size_t here = std::min<size_t>(64 - shift, last - at);
    bits[at / 64] |= (here == 64 ? ~uint64_t{0} : ((uint64_t{1} << here) - 1)) << shift;
    at += here;
  }
}

// Calls f(first, count) for each run of set bits.
template <class F>
void ForRuns(const std::vector<uint64_t>& bits, F&& f) {
  size_t run = 0;  // length of the run that ends just before `at`
  const size_t size = bits.size() * 64;
  size_t at = 0;
  while (at < size) {
    const uint64_t word = bits[at / 64];
    if (at % 64 == 0 && (word == 0 || word == ~uint64_t{0})) {
      if (word == 0 && run != 0) {
        f(at - run, run);
      }
      run = word == 0 ? 0 : run + 64;
      at += 64;
      continue;
    }
    if ((word >> (at % 64) & 1) != 0) {
      ++run;
    } else if (run != 0) {
      f(at - run, run);
      run = 0;
    }
    ++at;
  }
  if (run != 0) {
    f(size - run, run);
  }
}

}  // namespace

const GmBuffer* GmSpace::Find(uint64_t address) const {
  for (const GmBuffer& buffer : buffers_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

void GmWindow::Read(uint64_t address, void* dst, size_t size_bytes) {
  if (!pages_.empty()) {
    CommitPagesIn(address, size_bytes);
  }
  std::memcpy(dst, Host(address), size_bytes);
}

void GmWindow::Write(uint64_t address, const void* src, size_t size_bytes) {
  if (!pages_.empty()) {
    CommitPagesIn(address, size_bytes);
  }
  std::memcpy(Host(address), src, size_bytes);
}

GmWindow::Page& GmWindow::PageFor(uint64_t page_index, AtomicOp op, DType dtype) {
  if (page_index != last_index_) {
    std::unique_ptr<Page>& slot = pages_[page_index];
    if (!slot) {
      slot = std::make_unique<Page>();
    }
    last_index_ = page_index;
    last_page_ = slot.get();
  }
  Page& page = *last_page_;
  if (page.op != op || page.dtype != dtype) {
    if (page.op != AtomicOp::kNone) {
      CommitPage(page_index, page);
    }
    page.op = op;
    page.dtype = dtype;
    page.values.resize(kPageBytes);
    page.touched.assign(kPageBytes / SizeOf(dtype) / 64, 0);
    WithType(dtype, [&](auto zero) {
      using T = decltype(zero);
      T* values = reinterpret_cast<T*>(page.values.data());
      std::fill(values, values + kPageBytes / sizeof(T), Identity<T>(op));
    });
  }
  return page;
}

void GmWindow::Atomic(AtomicOp op, DType dtype, uint64_t address, const void* src, size_t count) {
  const size_t element = SizeOf(dtype);
  const auto* from = static_cast<const std::byte*>(src);
  while (count > 0) {
    Page& page = PageFor(address >> kPageShift, op, dtype);
    const size_t first = (address & (kPageBytes - 1)) / element;
    const size_t here = std::min<size_t>(count, kPageBytes / element - first);
    WithType(dtype, [&](auto zero) {
      using T = decltype(zero);
      Update(op, reinterpret_cast<T*>(page.values.data()) + first, reinterpret_cast<const T*>(from), here);
    });
    SetBits(page.touched, first, here);
    address += here * element;
    from += here * element;
    count -= here;
  }
}

void GmWindow::CommitPage(uint64_t page_index, const Page& page) {
  WithType(page.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* gm = reinterpret_cast<T*>(Host(page_index << kPageShift));
    const T* values = reinterpret_cast<const T*>(page.values.data());
    ForRuns(page.touched,
            [&](size_t first, size_t count) { Update(page.op, gm + first, values + first, count); });
  });
}

void GmWindow::CommitPagesIn(uint64_t address, size_t size_bytes) {
  for (uint64_t index = address >> kPageShift; index <= (address + size_bytes - 1) >> kPageShift; ++index) {
    const auto found = pages_.find(index);
    if (found != pages_.end()) {
      CommitPage(index, *found->second);
      pages_.erase(found);
      last_index_ = ~uint64_t{0};
    }
  }
}

void GmWindow::Commit() {
  std::vector<uint64_t> order;  // ascending, so that a page fault in GM is met in a fixed order too
  order.reserve(pages_.size());
  for (const auto& entry : pages_) {
    order.push_back(entry.first);
  }
  std::sort(order.begin(), order.end());
  for (const uint64_t index : order) {
    CommitPage(index, *pages_[index]);
  }
  pages_.clear();
  last_index_ = ~uint64_t{0};
}

}  // namespace tilesim
