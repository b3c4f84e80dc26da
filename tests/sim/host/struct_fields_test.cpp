// Text values in the bytes of a user's struct.
#include "sim/host/struct_fields.h"

#include <gtest/gtest.h>

#include <cstring>

#include "formats/error.h"

namespace tilesim::host {
namespace {

enum class Mode : uint16_t { kA = 3 };
struct Inner {
  int64_t big;
  bool on;
};
struct Plan {
  uint8_t small;
  int32_t grid[2][3];
  Inner inner;
  Mode mode;
  Half half;
};

const StructLayout& Layout() {
  static const bool described =
      DescribeStruct<Plan>("ns::plan_kernel", "plan", TILESIM_FIELD(small), TILESIM_FIELD(grid),
                           TILESIM_FIELD(inner.big), TILESIM_FIELD(inner.on), TILESIM_FIELD(mode),
                           TILESIM_FIELD(half), TILESIM_FIELD(no_such), TILESIM_FIELD(inner));
  static_cast<void>(described);
  return *FindStruct("plan_kernel", "plan");
}

constexpr const char* kAll =
    "small=255;grid[0][0]=1;grid[0][1]=2;grid[0][2]=3;grid[1][0]=4;grid[1][1]=5;grid[1][2]=-6;"
    "inner.big=-9223372036854775808;inner.on=true;mode=3;half=0.5";

std::string RefusalOfValues(const std::string& values) {
  try {
    StructBytes(Layout(), values, "");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(StructFields, TakeTextWhereTheFieldsLie) {
  const std::vector<std::byte> bytes = StructBytes(Layout(), kAll, "");
  Plan plan;
  ASSERT_EQ(bytes.size(), sizeof(plan));
  std::memcpy(&plan, bytes.data(), sizeof(plan));
  EXPECT_EQ(plan.small, 255);
  EXPECT_EQ(plan.grid[0][1], 2);
  EXPECT_EQ(plan.grid[1][2], -6);
  EXPECT_EQ(plan.inner.big, INT64_MIN);
  EXPECT_TRUE(plan.inner.on);
  EXPECT_EQ(plan.mode, Mode::kA);
  EXPECT_EQ(static_cast<float>(plan.half), 0.5F);
}

TEST(StructFields, RefuseWhatTheStructDoesNotHave) {
  EXPECT_EQ(RefusalOfValues("smal=1").substr(0, 64),
            "the struct has no field smal; did you mean small? fields: small,");
  EXPECT_EQ(RefusalOfValues("no_such=1").substr(0, 32), "the struct has no field no_such;");
  EXPECT_EQ(RefusalOfValues("inner=1"),
            "field inner is no number, nor an array of numbers: of a struct give its fields, in {} or, of "
            "each in an "
            "array, in [{}, ...]; a pointer cannot be given");
  EXPECT_EQ(RefusalOfValues("grid=1"), "field grid has 2 dimensions, 'grid' has 0 indices");
  EXPECT_EQ(RefusalOfValues("grid[0][3]=1"), "'grid[0][3]': index 3, the array has 3 elements");
  EXPECT_EQ(RefusalOfValues("small=256"), "field small: '256' is beyond uint8");
  EXPECT_EQ(RefusalOfValues("small=1.5"), "field small: '1.5' is no uint8");
  EXPECT_EQ(RefusalOfValues("small=1;small=2"), "field small is given twice");
}

TEST(StructFields, MustAllHaveAValue) {
  std::string some = kAll;
  some.erase(some.find("grid[1][1]=5;"), 13);
  EXPECT_EQ(RefusalOfValues(some), "field grid has no value, or not all of its elements have one");
  EXPECT_EQ(RefusalOfValues(std::string(kAll).substr(10)), "field small has no value");
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
TEST(StructFields, NobodyNamedAreToldByTheirBytes) {
  DescribeStruct<Inner>("part", "p", TILESIM_FIELD(on));
  try {
    StructBytes(*FindStruct("part", "p"), "on=1", "");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 44), "bytes [0, 8) of the struct, which has 16, be");
  }
}
#endif
#endif

}  // namespace
}  // namespace tilesim::host
