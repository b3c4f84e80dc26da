#ifndef TILESIM_FORMATS_TENSOR_H_
#define TILESIM_FORMATS_TENSOR_H_

// A tensor on the host: data type, layout, bytes. Knows no file, no chip memory and no arithmetic.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "formats/untouched_array.h"

namespace tilesim {

class Tensor {
 public:
  // Zero-initialised: elements and padding. The pages of a large tensor are taken from the system when first
  // touched. Throws std::bad_alloc when there is no room.
  Tensor(DType dtype, Layout layout);
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  ~Tensor() = default;

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  // The storage, aligned to 64 bytes; size_bytes() = layout().StorageElements() * SizeOf(dtype()).
  std::byte* data() { return storage_.data(); }
  [[nodiscard]] const std::byte* data() const { return storage_.data(); }
  [[nodiscard]] size_t size_bytes() const {
    return static_cast<size_t>(layout_.StorageElements()) * SizeOf(dtype_);
  }

  // The storage as elements. T is the C++ type of dtype(); std::logic_error otherwise.
  template <class T>
  std::span<T> As() {
    CheckType(kDTypeOf<T>);
    return {reinterpret_cast<T*>(storage_.data()), static_cast<size_t>(layout_.StorageElements())};
  }
  template <class T>
  [[nodiscard]] std::span<const T> As() const {
    CheckType(kDTypeOf<T>);
    return {reinterpret_cast<const T*>(storage_.data()), static_cast<size_t>(layout_.StorageElements())};
  }

  // One element by logical coordinate, as a double (exact, but for int64 beyond 2^53: of those see As()).
  [[nodiscard]] double Get(std::span<const int64_t> coord) const;
  [[nodiscard]] double Get(std::initializer_list<int64_t> coord) const {
    return Get(std::span(coord.begin(), coord.size()));
  }
  // Rounds once to the type, to nearest even. Whole types: to the nearest they hold, NaN to 0.
  void Set(std::span<const int64_t> coord, double value);
  void Set(std::initializer_list<int64_t> coord, double value) {
    Set(std::span(coord.begin(), coord.size()), value);
  }

  // The same bytes under another layout of as many storage elements, e.g. NCHW as NCDHW with d = 1; UserError
  // otherwise.
  void Relabel(Layout layout);

 private:
  void CheckType(DType asked) const;

  DType dtype_;
  Layout layout_;
  UntouchedArray<std::byte> storage_;
};

// The same elements in another layout of the same logical extents (and groups); padding is zero.
// Copies runs and transposes blocks, at about the speed of memory (several GB/s). UserError when the extents
// differ.
Tensor Converted(const Tensor& src, const Layout& to);
// The tensor itself if its elements stand in canonical order, else `copy`, which then is one whose do.
const Tensor& Canonical(const Tensor& tensor, std::optional<Tensor>& copy);

// The same tensor in another type: floating types round once from float, to nearest even; infinities and NaN
// are kept where the type has them. Padding is converted with the rest (0 stays 0).
Tensor Rounded(const Tensor& src, DType dtype);

// Fills with numbers spread evenly over lo..hi, rounded to the type. The value at a coordinate depends only
// on the seed, its logical index, lo, hi and the type: every layout, machine and order gives the same.
// Padding stays as it is. See formats/random.h for the numbers.
void FillRandom(Tensor& dst, uint64_t seed, double lo, double hi);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_TENSOR_H_
