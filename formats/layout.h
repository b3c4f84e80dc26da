#ifndef TILESIM_FORMATS_LAYOUT_H_
#define TILESIM_FORMATS_LAYOUT_H_

// Data formats: where the element of a logical coordinate lies in memory. The only place that knows.
//
// A format is a list of digits, outermost first. A digit is a whole logical axis, or the outer or inner part
// of an axis split by C0 (elements of a data block) or by 16 (rows of a fractal). So NDC1HWC0 is N, D, C/C0,
// H, W, C%C0. To add a format: enumerator here, row in layout.cpp, known places in
// tests/formats/layout_test.cpp.
//
// Logical coordinates have one order, the canonical one, whatever the format:
//   features (n,c,d,h,w) or (n,c,h,w);  matrices (m,n);  ND of other ranks (a,b,...);
//   filters  (o,i,d,h,w) or (o,i,h,w): o = output channel over all groups, i = input channel within its
//   group.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

enum class Format : uint8_t {
  kNCDHW,
  kNDHWC,
  kNCHW,
  kNHWC,
  kOIDHW,
  kDHWIO,
  kOIHW,
  kHWIO,
  kNDC1HWC0,
  kNC1HWC0,
  kFractalZ3D,  // filters: groups, D, I/C0, H, W, O/16, O%16, I%C0
  kFractalZ,    // the same of a 2-D filter
  kND,          // row-major: matrices, and tensors of 1 or 3 to 6 axes (a,b,c,d,e,f)
  kFractalNZ,   // N/C0, M/16, M%16, N%C0. With C0 = 16: the accumulator's Nz, whatever its element
  kZZ,          // M/16, N/C0, M%16, N%C0: the left operand (M x K) of the cube; N is K
  kNZ,          // M/C0, N/16, N%16, M%C0: the right operand (K x N) of the cube; M is K
};

inline constexpr int kNumFormats = static_cast<int>(Format::kNZ) + 1;

// "NCDHW", ..., "FRACTAL_Z_3D", "FRACTAL_Z", "ND", "FRACTAL_NZ", "zZ", "nZ".
std::string_view Name(Format format);
// The format of that name (case matters: zZ, nZ); nothing when there is none.
std::optional<Format> ParseFormat(std::string_view name);
// All names in order, joined by ", ": for messages.
std::string KnownFormats();
// The letters of the logical axes in canonical order: "ncdhw", "nchw", "oidhw", "oihw" or "mn".
std::string_view Axes(Format format);
// True when no axis is split, so every element of the storage is an element of the tensor.
bool IsPlain(Format format);

// The format of a tensor of given extents. Immutable; knows no data type and holds no data.
class Layout {
 public:
  static constexpr int kMaxRank = 6;

  // extents: logical, in canonical order, each from 1 to 2^48; n of features from 0, which stores nothing.
  // c0: elements of the inner part of an axis split by C0, a power of two from 4 to 64; plain formats take
  // none and
  //     ignore it. It is C0Of(dtype), except for filter gradients (always fp32): 16 for fp16 and bf16 inputs,
  //     8 for fp32.
  // groups: of a convolution, filters only; it divides extent o. Places elements in FRACTAL_Z_3D and
  // FRACTAL_Z only. Throws UserError on anything else, and when the storage exceeds 2^62 elements.
  Layout(Format format, std::vector<int64_t> extents, int c0 = 0, int groups = 1);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] const std::vector<int64_t>& extents() const { return extents_; }
  [[nodiscard]] int rank() const { return static_cast<int>(extents_.size()); }
  [[nodiscard]] int c0() const { return c0_; }  // 0 for plain formats
  [[nodiscard]] int groups() const { return groups_; }

  // Elements of the tensor, and of its storage (padding included).
  [[nodiscard]] int64_t LogicalElements() const;
  [[nodiscard]] int64_t StorageElements() const { return storage_elements_; }
  // The shape that the format's users know: the extents of the digits, outermost first; of FRACTAL_Z_3D and
  // FRACTAL_Z (groups D I/C0 H W, O/16, 16, C0). Their product is StorageElements().
  [[nodiscard]] std::vector<int64_t> StorageShape() const;

  // Element offset of a logical coordinate in the storage. The coordinate is in range (not checked here).
  [[nodiscard]] int64_t Offset(std::span<const int64_t> coord) const {
    GroupPlace place;
    if (extent_per_group_ != extents_[0]) {
      place = PlaceOfGroup(coord[0] / extent_per_group_);
    }
    int64_t offset = place.base + AxisOffset(0, coord[0] + place.shift0);
    offset += rank() > 1 ? AxisOffset(1, coord[1] + place.shift1) : 0;
    for (int axis = 2; axis < rank(); ++axis) {
      offset += AxisOffset(axis, coord[axis]);
    }
    return offset;
  }
  [[nodiscard]] int64_t Offset(std::initializer_list<int64_t> coord) const {
    return Offset(std::span<const int64_t>(coord.begin(), coord.size()));
  }

  // The parts Offset is the sum of, for code that walks a whole tensor: within one group of a filter
  //   Offset(coord) = base + AxisOffset(0, coord[0] + shift0) + AxisOffset(1, coord[1] + shift1)
  //                 + AxisOffset(2, coord[2]) + ...
  struct GroupPlace {
    int64_t base = 0;
    int64_t shift0 = 0;
    int64_t shift1 = 0;
  };
  [[nodiscard]] GroupPlace PlaceOfGroup(int64_t group) const;
  [[nodiscard]] int64_t AxisOffset(int axis, int64_t index) const {
    const Split& split = splits_[static_cast<size_t>(axis)];
    const int64_t outer = index / split.inner_extent;
    return outer * split.outer_stride + (index - outer * split.inner_extent) * split.inner_stride;
  }
  // How many indices from `index` on are one stride apart (AxisOffset is affine there).
  [[nodiscard]] int64_t EvenRun(int axis, int64_t index) const {
    const int64_t inner_extent = splits_[static_cast<size_t>(axis)].inner_extent;
    return inner_extent == 1 ? std::numeric_limits<int64_t>::max() : inner_extent - index % inner_extent;
  }
  // Groups that place elements of their own: groups() in the fractal filter formats, otherwise 1.
  [[nodiscard]] int64_t PlacedGroups() const { return extents_[0] / extent_per_group_; }

  // Coordinate of the index-th element in canonical (row-major) order.
  [[nodiscard]] std::vector<int64_t> Coord(int64_t canonical_index) const;
  // "(n=0, c=3, d=0, h=7, w=1)".
  [[nodiscard]] std::string CoordText(std::span<const int64_t> coord) const;
  // "NDC1HWC0 of (n=2, c=32, d=16, h=32, w=32), C0 16".
  [[nodiscard]] std::string Text() const;

  bool operator==(const Layout& other) const {
    return format_ == other.format_ && extents_ == other.extents_ && c0_ == other.c0_ &&
           groups_ == other.groups_;
  }

 private:
  // How one axis is laid: index -> (index / inner_extent) * outer_stride + (index % inner_extent) *
  // inner_stride.
  struct Split {
    int64_t inner_extent = 1;
    int64_t outer_stride = 0;
    int64_t inner_stride = 0;
  };

  void CheckArguments() const;
  void PlaceDigits();

  Format format_;
  std::vector<int64_t> extents_;
  int c0_;
  int groups_;
  std::array<Split, kMaxRank> splits_{};
  int64_t storage_elements_ = 0;
  int64_t extent_per_group_ = 1;  // of axis 0
  int64_t merged_groups_ = 1;     // E of the fractal filter formats
  int64_t group_stride_ = 0;      // elements from one merged group to the next
};

// The layout of a plain format whose storage has that shape (so in the format's own axis order). Throws
// UserError when the format is not plain or the shape has another rank.
Layout PlainLayout(Format format, std::span<const int64_t> storage_shape, int groups = 1);

// The layout with the same logical extents, elements in canonical order without padding.
Layout CanonicalLayout(const Layout& layout);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_LAYOUT_H_
