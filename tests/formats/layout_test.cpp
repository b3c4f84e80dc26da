#include "formats/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/tensor.h"

namespace tilesim {
namespace {

std::vector<Format> AllFormats() {
  std::vector<Format> formats;
  for (int i = 0; i < kNumFormats; ++i) {
    formats.push_back(static_cast<Format>(i));
  }
  return formats;
}

TEST(Format, NamesAreUniqueAndParseBack) {
  std::set<std::string_view> names;
  for (const Format format : AllFormats()) {
    EXPECT_EQ(ParseFormat(Name(format)), format) << Name(format);
    EXPECT_NE(KnownFormats().find(Name(format)), std::string::npos);
    names.insert(Name(format));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumFormats));
  EXPECT_EQ(ParseFormat("NCHW8"), std::nullopt);
  EXPECT_EQ(ParseFormat("ncdhw"), std::nullopt);
  EXPECT_EQ(ParseFormat(""), std::nullopt);
}

// Extents of every kind of axes, with ones, primes and sizes just below, at and above what splits them.
std::vector<std::vector<int64_t>> ExtentsFor(Format format) {
  const std::string_view axes = Axes(format);
  if (axes == "mn") {
    return {{1, 1}, {16, 16}, {17, 33}, {31, 15}, {5, 64}, {100, 7}};
  }
  std::vector<std::vector<int64_t>> extents = {
      {1, 1, 1, 1, 1},  {2, 16, 3, 2, 5}, {3, 17, 1, 4, 3},  {2, 31, 2, 1, 1},
      {36, 3, 2, 3, 2}, {48, 9, 1, 3, 3}, {48, 16, 1, 2, 2},
  };
  if (axes.size() == 4) {
    for (std::vector<int64_t>& each : extents) {
      each.erase(each.begin() + 2);
    }
  }
  return extents;
}

std::vector<Layout> LayoutsToTry(Format format) {
  std::vector<Layout> layouts;
  for (const std::vector<int64_t>& extents : ExtentsFor(format)) {
    for (const int c0 : {4, 8, 16, 32}) {
      for (const int groups : {1, 2, 3, 4, 12, 16, 36, 48}) {
        if (groups == 1 || (Axes(format).front() == 'o' && extents[0] % groups == 0)) {
          layouts.emplace_back(format, extents, c0, groups);
        }
      }
    }
  }
  return layouts;
}

TEST(Layout, GivesEveryElementAPlaceOfItsOwnWithinTheStorage) {
  for (const Format format : AllFormats()) {
    for (const Layout& layout : LayoutsToTry(format)) {
      std::vector<bool> taken(static_cast<size_t>(layout.StorageElements()));
      for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
        const int64_t offset = layout.Offset(layout.Coord(i));
        ASSERT_GE(offset, 0) << layout.Text();
        ASSERT_LT(offset, layout.StorageElements()) << layout.Text();
        ASSERT_FALSE(taken[static_cast<size_t>(offset)])
            << layout.Text() << " " << layout.CoordText(layout.Coord(i));
        taken[static_cast<size_t>(offset)] = true;
      }
    }
  }
}

TEST(Layout, StorageIsTheProductOfItsShapeAndPlainFormatsHaveNoPadding) {
  for (const Format format : AllFormats()) {
    for (const Layout& layout : LayoutsToTry(format)) {
      if (IsPlain(format)) {
        EXPECT_EQ(layout.StorageElements(), layout.LogicalElements()) << layout.Text();
        EXPECT_EQ(layout.c0(), 0);
      }
      const std::vector<int64_t> shape = layout.StorageShape();
      EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()),
                layout.StorageElements())
          << layout.Text();
    }
  }
}

TEST(Layout, OffsetIsTheSumOfItsParts) {
  for (const Format format : AllFormats()) {
    for (const Layout& layout : LayoutsToTry(format)) {
      const int64_t per_group = layout.extents()[0] / layout.PlacedGroups();
      for (int64_t i = 0; i < layout.LogicalElements(); i += 7) {
        const std::vector<int64_t> coord = layout.Coord(i);
        const Layout::GroupPlace place = layout.PlaceOfGroup(coord[0] / per_group);
        int64_t sum = place.base + layout.AxisOffset(0, coord[0] + place.shift0) +
                      layout.AxisOffset(1, coord[1] + place.shift1);
        for (int axis = 2; axis < layout.rank(); ++axis) {
          sum += layout.AxisOffset(axis, coord[static_cast<size_t>(axis)]);
        }
        ASSERT_EQ(layout.Offset(coord), sum) << layout.Text() << " " << layout.CoordText(coord);
      }
    }
  }
}

TEST(Layout, OffsetsAreEvenWithinAnEvenRun) {
  for (const Format format : AllFormats()) {
    for (const Layout& layout : LayoutsToTry(format)) {
      for (int axis = 0; axis < layout.rank(); ++axis) {
        const int64_t extent = layout.extents()[static_cast<size_t>(axis)];
        for (int64_t start = 0; start < extent; start += std::min(extent, layout.EvenRun(axis, start))) {
          const int64_t stride = layout.AxisOffset(axis, start + 1) - layout.AxisOffset(axis, start);
          const int64_t end = start + std::min(extent - start, layout.EvenRun(axis, start));
          for (int64_t i = start + 1; i < end; ++i) {
            ASSERT_EQ(layout.AxisOffset(axis, i) - layout.AxisOffset(axis, i - 1), stride) << layout.Text();
          }
        }
      }
    }
  }
  const Layout blocked(Format::kNDC1HWC0, {1, 40, 1, 1, 9}, 16);
  EXPECT_EQ(blocked.EvenRun(1, 0), 16);
  EXPECT_EQ(blocked.EvenRun(1, 15), 1);
  EXPECT_EQ(blocked.EvenRun(1, 33), 15);
  EXPECT_GE(blocked.EvenRun(4, 0), 9);
}

TEST(Layout, StorageShapeIsTheDigitsOutermostFirst) {
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(Layout(Format::kNDHWC, {2, 3, 4, 5, 6}).StorageShape(), (Shape{2, 4, 5, 6, 3}));
  EXPECT_EQ(Layout(Format::kDHWIO, {4, 3, 2, 5, 6}, 0, 2).StorageShape(), (Shape{2, 5, 6, 3, 4}));
  EXPECT_EQ(Layout(Format::kNDC1HWC0, {2, 35, 3, 4, 5}, 16).StorageShape(), (Shape{2, 3, 3, 4, 5, 16}));
  EXPECT_EQ(Layout(Format::kFractalZ3D, {35, 20, 2, 3, 3}, 16).StorageShape(),
            (Shape{2 * 2 * 3 * 3, 3, 16, 16}));
  EXPECT_EQ(Layout(Format::kFractalZ, {35, 20, 3, 5}, 16).StorageShape(), (Shape{2 * 3 * 5, 3, 16, 16}));
  EXPECT_EQ(Layout(Format::kNC1HWC0, {2, 35, 4, 5}, 16).StorageShape(), (Shape{2, 3, 4, 5, 16}));
  EXPECT_EQ(Layout(Format::kND, {7}).StorageShape(), (Shape{7}));
  // 3 blocks of 2 merged groups, D 2
  EXPECT_EQ(Layout(Format::kFractalZ3D, {120, 8, 2, 3, 2}, 16, 5).StorageShape(),
            (Shape{3 * 2 * 1 * 3 * 2, 3, 16, 16}));
  EXPECT_EQ(Layout(Format::kFractalNZ, {35, 40}, 16).StorageShape(), (Shape{3, 3, 16, 16}));
  EXPECT_EQ(Layout(Format::kZZ, {35, 40}, 8).StorageShape(), (Shape{3, 5, 16, 8}));
}

TEST(Layout, CoordCountsInCanonicalOrderWhateverTheFormat) {
  const Layout layout(Format::kNDHWC, {2, 3, 4, 5, 6});
  EXPECT_EQ(layout.Coord(0), (std::vector<int64_t>{0, 0, 0, 0, 0}));
  EXPECT_EQ(layout.Coord(1), (std::vector<int64_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(layout.Coord(719), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(layout.CoordText(layout.Coord(442)), "(n=1, c=0, d=2, h=3, w=4)");
}

TEST(Layout, PlainLayoutTakesTheShapeInTheFormatsOwnOrder) {
  const std::vector<int64_t> shape = {2, 4, 5, 6, 3};
  EXPECT_EQ(PlainLayout(Format::kNDHWC, shape), Layout(Format::kNDHWC, {2, 3, 4, 5, 6}));
  EXPECT_EQ(PlainLayout(Format::kDHWIO, shape, 3), Layout(Format::kDHWIO, {3, 6, 2, 4, 5}, 0, 3));
  for (const Format format : AllFormats()) {
    if (IsPlain(format)) {
      const Layout layout = LayoutsToTry(format)[5];
      EXPECT_EQ(PlainLayout(format, layout.StorageShape(), layout.groups()), layout) << layout.Text();
    }
  }
}

TEST(Layout, CanonicalLayoutKeepsExtentsAndIsInCanonicalOrder) {
  for (const Format format : AllFormats()) {
    const Layout layout = LayoutsToTry(format).back();
    const Layout canonical = CanonicalLayout(layout);
    EXPECT_EQ(canonical.extents(), layout.extents());
    EXPECT_EQ(canonical.groups(), layout.groups());
    EXPECT_EQ(Axes(canonical.format()), Axes(format));
    for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
      ASSERT_EQ(canonical.Offset(canonical.Coord(i)), i) << layout.Text();
    }
  }
}

TEST(Layout, SaysWhatItIs) {
  EXPECT_EQ(Layout(Format::kNDC1HWC0, {2, 32, 16, 32, 32}, 16).Text(),
            "NDC1HWC0 of (n=2, c=32, d=16, h=32, w=32), C0 16");
  EXPECT_EQ(Layout(Format::kFractalZ3D, {32, 1, 1, 3, 3}, 8, 32).Text(),
            "FRACTAL_Z_3D of (o=32, i=1, d=1, h=3, w=3), C0 8, groups 32");
}

template <class Make>
std::string Refusal(const Make& make) {
  try {
    make();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Layout, RefusesWhatIsNoTensorOfItsFormat) {
  const auto refusal = [](Format format, std::vector<int64_t> extents, int c0, int groups) {
    return Refusal([&] { Layout(format, extents, c0, groups); });
  };
  EXPECT_EQ(refusal(Format::kNCDHW, {2, 3, 4, 5}, 0, 1),
            "format NCDHW: found 4 extents, must be 5, one for each of (ncdhw)");
  EXPECT_EQ(refusal(Format::kNCHW, {2, 0, 4, 5}, 0, 1),
            "format NCHW: extent c = 0, must be from 1 to 281474976710656");
  EXPECT_EQ(refusal(Format::kND, {-1, 4}, 0, 1),
            "format ND: extent m = -1, must be from 1 to 281474976710656");
  for (const int c0 : {0, -16, 12, 2, 128}) {
    EXPECT_EQ(refusal(Format::kNC1HWC0, {2, 3, 4, 5}, c0, 1),
              Say("format NC1HWC0: C0 = ", c0,
                  ", must be a power of two from 4 to 64 (32 bytes of elements: 16 for fp16 and bf16, 8 for "
                  "fp32)"));
  }
  EXPECT_EQ(refusal(Format::kFractalZ3D, {6, 3, 1, 1, 1}, 16, 0),
            "format FRACTAL_Z_3D: groups = 0, must be at least 1");
  EXPECT_EQ(refusal(Format::kFractalZ3D, {6, 3, 1, 1, 1}, 16, 4),
            "format FRACTAL_Z_3D: groups = 4, must divide the output channels o = 6");
  EXPECT_EQ(refusal(Format::kNDHWC, {6, 3, 1, 1, 1}, 16, 2),
            "format NDHWC: groups = 2, must be 1: only filters have groups");
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(refusal(Format::kND, {large, large}, 0, 1),
            "format ND: the extents (m=1099511627776, n=1099511627776) need more than 4611686018427387904 "
            "elements");
}

TEST(Layout, AnEmptyBatchStoresNothing) {
  for (const Format format : {Format::kNCDHW, Format::kNDHWC, Format::kNDC1HWC0}) {
    const Layout empty(format, {0, 3, 4, 5, 6}, 16);
    EXPECT_EQ(empty.LogicalElements(), 0);
    EXPECT_EQ(empty.StorageElements(), 0);
    EXPECT_EQ(empty.StorageShape().front(), 0);
    Tensor tensor(DType::kFp16, empty);
    FillRandom(tensor, 1, -1, 1);
    EXPECT_EQ(Converted(tensor, Layout(Format::kNDHWC, {0, 3, 4, 5, 6})).size_bytes(), 0U);
  }
  EXPECT_EQ(Refusal([&] {
              Layout(Format::kNCHW, {-1, 3, 4, 5});
            }),
            "format NCHW: extent n = -1, must be from 0 to 281474976710656");
  EXPECT_EQ(Refusal([&] {
              Layout(Format::kOIHW, {0, 3, 4, 5});
            }),
            "format OIHW: extent o = 0, must be from 1 to 281474976710656");
}

TEST(Layout, TheLargestTensorsFitAndOneMoreDoesNot) {
  const int64_t most = int64_t{1} << 31;
  EXPECT_EQ(Layout(Format::kND, {most, most}).StorageElements(), int64_t{1} << 62);
  EXPECT_THROW(Layout(Format::kND, {most, most + 1}), UserError);
  EXPECT_THROW(Layout(Format::kFractalNZ, {most, most + 1}, 16), UserError);
}

TEST(Layout, PlainLayoutRefusesBlockedFormatsAndOtherRanks) {
  const std::vector<int64_t> shape = {2, 3, 4, 5, 6, 16};
  EXPECT_NE(Refusal([&] { PlainLayout(Format::kNDC1HWC0, shape); }).find("NDC1HWC0"), std::string::npos);
  EXPECT_EQ(Refusal([&] { PlainLayout(Format::kNCDHW, shape); }),
            "format NCDHW: found a shape of 6 numbers, must be 5");
}

}  // namespace
}  // namespace tilesim
