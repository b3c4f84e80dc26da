#include "sim/core/pending_updates.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "formats/half.h"

namespace tilesim {
namespace {

std::byte* Host(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

template <class T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(static_cast<void*>(&value), at, sizeof(T));
  return value;
}

template <class T, class F>
void ForElements(std::byte* dst, const std::byte* src, size_t count, F&& f) {
  for (size_t at = 0; at < count * sizeof(T); at += sizeof(T)) {
    const T value = f(Load<T>(dst + at), Load<T>(src + at));
    std::memcpy(dst + at, static_cast<const void*>(&value), sizeof(T));
  }
}

// Adds, maximises or minimises `count` elements, whatever type their bytes were stored as; 16-bit types round
// each update to the type.
template <class T>
void Update(AtomicOp op, std::byte* dst, const std::byte* src, size_t count) {
  if (op == AtomicOp::kAdd) {
    ForElements<T>(dst, src, count, [](T a, T b) {
      if constexpr (std::is_integral_v<T>) {  // wraps around
        return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
      } else {
        return static_cast<T>(a + b);
      }
    });
  } else if (op == AtomicOp::kMax) {
    ForElements<T>(dst, src, count, [](T a, T b) { return a < b ? b : a; });
  } else {
    ForElements<T>(dst, src, count, [](T a, T b) { return b < a ? b : a; });
  }
}

template <class F>
void WithType(AtomicType type, F&& f) {
  if (!type.dtype()) {
    return type == AtomicType::Int8() ? f(int8_t{}) : f(int16_t{});
  }
  switch (*type.dtype()) {
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

// Calls f(word, mask) for the bits [first, last).
template <class Bits, class F>
void ForWords(Bits& bits, size_t first, size_t last, F&& f) {
  while (first < last) {
    const size_t shift = first % 64;
    const size_t here = std::min<size_t>(64 - shift, last - first);
    f(bits[first / 64], (here == 64 ? ~uint64_t{0} : ((uint64_t{1} << here) - 1)) << shift);
    first += here;
  }
}

// Calls f(first, count) for each run of set bits among [at, last).
template <class Bits, class F>
void ForRuns(const Bits& bits, size_t at, size_t last, F&& f) {
  size_t run = 0;  // length of the run that ends just before `at`
  while (at < last) {
    const uint64_t word = bits[at / 64];
    const bool whole = at % 64 == 0 && last - at >= 64 && (word == 0 || word == ~uint64_t{0});
    const bool set = (word >> (at % 64) & 1) != 0;
    if (!set && run != 0) {
      f(at - run, run);
      run = 0;
    }
    const size_t step = whole ? 64 : 1;
    run += set ? step : 0;
    at += step;
  }
  if (run != 0) {
    f(last - run, run);
  }
}

// May two updates of one element become one? Each sum in a 16-bit type rounds, and that shows.
bool Joins(AtomicOp op, AtomicType type) {
  return op != AtomicOp::kAdd || !(type == DType::kFp16 || type == DType::kBf16);
}

}  // namespace

bool PendingUpdates::Touches(const Layer& layer, uint64_t begin, uint64_t end) {
  const uint64_t element = layer.type.size_bytes();
  bool any = false;
  ForWords(layer.touched, begin / element, (end + element - 1) / element,
           [&](const uint64_t& word, uint64_t mask) { any = any || (word & mask) != 0; });
  return any;
}

PendingUpdates::Layer& PendingUpdates::LayerFor(uint64_t page_index, AtomicOp op, AtomicType type,
                                                uint64_t begin, uint64_t end) {
  Page& page = pages_[page_index];
  low_ = std::min(low_, page_index << kPageShift);
  high_ = std::max(high_, (page_index + 1) << kPageShift);
  for (size_t i = page.size(); i-- > 0;) {
    const bool alike = page[i]->op == op && page[i]->type == type;
    if (alike && Joins(op, type)) {
      return *page[i];
    }
    if (Touches(*page[i], begin, end)) {
      break;  // these must come before
    }
    if (alike) {
      return *page[i];
    }
  }
  if (!pool_) {
    pool_ = std::make_shared<UpdateLayerPool>();
  }
  page.push_back(pool_->Take(op, type));
  return *page.back();
}

void PendingUpdates::Add(AtomicOp op, AtomicType type, uint64_t address, const void* src, size_t count) {
  const size_t element = type.size_bytes();
  const auto* from = static_cast<const std::byte*>(src);
  while (count > 0) {
    const uint64_t at = address & (kPageBytes - 1);
    const size_t first = at / element;
    const size_t here = std::min<size_t>(count, kPageBytes / element - first);
    Layer& layer = LayerFor(address >> kPageShift, op, type, at, at + here * element);
    WithType(type, [&](auto zero) {
      using T = decltype(zero);
      std::byte* const to = layer.values.data();
      size_t done = first;
      const auto take = [&](size_t end) {  // the first updates of [done, end)
        std::memcpy(to + done * sizeof(T), from + (done - first) * sizeof(T), (end - done) * sizeof(T));
      };
      ForRuns(layer.touched, first, first + here, [&](size_t run, size_t length) {
        take(run);
        Update<T>(op, to + run * sizeof(T), from + (run - first) * sizeof(T), length);
        done = run + length;
      });
      take(first + here);
    });
    ForWords(layer.touched, first, first + here, [](uint64_t& word, uint64_t mask) { word |= mask; });
    address += here * element;
    from += here * element;
    count -= here;
  }
}

template <class Pages, class F>
void PendingUpdates::ForPages(Pages& pages, uint64_t address, size_t size_bytes, F&& f) {
  const uint64_t end = address + size_bytes;
  for (uint64_t at = address; at < end;) {
    const uint64_t page_address = at & ~(kPageBytes - 1);
    const uint64_t next = std::min(end, page_address + kPageBytes);
    const auto found = pages.find(at >> kPageShift);
    if (found != pages.end()) {
      f(found->second, page_address, at - page_address, next - page_address);
    }
    at = next;
  }
}

void PendingUpdates::Overlay(uint64_t address, void* bytes, size_t size_bytes) const {
  ForPages(pages_, address, size_bytes, [&](const Page& page, uint64_t base, uint64_t begin, uint64_t end) {
    std::byte* to = static_cast<std::byte*>(bytes) + (base + begin - address);
    // whole words, so that elements of which the range has a part can be updated
    const uint64_t low = begin / 4 * 4;
    const uint64_t high = (end + 3) / 4 * 4;
    std::vector<std::byte> copy(high - low);
    std::memcpy(copy.data() + (begin - low), to, end - begin);
    for (uint64_t at = low; at < high; ++at) {
      const bool outside = at < begin || at >= end;
      const auto holds = [&](const auto& layer) { return Touches(*layer, at, at + 1); };
      if (outside && std::any_of(page.begin(), page.end(), holds)) {
        copy[at - low] = *Host(base + at);
      }
    }
    for (const std::unique_ptr<Layer>& layer : page) {
      WithType(layer->type, [&](auto zero) {
        using T = decltype(zero);
        ForRuns(layer->touched, low / sizeof(T), high / sizeof(T), [&](size_t first, size_t count) {
          const size_t at = first * sizeof(T);
          Update<T>(layer->op, copy.data() + (at - low), layer->values.data() + at, count);
        });
      });
    }
    std::memcpy(to, copy.data() + (begin - low), end - begin);
  });
}

void PendingUpdates::Fold(Page& page, uint64_t page_address, uint64_t begin, uint64_t end) {
  for (const std::unique_ptr<Layer>& layer : page) {
    WithType(layer->type, [&](auto zero) {
      using T = decltype(zero);
      ForRuns(layer->touched, begin / sizeof(T), end / sizeof(T), [&](size_t first, size_t count) {
        const size_t at = first * sizeof(T);
        Update<T>(layer->op, Host(page_address + at), layer->values.data() + at, count);
      });
      ForWords(layer->touched, begin / sizeof(T), end / sizeof(T),
               [](uint64_t& word, uint64_t mask) { word &= ~mask; });
    });
  }
}

void PendingUpdates::Forget(uint64_t address, size_t size_bytes) {
  ForPages(pages_, address, size_bytes, [&](Page& page, uint64_t base, uint64_t begin, uint64_t end) {
    if (begin % 4 != 0) {
      Fold(page, base, begin / 4 * 4, begin / 4 * 4 + 4);
    }
    if (end % 4 != 0) {
      Fold(page, base, end / 4 * 4, end / 4 * 4 + 4);
    }
    for (const std::unique_ptr<Layer>& layer : page) {
      const size_t element = layer->type.size_bytes();
      ForWords(layer->touched, (begin + 3) / 4 * 4 / element, end / 4 * 4 / element,
               [](uint64_t& word, uint64_t mask) { word &= ~mask; });
    }
  });
}

void PendingUpdates::Commit() {
  if (pages_.empty()) {
    return;
  }
  std::vector<uint64_t> order;
  order.reserve(pages_.size());
  for (const auto& entry : pages_) {
    order.push_back(entry.first);
  }
  std::sort(order.begin(), order.end());
  for (const uint64_t index : order) {
    Page& page = pages_[index];
    Fold(page, index << kPageShift, 0, kPageBytes);
    pool_->Give(std::move(page));
  }
  pages_.clear();
  low_ = ~uint64_t{0};
  high_ = 0;
}

}  // namespace tilesim
