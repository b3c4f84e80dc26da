#include "register/tilingdata_base.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "formats/error.h"

namespace {

BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF(uint64_t, wide);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(Outer)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, tails);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Add, Outer);

struct PlainInner {
  uint8_t small;
  uint64_t wide;
};
struct PlainOuter {
  uint32_t length;
  PlainInner inner;
  uint16_t tails[3];
};

Outer Filled() {
  Outer data;
  data.set_length(7);
  data.inner.set_small(8);
  data.inner.set_wide(uint64_t{1} << 40);
  const uint16_t tails[] = {1, 2, 3};
  data.set_tails(tails);
  return data;
}

TEST(TilingDef, HasTheBytesOfACStruct) {
  const Outer data = Filled();
  EXPECT_EQ(data.GetDataSize(), sizeof(PlainOuter));
  PlainOuter plain{};
  data.SaveToBuffer(&plain, sizeof plain);
  EXPECT_EQ(plain.length, 7u);
  EXPECT_EQ(plain.inner.small, 8);
  EXPECT_EQ(plain.inner.wide, uint64_t{1} << 40);
  EXPECT_EQ(plain.tails[2], 3);
}

TEST(TilingDef, LoadsWhatItSaved) {
  std::array<uint8_t, sizeof(PlainOuter)> bytes{};
  Filled().SaveToBuffer(bytes.data(), bytes.size());
  Outer data;
  data.LoadFromBuffer(bytes.data(), bytes.size());
  EXPECT_EQ(data.get_length(), 7u);
  EXPECT_EQ(data.inner.get_wide(), uint64_t{1} << 40);
  EXPECT_EQ(data.get_tails()[1], 2);
}

TEST(TilingDef, CopiesStandOnTheirOwn) {
  Outer data = Filled();
  Outer copy = data;
  copy.inner.set_small(9);
  data = Outer();
  PlainOuter plain{};
  copy.SaveToBuffer(&plain, sizeof plain);
  EXPECT_EQ(plain.inner.small, 9);
  EXPECT_EQ(plain.length, 7u);
  data.SaveToBuffer(&plain, sizeof plain);
  EXPECT_EQ(plain.inner.small, 0);
  EXPECT_STREQ(copy.GetTilingClassName(), "Outer");
}

TEST(TilingDef, RefusesABufferThatIsTooSmall) {
  std::array<uint8_t, sizeof(PlainOuter)> bytes{};
  EXPECT_THROW(Filled().SaveToBuffer(bytes.data(), bytes.size() - 1), tilesim::UserError);
  Outer data;
  EXPECT_THROW(data.LoadFromBuffer(bytes.data(), bytes.size() - 1), tilesim::UserError);
}

}  // namespace
