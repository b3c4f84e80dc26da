// Converted against the definition: every element by its offsets, everything else zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/tensor.h"
#include "formats/walk.h"

namespace tilesim {
namespace {

Tensor ConvertedOneByOne(const Tensor& src, const Layout& to) {
  Tensor dst(src.dtype(), to);
  const size_t size = SizeOf(src.dtype());
  for (int64_t i = 0; i < to.LogicalElements(); ++i) {
    const std::vector<int64_t> coord = to.Coord(i);
    std::memcpy(dst.data() + static_cast<size_t>(to.Offset(coord)) * size,
                src.data() + static_cast<size_t>(src.layout().Offset(coord)) * size, size);
  }
  return dst;
}

// Elements numbered through, so that each differs from those that could be taken for it.
Tensor Numbered(DType dtype, const Layout& layout) {
  Tensor tensor(dtype, layout);
  for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
    const uint64_t bits = static_cast<uint64_t>(i) * 0x9e37'79b9'7f4a'7c15u + 1;
    std::memcpy(tensor.data() + static_cast<size_t>(layout.Offset(layout.Coord(i))) * SizeOf(dtype), &bits,
                SizeOf(dtype));
  }
  return tensor;
}

void ExpectEveryPairConverts(const std::vector<Layout>& layouts) {
  for (const DType dtype : {DType::kUint8, DType::kFp16, DType::kFp32, DType::kInt64}) {
    for (const Layout& from : layouts) {
      const Tensor src = Numbered(dtype, from);
      for (const Layout& to : layouts) {
        const Tensor expected = ConvertedOneByOne(src, to);
        const Tensor found = Converted(src, to);
        ASSERT_EQ(found.dtype(), dtype);
        ASSERT_EQ(found.layout(), to);
        ASSERT_EQ(std::memcmp(found.data(), expected.data(), expected.size_bytes()), 0)
            << Name(dtype) << ": " << from.Text() << " to " << to.Text();
      }
    }
  }
}

TEST(Converted, EveryPairOf3DFeatureFormats) {
  const std::vector<int64_t> all[] = {
      {1, 1, 1, 1, 1},   {2, 16, 2, 3, 5},   {1, 35, 3, 4, 7}, {3, 3, 1, 9, 11},
      {2, 70, 2, 5, 13}, {1, 33, 1, 1, 150}, {5, 64, 1, 1, 1}, {1, 17, 70, 1, 1},
  };
  for (const std::vector<int64_t>& extents : all) {
    ExpectEveryPairConverts({Layout(Format::kNCDHW, extents), Layout(Format::kNDHWC, extents),
                             Layout(Format::kNDC1HWC0, extents, 16), Layout(Format::kNDC1HWC0, extents, 8),
                             Layout(Format::kNDC1HWC0, extents, 32)});
  }
}

TEST(Converted, EveryPairOf2DFeatureFormats) {
  const std::vector<int64_t> all[] = {{2, 16, 3, 5}, {1, 35, 12, 7}, {3, 1, 9, 31}, {1, 40, 1, 130}};
  for (const std::vector<int64_t>& extents : all) {
    ExpectEveryPairConverts({Layout(Format::kNCHW, extents), Layout(Format::kNHWC, extents),
                             Layout(Format::kNC1HWC0, extents, 16), Layout(Format::kNC1HWC0, extents, 4)});
  }
}

TEST(Converted, EveryPairOf3DFilterFormatsWithGroups) {
  struct {
    std::vector<int64_t> extents;
    int groups;
  } const all[] = {
      {{33, 17, 1, 3, 3}, 1}, {{16, 16, 3, 1, 2}, 1}, {{1, 1, 1, 1, 1}, 1},
      {{12, 5, 2, 1, 2}, 3},  {{120, 8, 2, 3, 2}, 5}, {{32, 1, 1, 3, 3}, 32},
      {{34, 1, 3, 3, 3}, 17}, {{64, 40, 1, 1, 1}, 2}, {{6, 3, 1, 2, 70}, 2},
  };
  for (const auto& test : all) {
    const auto layout = [&](Format format, int c0) { return Layout(format, test.extents, c0, test.groups); };
    ExpectEveryPairConverts({layout(Format::kOIDHW, 0), layout(Format::kDHWIO, 0),
                             layout(Format::kFractalZ3D, 16), layout(Format::kFractalZ3D, 8)});
  }
}

TEST(Converted, EveryPairOf2DFilterFormatsWithGroups) {
  for (const int groups : {1, 3, 12}) {
    const std::vector<int64_t> extents = {36, 7, 3, 5};
    ExpectEveryPairConverts(
        {Layout(Format::kOIHW, extents, 0, groups), Layout(Format::kHWIO, extents, 0, groups),
         Layout(Format::kFractalZ, extents, 16, groups), Layout(Format::kFractalZ, extents, 8, groups)});
  }
}

TEST(Converted, EveryPairOfMatrixFormats) {
  const std::vector<int64_t> all[] = {{1, 1}, {16, 16}, {100, 37}, {7, 200}, {65, 64}};
  for (const std::vector<int64_t>& extents : all) {
    std::vector<Layout> layouts = {Layout(Format::kND, extents)};
    for (const int c0 : {8, 16, 32}) {
      for (const Format format : {Format::kFractalNZ, Format::kZZ, Format::kNZ}) {
        layouts.emplace_back(format, extents, c0);
      }
    }
    ExpectEveryPairConverts(layouts);
  }
}

TEST(Converted, PlainFiltersDoNotMindWhatGroupsTheyAreSaidToHave) {
  const std::vector<int64_t> extents = {12, 5, 1, 2, 2};
  const Tensor src = Numbered(DType::kFp32, Layout(Format::kOIDHW, extents));
  const Layout to(Format::kFractalZ3D, extents, 16, 3);
  EXPECT_EQ(std::memcmp(Converted(src, to).data(), ConvertedOneByOne(src, to).data(),
                        Tensor(DType::kFp32, to).size_bytes()),
            0);
}

TEST(Converted, RefusesOtherExtentsAxesAndGroups) {
  const auto refused = [](const Layout& from, const Layout& to, const std::string& reason) {
    try {
      Converted(Tensor(DType::kFp16, from), to);
      ADD_FAILURE() << from.Text() << " became " << to.Text();
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(from.Text()), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(to.Text()), std::string::npos) << error.what();
    }
  };
  const std::vector<int64_t> extents = {12, 4, 1, 2, 2};
  refused(Layout(Format::kNCDHW, extents), Layout(Format::kNDHWC, {12, 4, 1, 2, 3}),
          "extents must be the same");
  refused(Layout(Format::kNCDHW, extents), Layout(Format::kOIDHW, extents),
          "axes and extents must be the same");
  refused(Layout(Format::kFractalZ3D, extents, 16, 3), Layout(Format::kFractalZ3D, extents, 16, 4),
          "groups must be the same");
  refused(Layout(Format::kFractalZ3D, extents, 16, 1), Layout(Format::kFractalZ3D, extents, 16, 4),
          "groups must be the same");
}

TEST(Walk, JoinsLoopsThatAreOneInBothLayouts) {
  std::vector<Box> boxes;
  const auto take = [&](const Box& box) { boxes.push_back(box); };
  const std::vector<int64_t> extents = {2, 32, 4, 5, 6};
  ForEachBox(Layout(Format::kNCDHW, extents), Layout(Format::kNCDHW, extents), take);
  ASSERT_EQ(boxes.size(), 1u);
  ASSERT_EQ(boxes[0].dims().size(), 1u);  // one run of everything
  EXPECT_EQ(boxes[0].dims()[0].count, 2 * 32 * 4 * 5 * 6);
  boxes.clear();
  ForEachBox(Layout(Format::kNCDHW, extents), Layout(Format::kNDC1HWC0, extents, 16), take);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].dims().size(), 5u);  // n, d, c1, hw, c0
  boxes.clear();
  ForEachBox(Layout(Format::kNCDHW, {1, 35, 1, 1, 6}), Layout(Format::kNDC1HWC0, {1, 35, 1, 1, 6}, 16), take);
  EXPECT_EQ(boxes.size(), 2u);  // two whole blocks of channels, and the tail
}

}  // namespace
}  // namespace tilesim
