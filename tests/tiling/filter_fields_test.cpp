#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

TEST(FilterFields, CoverEveryByteOnceExceptThePadding) {
  std::set<size_t> bytes;
  std::set<std::string> paths;
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    paths.insert(field.path());
    for (size_t i = 0; i < field.width_bytes; ++i) {
      EXPECT_TRUE(bytes.insert(field.offset_bytes + i).second) << field.path();
    }
  }
  EXPECT_EQ(paths.size(), FieldsIn<Conv3DBackpropFilterTilingData>().size());
  EXPECT_EQ(bytes.size(), sizeof(Conv3DBackpropFilterTilingData) - 8);  // 4 behind params, 4 at the end
}

TEST(FilterFields, NameTheMembersTheySet) {
  Conv3DBackpropFilterTilingData data;
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    WriteField(&data, field, field.offset_bytes);
  }
  EXPECT_EQ(data.params.totalL1Size, 0u);
  EXPECT_EQ(data.dwTiling.batch, 8u);
  EXPECT_EQ(data.dwTiling.dilationW, 8u + 26 * 4);
  EXPECT_EQ(data.dwTiling.baseK, 8u + 34 * 4);
  EXPECT_EQ(data.dwTiling.singleCoreHo, 8u + 49 * 4);
  EXPECT_EQ(data.dwTiling.singleCoreCin, 8u + 208);
  EXPECT_EQ(data.basicBlockTiling.singleCoreK, 224u + 8);
}

TEST(FilterFields, KeepAllBitsOfWideFields) {
  Conv3DBackpropFilterTilingData data;
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    WriteField(&data, field, field.largest());
    EXPECT_EQ(ReadField(&data, field), field.largest()) << field.path();
  }
}

TEST(FilterFields, TellExactlyTheFieldsThatDiffer) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    Conv3DBackpropFilterTilingData left, right;
    WriteField(&right, field, 7);
    const auto different = Differences(left, right);
    ASSERT_EQ(different.size(), 1u);
    EXPECT_EQ(different[0].path(), field.path());
  }
}

TEST(KernelTiling, NamesTheStructsGloballyAndInTheirNamespace) {
  static_assert(std::is_same_v<::TConv3DBpFilterTiling, AscendC::tiling::TConv3DBpFilterTiling>);
  const ::Conv3DBackpropFilterTilingData data;
  const Conv3DBackpropFilterTilingData zero{};
  EXPECT_TRUE(Differences(data, zero).empty());
  EXPECT_EQ(ReadField(&data, FieldsIn<Conv3DBackpropFilterTilingData>()[5]), 0u);
}

}  // namespace
}  // namespace tilesim
