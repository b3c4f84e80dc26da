#include "formats/layout.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

// Which part of an axis a digit is. kGroup has no axis: it counts the merged groups of a filter.
enum class Part : uint8_t { kWhole, kOuterC0, kInnerC0, kOuter16, kInner16, kGroup };

struct Digit {
  char axis = '\0';
  Part part = Part::kWhole;
};

constexpr Digit kN{'n', Part::kWhole};
constexpr Digit kC{'c', Part::kWhole};
constexpr Digit kD{'d', Part::kWhole};
constexpr Digit kH{'h', Part::kWhole};
constexpr Digit kW{'w', Part::kWhole};
constexpr Digit kO{'o', Part::kWhole};
constexpr Digit kI{'i', Part::kWhole};
constexpr Digit kM{'m', Part::kWhole};
constexpr Digit kC1{'c', Part::kOuterC0};
constexpr Digit kC0{'c', Part::kInnerC0};
constexpr Digit kI1{'i', Part::kOuterC0};
constexpr Digit kI0{'i', Part::kInnerC0};
constexpr Digit kO1{'o', Part::kOuter16};
constexpr Digit kO0{'o', Part::kInner16};
constexpr Digit kM1{'m', Part::kOuter16};
constexpr Digit kM0{'m', Part::kInner16};
constexpr Digit kN1{'n', Part::kOuter16};
constexpr Digit kN0{'n', Part::kInner16};
constexpr Digit kM1C0{'m', Part::kOuterC0};
constexpr Digit kM0C0{'m', Part::kInnerC0};
constexpr Digit kN1C0{'n', Part::kOuterC0};
constexpr Digit kN0C0{'n', Part::kInnerC0};
constexpr Digit kG{'\0', Part::kGroup};
constexpr Digit AxisAt(char axis) { return {axis, Part::kWhole}; }

constexpr size_t kMaxDigits = 8;

struct FormatRow {
  Format format;
  std::string_view name;
  std::string_view axes;  // logical, canonical order
  std::array<Digit, kMaxDigits> digits;
  size_t num_digits;
};

template <class... D>
constexpr FormatRow MakeRow(Format format, std::string_view name, std::string_view axes, D... digits) {
  return {format, name, axes, {digits...}, sizeof...(digits)};
}

// In the order of the enumerators.
constexpr FormatRow kFormatRows[] = {
    MakeRow(Format::kNCDHW, "NCDHW", "ncdhw", kN, kC, kD, kH, kW),
    MakeRow(Format::kNDHWC, "NDHWC", "ncdhw", kN, kD, kH, kW, kC),
    MakeRow(Format::kNCHW, "NCHW", "nchw", kN, kC, kH, kW),
    MakeRow(Format::kNHWC, "NHWC", "nchw", kN, kH, kW, kC),
    MakeRow(Format::kOIDHW, "OIDHW", "oidhw", kO, kI, kD, kH, kW),
    MakeRow(Format::kDHWIO, "DHWIO", "oidhw", kD, kH, kW, kI, kO),
    MakeRow(Format::kOIHW, "OIHW", "oihw", kO, kI, kH, kW),
    MakeRow(Format::kHWIO, "HWIO", "oihw", kH, kW, kI, kO),
    MakeRow(Format::kNDC1HWC0, "NDC1HWC0", "ncdhw", kN, kD, kC1, kH, kW, kC0),
    MakeRow(Format::kNC1HWC0, "NC1HWC0", "nchw", kN, kC1, kH, kW, kC0),
    MakeRow(Format::kFractalZ3D, "FRACTAL_Z_3D", "oidhw", kG, kD, kI1, kH, kW, kO1, kO0, kI0),
    MakeRow(Format::kFractalZ, "FRACTAL_Z", "oihw", kG, kI1, kH, kW, kO1, kO0, kI0),
    MakeRow(Format::kND, "ND", "mn", kM, kN),
    MakeRow(Format::kFractalNZ, "FRACTAL_NZ", "mn", kN1C0, kM1, kM0, kN0C0),
    MakeRow(Format::kZZ, "zZ", "mn", kM1, kN1C0, kM0, kN0C0),
    MakeRow(Format::kNZ, "nZ", "mn", kM1C0, kN1, kN0, kM0C0),
};

// ND of one axis, or of three to six: row-major.
constexpr FormatRow kAnyRank = MakeRow(Format::kND, "ND", "abcdef", AxisAt('a'), AxisAt('b'), AxisAt('c'),
                                       AxisAt('d'), AxisAt('e'), AxisAt('f'));

const FormatRow& RowOf(Format format) { return kFormatRows[static_cast<size_t>(format)]; }

// The row of a tensor of `rank` axes; that of the format where it cannot have so many.
FormatRow RowOf(Format format, size_t rank) {
  FormatRow row = RowOf(format);
  if (format == Format::kND && rank >= 1 && rank != 2 && rank <= kAnyRank.num_digits) {
    row = kAnyRank;
    row.num_digits = rank;
    row.axes = row.axes.substr(0, rank);
  }
  return row;
}

std::span<const Digit> DigitsOf(Format format) {
  const FormatRow& row = RowOf(format);
  return std::span(row.digits).first(row.num_digits);
}

size_t AxisOf(const FormatRow& row, const Digit& digit) { return row.axes.find(digit.axis); }

bool HasGroupDigit(Format format) { return DigitsOf(format).front().part == Part::kGroup; }

bool IsFilter(Format format) { return Axes(format).front() == 'o'; }

// How many neighbouring groups of a filter share one block, so that channels fill whole data blocks and
// fractals.
int64_t MergedGroups(int64_t in_per_group, int64_t out_per_group, int64_t c0, int64_t groups) {
  const int64_t in_factor = c0 / std::gcd(in_per_group, c0);  // lcm(cin_g, C0) / cin_g
  const int64_t out_factor =
      kFractalEdge / std::gcd(out_per_group, kFractalEdge);  // lcm(cout_g, 16) / cout_g
  return std::min(std::lcm(in_factor, out_factor), groups);
}

constexpr int64_t kMaxExtent = int64_t{1} << 48;
constexpr int64_t kMaxElements = int64_t{1} << 62;

}  // namespace

std::string_view Name(Format format) { return RowOf(format).name; }

std::optional<Format> ParseFormat(std::string_view name) {
  const FormatRow* row = std::ranges::find(kFormatRows, name, &FormatRow::name);
  return row == std::end(kFormatRows) ? std::nullopt : std::optional(row->format);
}

std::string KnownFormats() {
  std::string names;
  for (const FormatRow& row : kFormatRows) {
    names += names.empty() ? "" : ", ";
    names += row.name;
  }
  return names;
}

std::string_view Axes(Format format) { return RowOf(format).axes; }

bool IsPlain(Format format) {
  return std::ranges::all_of(
      DigitsOf(format), [](Part part) { return part == Part::kWhole; }, &Digit::part);
}

Layout::Layout(Format format, std::vector<int64_t> extents, int c0, int groups)
    : format_(format), extents_(std::move(extents)), c0_(IsPlain(format) ? 0 : c0), groups_(groups) {
  CheckArguments();
  PlaceDigits();
}

void Layout::CheckArguments() const {
  const std::string_view axes = RowOf(format_, extents_.size()).axes;
  RequireUser(
      extents_.size() == axes.size(), "format ", Name(format_), ": found ", extents_.size(),
      " extents, must be ",
      format_ == Format::kND ? Say("1 to ", kMaxRank) : Say(axes.size(), ", one for each of (", axes, ")"));
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const int64_t least = axis == 0 && axes[axis] == 'n' ? 0 : 1;  // an empty batch is one
    RequireUser(extents_[axis] >= least && extents_[axis] <= kMaxExtent, "format ", Name(format_),
                ": extent ", axes[axis], " = ", extents_[axis], ", must be from ", least, " to ", kMaxExtent);
  }
  RequireUser(
      IsPlain(format_) || (c0_ >= 4 && c0_ <= 64 && std::has_single_bit(static_cast<unsigned>(c0_))),
      "format ", Name(format_), ": C0 = ", c0_,
      ", must be a power of two from 4 to 64 (32 bytes of elements: 16 for fp16 and bf16, 8 for fp32)");
  RequireUser(groups_ >= 1, "format ", Name(format_), ": groups = ", groups_, ", must be at least 1");
  RequireUser(groups_ == 1 || IsFilter(format_), "format ", Name(format_), ": groups = ", groups_,
              ", must be 1: only filters have groups");
  RequireUser(extents_[0] % groups_ == 0, "format ", Name(format_), ": groups = ", groups_,
              ", must divide the output channels o = ", extents_[0]);
}

void Layout::PlaceDigits() {
  const FormatRow row = RowOf(format_, extents_.size());
  std::vector<int64_t> sizes = extents_;  // of the axes as they lie in a block of merged groups
  int64_t blocks = 1;
  extent_per_group_ = std::max<int64_t>(1, extents_[0]);
  if (HasGroupDigit(format_)) {
    extent_per_group_ = extents_[0] / groups_;
    merged_groups_ = MergedGroups(extents_[1], extent_per_group_, c0_, groups_);
    blocks = CeilDiv(int64_t{groups_}, merged_groups_);
    sizes[0] = merged_groups_ * extent_per_group_;
    sizes[1] = merged_groups_ * extents_[1];
  }
  int64_t stride = 1;
  for (size_t i = row.num_digits; i-- > 0;) {
    const Digit digit = row.digits[i];
    if (digit.part == Part::kGroup) {
      group_stride_ = stride;
    }
    const size_t axis = digit.part == Part::kGroup ? 0 : AxisOf(row, digit);
    Split& split = splits_[axis];
    int64_t extent = 1;
    switch (digit.part) {
      case Part::kGroup:
        extent = blocks;
        break;
      case Part::kWhole:
        extent = sizes[axis];
        split.outer_stride = stride;
        break;
      case Part::kInnerC0:
      case Part::kInner16:
        extent = digit.part == Part::kInnerC0 ? c0_ : kFractalEdge;
        split.inner_extent = extent;
        split.inner_stride = stride;
        break;
      case Part::kOuterC0:
      case Part::kOuter16:
        extent = CeilDiv(sizes[axis], digit.part == Part::kOuterC0 ? int64_t{c0_} : kFractalEdge);
        split.outer_stride = stride;
        break;
    }
    if (extent > kMaxElements / stride) {
      throw UserError(Say("format ", Name(format_), ": the extents ", CoordText(extents_), " need more than ",
                          kMaxElements, " elements"));
    }
    stride *= extent;
  }
  storage_elements_ = stride;
}

Layout::GroupPlace Layout::PlaceOfGroup(int64_t group) const {
  const int64_t member = group % merged_groups_;
  return {.base = group / merged_groups_ * group_stride_,
          .shift0 = (member - group) * extent_per_group_,
          .shift1 = extents_.size() > 1 ? member * extents_[1] : 0};
}

int64_t Layout::LogicalElements() const {
  return std::accumulate(extents_.begin(), extents_.end(), int64_t{1}, std::multiplies<>());
}

std::vector<int64_t> Layout::StorageShape() const {
  const FormatRow row = RowOf(format_, extents_.size());
  // FRACTAL_Z and FRACTAL_Z_3D have one extent for all that stands before their fractals.
  const auto digits = std::span(row.digits).first(row.num_digits);
  const auto fractals = std::ranges::find(digits, Part::kOuter16, &Digit::part);
  const auto first_whole = HasGroupDigit(format_) ? static_cast<size_t>(fractals - digits.begin()) : 0;
  std::vector<int64_t> shape;
  int64_t before = storage_elements_;  // elements one step of the digit before holds
  for (size_t i = 0; i < row.num_digits; ++i) {
    const Digit digit = row.digits[i];
    if (i + 1 < first_whole) {
      continue;  // counts in the next digit
    }
    const Split& split = splits_[AxisOf(row, digit)];
    const bool inner = digit.part == Part::kInnerC0 || digit.part == Part::kInner16;
    const int64_t stride = inner ? split.inner_stride : split.outer_stride;
    shape.push_back(before / stride);
    before = stride;
  }
  return shape;
}

std::vector<int64_t> Layout::Coord(int64_t canonical_index) const {
  std::vector<int64_t> coord(extents_.size());
  for (size_t axis = extents_.size(); axis-- > 0;) {
    coord[axis] = canonical_index % extents_[axis];
    canonical_index /= extents_[axis];
  }
  return coord;
}

std::string Layout::CoordText(std::span<const int64_t> coord) const {
  const std::string_view axes = RowOf(format_, extents_.size()).axes;
  std::string text = "(";
  for (size_t axis = 0; axis < coord.size(); ++axis) {
    text += Say(axis == 0 ? "" : ", ", axes[axis], "=", coord[axis]);
  }
  return text + ")";
}

std::string Layout::Text() const {
  std::string text = Say(Name(format_), " of ", CoordText(extents_));
  text += c0_ == 0 ? "" : Say(", C0 ", c0_);
  text += groups_ == 1 ? "" : Say(", groups ", groups_);
  return text;
}

Layout PlainLayout(Format format, std::span<const int64_t> storage_shape, int groups) {
  RequireUser(IsPlain(format), "format ", Name(format),
              ": its storage shape does not say its extents, because padding is",
              " part of it; give the extents");
  const FormatRow row = RowOf(format, storage_shape.size());
  RequireUser(storage_shape.size() == row.num_digits, "format ", Name(format), ": found a shape of ",
              storage_shape.size(), " numbers, must be ", row.num_digits);
  std::vector<int64_t> extents(row.num_digits);
  for (size_t i = 0; i < row.num_digits; ++i) {
    extents[AxisOf(row, row.digits[i])] = storage_shape[i];
  }
  return {format, std::move(extents), 0, groups};
}

Layout CanonicalLayout(const Layout& layout) {
  if (layout.format() == Format::kND) {
    return layout;
  }
  const std::string_view axes = Axes(layout.format());
  for (const FormatRow& row : kFormatRows) {
    const bool in_order =
        row.num_digits == axes.size() && row.axes == axes && IsPlain(row.format) &&
        std::ranges::equal(std::span(row.digits).first(row.num_digits), axes, {}, &Digit::axis);
    if (in_order) {
      return {row.format, layout.extents(), 0, layout.groups()};
    }
  }
  throw std::logic_error(Say("no plain format in canonical order for ", Name(layout.format())));
}

}  // namespace tilesim
