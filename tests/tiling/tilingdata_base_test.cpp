#include "register/tilingdata_base.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "formats/error.h"
#include "sim/ascendc/kernel_operator.h"
#include "tiling/activation/softmax_tilingdata.h"
#include "tiling/matmul_api/cube_tilingdata.h"

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

// The kernel's side of Outer: it reads the fields of the same class.
uint64_t KernelReads(const uint8_t* tiling) {
  GET_TILING_DATA(data, tiling);
  static_assert(std::is_same_v<decltype(data), Outer>);
  GET_TILING_DATA_MEMBER(Outer, inner, inner, tiling);
  return data.length + data.inner.wide + inner.small + data.tails[1];
}

TEST(TilingDef, IsAStructThatKernelsRead) {
  static_assert(sizeof(Outer) == sizeof(PlainOuter) && offsetof(Outer, tails) == offsetof(PlainOuter, tails));
  static_assert(std::is_trivially_copyable_v<Outer> && std::is_standard_layout_v<Outer>);
  PlainOuter plain{};
  Filled().SaveToBuffer(&plain, sizeof plain);
  EXPECT_EQ(KernelReads(reinterpret_cast<const uint8_t*>(&plain)), 7 + (uint64_t{1} << 40) + 8 + 2);
}

TEST(TilingDef, LivesInTheBufferThatSetDataPtrNames) {
  PlainOuter buffer{.length = 3, .inner = {4, 5}, .tails = {6, 7, 8}};
  {
    Outer data = Filled();
    data.SetDataPtr(&buffer);
    EXPECT_EQ(data.get_length(), 3U);
    EXPECT_EQ(data.inner.get_wide(), 5U);
    data.set_length(30);
    data.inner.set_small(40);
    data.get_tails()[2] = 80;
    EXPECT_EQ(buffer.length, 30U);
    EXPECT_EQ(buffer.inner.small, 40);
    EXPECT_EQ(buffer.tails[2], 80);
    PlainOuter saved{};
    data.SaveToBuffer(&saved, sizeof saved);
    EXPECT_EQ(saved.length, 30U);
    PlainOuter other{.length = 9, .inner = {}, .tails = {}};
    data.SetDataPtr(&other);
    EXPECT_EQ(data.get_length(), 9U);
    data.set_length(10);
    EXPECT_EQ(buffer.length, 30U);
  }
  Outer unrelated;  // perhaps where `data` stood
  unrelated.set_length(1);
  EXPECT_EQ(buffer.length, 30U);
}

TEST(TilingDef, CopiesOfOneThatLivesInABufferStandOnTheirOwn) {
  PlainOuter buffer{.length = 3, .inner = {4, 5}, .tails = {6, 7, 8}};
  Outer data;
  data.SetDataPtr(&buffer);
  data.inner.set_small(40);
  const uint16_t tails[] = {60, 70, 80};
  data.set_tails(tails);
  Outer copy = data;
  EXPECT_EQ(copy.get_length(), 3U);
  EXPECT_EQ(copy.inner.get_small(), 40);
  EXPECT_EQ(copy.get_tails()[2], 80);
  copy.set_length(9);
  copy.inner = Inner();
  EXPECT_EQ(buffer.length, 3U);
  EXPECT_EQ(buffer.inner.small, 40);
}

TEST(TilingDef, RefusesBuffersThatCannotHoldIt) {
  PlainOuter buffer{};
  Outer data;
  data.SetDataPtr(&buffer);
  EXPECT_THROW(data.inner.SetDataPtr(&buffer), tilesim::UserError);
  EXPECT_THROW(data.SetDataPtr(nullptr), tilesim::UserError);
}

// Declared with as few semicolons as hosts get away with, registered twice, and for a key.
namespace elsewhere {
BEGIN_TILING_DATA_DEF(Bare)
TILING_DATA_FIELD_DEF(int8_t, one)
TILING_DATA_FIELD_DEF_ARR(int64_t, 2, two)
TILING_DATA_FIELD_DEF_STRUCT(Inner, three)
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(BareOp, Bare)
}  // namespace elsewhere
REGISTER_TILING_DATA_CLASS(Add_2, Outer)
REGISTER_TILING_DATA_CLASS(BareOp, elsewhere::Bare);

TEST(TilingDef, NeedsNoSemicolons) {
  struct Plain {
    int8_t one;
    int64_t two[2];
    PlainInner three;
  };
  EXPECT_EQ(elsewhere::Bare().GetDataSize(), sizeof(Plain));
  EXPECT_STREQ(elsewhere::Bare().GetTilingClassName(), "Bare");
}

TEST(TilingDef, IsTheKernelsStructWhereItIsTheOnlyOneOfAnOperator) {
  const PlainOuter plain{.length = 1, .inner = {2, 3}, .tails = {4, 5, 6}};
  GET_TILING_DATA(data, &plain);  // Bare is registered as a nested one
  EXPECT_EQ(data.length, 1U);
  {
    REGISTER_TILING_DEFAULT(PlainInner);
    GET_TILING_DATA(inner, &plain.inner);
    EXPECT_EQ(inner.wide, 3U);
  }
}

namespace project {
BEGIN_TILING_DATA_DEF(Rows)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(optiling::SoftMaxTiling, softmax);
TILING_DATA_FIELD_DEF_STRUCT(optiling::TCubeTiling, cube);
END_TILING_DATA_DEF;
}  // namespace project

// What kernels hand to SoftMax and to REGIST_MATMUL_OBJ is what the host has filled.
TEST(TilingDef, OfTheLibraryIsTheStructOfItsFunctions) {
  project::Rows data;
  EXPECT_EQ(data.cube.get_baseM(), 0);
  data.softmax.set_srcM(7);
  data.cube.set_baseM(16);
  const AscendC::tiling::SoftMaxTiling& softmax = data.softmax;
  EXPECT_EQ(softmax.srcM, 7U);
  const AscendC::tiling::TCubeTiling* const cube = &data.cube;
  EXPECT_EQ(cube->baseM, 16);
  std::array<std::byte, sizeof(project::Rows)> buffer{};
  data.SaveToBuffer(buffer.data(), buffer.size());
  data.SetDataPtr(buffer.data());
  data.cube.set_baseM(32);
  project::Rows read;
  read.LoadFromBuffer(buffer.data(), buffer.size());
  EXPECT_EQ(read.softmax.get_srcM(), 7U);
  EXPECT_EQ(read.cube.get_baseM(), 32);
}

}  // namespace
