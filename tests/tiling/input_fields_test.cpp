#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

TEST(InputFields, CoverEveryByteOnceExceptThePadding) {
  std::set<size_t> bytes;
  std::set<std::string> paths;
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    paths.insert(field.path());
    for (size_t i = 0; i < field.width_bytes; ++i) {
      EXPECT_TRUE(bytes.insert(field.offset_bytes + i).second) << field.path();
    }
  }
  EXPECT_EQ(paths.size(), 66u);
  EXPECT_EQ(bytes.size(), sizeof(Conv3DBackpropInputTilingData) - 4);  // in front of the wide fields
}

TEST(InputFields, NameTheMembersTheySet) {
  Conv3DBackpropInputTilingData data;
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    WriteField(&data, field, field.offset_bytes);
  }
  const TConv3DBackpropInputTiling& t = data.conv3DDxTiling;
  EXPECT_EQ(t.batch, 0u);
  EXPECT_EQ(t.c0Bits, 8u * 4);
  EXPECT_EQ(t.padRight, 27u * 4);
  EXPECT_EQ(t.backpropPadTail, 28u * 4);
  EXPECT_EQ(t.dilationW, 35u * 4);
  EXPECT_EQ(t.baseK, 48u * 4);
  EXPECT_EQ(t.iterateOrder, 59u * 4);
  EXPECT_EQ(t.initOutputFlag, 61 * 4);
  EXPECT_EQ(t.singleCoreBatch, 256u);
  EXPECT_EQ(t.singleCoreCin, 272u);
}

TEST(InputFields, KeepAllBitsTheyCanHold) {
  Conv3DBackpropInputTilingData data;
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    WriteField(&data, field, field.largest());
    EXPECT_EQ(ReadField(&data, field), field.largest()) << field.path();
  }
  EXPECT_EQ(data.conv3DDxTiling.baseM, UINT32_MAX);
  EXPECT_EQ(data.conv3DDxTiling.hf32Flag, INT32_MAX);
  EXPECT_EQ(data.conv3DDxTiling.singleCoreM, uint64_t{INT64_MAX});  // more means nothing
}

TEST(InputFields, TellExactlyTheFieldsThatDiffer) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    Conv3DBackpropInputTilingData left, right;
    WriteField(&right, field, 7);
    const auto different = Differences(left, right);
    ASSERT_EQ(different.size(), 1u);
    EXPECT_EQ(different[0].path(), field.path());
  }
}

TEST(KernelTiling, NamesTheInputGradientsStructsGloballyAndInTheirNamespace) {
  static_assert(std::is_same_v<::TConv3DBackpropInputTiling, AscendC::tiling::TConv3DBackpropInputTiling>);
  const ::Conv3DBackpropInputTilingData data;
  EXPECT_TRUE(Differences(data, {}).empty());
}

}  // namespace
}  // namespace tilesim
