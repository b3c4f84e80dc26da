#include "formats/strided_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tilesim {
namespace {

// Sixteen bytes, which every machine has as a vector: copying is bound by memory, not by them.
template <class T>
constexpr int64_t kLanes = static_cast<int64_t>(16 / sizeof(T));
template <class T>
struct VectorOf {
  using Type [[gnu::vector_size(16)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::Type;
// A block is a cache line of elements on both edges, so that each line is read and written once.
template <class T>
constexpr int64_t kBlock = static_cast<int64_t>(64 / sizeof(T));

// a[first], b[first], a[first + 1], b[first + 1], ...
template <class T, size_t... Lane>
Vector<T> Interleaved(Vector<T> a, Vector<T> b, size_t first, std::index_sequence<Lane...>) {
  if (first == 0) {
    return __builtin_shufflevector(a, b, (Lane / 2 + Lane % 2 * sizeof...(Lane))...);
  }
  return __builtin_shufflevector(a, b, (Lane / 2 + sizeof...(Lane) / 2 + Lane % 2 * sizeof...(Lane))...);
}

// dst[i * dst_stride + j] = src[j * src_stride + i] for i, j < kLanes<T>.
// A stage sends (row, lane) to (row * 2 + lane's top bit, lane * 2 + row's top bit); log2(lanes) of them swap
// the two.
template <class T>
void TransposeTile(const T* src, int64_t src_stride, T* dst, int64_t dst_stride) {
  constexpr int64_t kWidth = kLanes<T>;
  constexpr std::make_index_sequence<kWidth> kAll;
  Vector<T> rows[kWidth];
  for (int64_t j = 0; j < kWidth; ++j) {
    std::memcpy(&rows[j], src + j * src_stride, sizeof rows[j]);
  }
  for (int64_t stage = kWidth; stage > 1; stage /= 2) {
    Vector<T> next[kWidth];
    for (int64_t j = 0; j < kWidth / 2; ++j) {
      next[2 * j] = Interleaved<T>(rows[j], rows[j + kWidth / 2], 0, kAll);
      next[2 * j + 1] = Interleaved<T>(rows[j], rows[j + kWidth / 2], kWidth / 2, kAll);
    }
    std::copy_n(next, kWidth, rows);
  }
  for (int64_t i = 0; i < kWidth; ++i) {
    std::memcpy(dst + i * dst_stride, &rows[i], sizeof rows[i]);
  }
}

// A block of ni x nj elements, ni and nj at most kBlock.
template <class T>
void TransposeBlock(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t ni, int64_t nj) {
  constexpr int64_t kWidth = kLanes<T>;
  int64_t i = 0;
  for (; i + kWidth <= ni; i += kWidth) {
    int64_t j = 0;
    for (; j + kWidth <= nj; j += kWidth) {
      TransposeTile(src + j * src_stride + i, src_stride, dst + i * dst_stride + j, dst_stride);
    }
    for (; j < nj; ++j) {
      for (int64_t k = i; k < i + kWidth; ++k) {
        dst[k * dst_stride + j] = src[j * src_stride + k];
      }
    }
  }
  for (; i < ni; ++i) {
    for (int64_t j = 0; j < nj; ++j) {
      dst[i * dst_stride + j] = src[j * src_stride + i];
    }
  }
}

// Loop `across` is contiguous in src, loop `along` in dst.
template <class T>
void Transpose(const T* src, T* dst, const BoxDim& across, const BoxDim& along) {
  constexpr int64_t kEdge = kBlock<T>;
  for (int64_t i = 0; i < across.count; i += kEdge) {
    const int64_t ni = std::min(kEdge, across.count - i);
    for (int64_t j = 0; j < along.count; j += kEdge) {
      const int64_t nj = std::min(kEdge, along.count - j);
      TransposeBlock(src + j * along.src_stride + i, along.src_stride, dst + i * across.dst_stride + j,
                     across.dst_stride, ni, nj);
    }
  }
}

// `row` is contiguous on both sides: `rows` of them.
template <class T>
void CopyRuns(const T* src, T* dst, const BoxDim& rows, int64_t length) {
  const auto copy = [&](auto bytes) {
    for (int64_t i = 0; i < rows.count; ++i) {
      std::memcpy(dst + i * rows.dst_stride, src + i * rows.src_stride, bytes);
    }
  };
  const size_t bytes = static_cast<size_t>(length) * sizeof(T);
  if (bytes == 32) {  // a data block, the usual run between blocked formats
    copy(std::integral_constant<size_t, 32>());
  } else {
    copy(bytes);
  }
}

template <class T>
void CopyStrided(const T* src, T* dst, const BoxDim& rows, const BoxDim& row) {
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t j = 0; j < row.count; ++j) {
      dst[i * rows.dst_stride + j * row.dst_stride] = src[i * rows.src_stride + j * row.src_stride];
    }
  }
}

template <class T>
void CopyElements(const Box& box, const T* src, T* dst) {
  BoxDim loops[Box::kMaxRank + 2] = {};  // two loops at least: those of one step come first
  const size_t padding = 2 - std::min<size_t>(box.dims().size(), 2);
  const size_t rank = static_cast<size_t>(std::ranges::copy(box.dims(), loops + padding).out - loops);
  // The last loop is the fastest in dst; the fastest in src comes before it, unless they are the same.
  BoxDim* const last = loops + rank - 1;
  const auto shorter = [](const BoxDim& a, const BoxDim& b) {
    return (a.count == 1 ? INT64_MAX : a.src_stride) < (b.count == 1 ? INT64_MAX : b.src_stride);
  };
  BoxDim* const fastest = std::min_element(loops, last + 1, shorter);
  if (fastest != last) {
    std::rotate(fastest, fastest + 1, last);
  }
  const BoxDim& before = *(last - 1);
  const bool runs = last->src_stride == 1 && last->dst_stride == 1;
  const bool transposed = before.src_stride == 1 && last->dst_stride == 1;
  ForEachStep(std::span<const BoxDim>(loops, rank - 2), box.src_base, box.dst_base,
              [&](int64_t from, int64_t to) {
                if (runs) {
                  CopyRuns(src + from, dst + to, before, last->count);
                } else if (transposed) {
                  Transpose(src + from, dst + to, before, *last);
                } else {
                  CopyStrided(src + from, dst + to, before, *last);
                }
              });
}

}  // namespace

void CopyBox(const Box& box, size_t element_bytes, const std::byte* src, std::byte* dst) {
  const auto copy = [&](auto zero) {
    using T = decltype(zero);
    CopyElements(box, reinterpret_cast<const T*>(src), reinterpret_cast<T*>(dst));
  };
  switch (element_bytes) {
    case 1:
      return copy(uint8_t{0});
    case 2:
      return copy(uint16_t{0});
    case 4:
      return copy(uint32_t{0});
    case 8:
      return copy(uint64_t{0});
    default:
      throw std::logic_error("CopyBox: elements of 1, 2, 4 or 8 bytes only");
  }
}

}  // namespace tilesim
