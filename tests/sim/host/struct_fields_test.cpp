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
            "each in an array, in [{}, ...]");
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

struct Nothing {};
struct OfNothing {
  Nothing nothing[2];
};
struct Odd {
  int32_t a;
  Nothing empty;
  int32_t b;
  int32_t* where;
  uint32_t low : 3;
  static constexpr int kMost = 4;
  enum { kRow };
};

std::string RefusalOfOdd(const std::string& values) {
  static const bool described = DescribeStruct<Odd>(
      "odd", "o", TILESIM_FIELD(a), TILESIM_FIELD(empty), TILESIM_FIELD(b), TILESIM_FIELD(where),
      TILESIM_FIELD(low), TILESIM_FIELD(kMost), TILESIM_FIELD(kRow), TILESIM_FIELD(no_such));
  static_cast<void>(described);
  try {
    StructBytes(*FindStruct("odd", "o"), values, "");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(StructFields, OfNoBytesNeedNoValue) {
  struct Holds {
    int32_t a;
    Nothing empty;
    int32_t b;
  };
  DescribeStruct<Holds>("holds", "h", TILESIM_FIELD(a), TILESIM_FIELD(empty), TILESIM_FIELD(b));
  const std::vector<std::byte> bytes = StructBytes(*FindStruct("holds", "h"), "a=1;b=2", "");
  Holds holds;
  ASSERT_EQ(bytes.size(), sizeof(holds));
  std::memcpy(&holds, bytes.data(), sizeof(holds));
  EXPECT_EQ(holds.a, 1);
  EXPECT_EQ(holds.b, 2);
}

TEST(StructFields, SayWhyAPointerAndABitFieldCannotBeGiven) {
  const std::string of_pointer =
      "where is a pointer, which cannot be given: only a program knows what it points to; launch the kernel "
      "from a main()";
  EXPECT_EQ(RefusalOfOdd("a=1;b=2"), "field where has no value; " + of_pointer);
  EXPECT_EQ(RefusalOfOdd("a=1"), "fields b, where have no value; " + of_pointer);
  EXPECT_EQ(RefusalOfOdd("where=0"), "field " + of_pointer);
  EXPECT_EQ(RefusalOfOdd("low=1"),
            "field low is a bit-field, which has no address; declare it as a whole number, or launch the "
            "kernel from a main()");
  for (const std::string name : {"kMost", "kRow", "no_such"}) {
    const std::string expected = "the struct has no field " + name + ";";
    EXPECT_EQ(RefusalOfOdd(name + "=1").substr(0, expected.size()), expected);
  }
}

// As the library's tilings have: for the struct itself, which a struct derived from it becomes, too.
struct Base {
  int32_t first;
};
template <class Visit>
void VisitTilingFields(Base& base, const Visit& visit) {
  visit("first", base.first);
}
struct Derived : Base {
  int32_t extra;
};
struct HoldsBoth {
  Base base;
  Derived derived;
};

TEST(StructFields, OfATilingOfTheLibraryAreThoseOfItselfAlone) {
  DescribeStruct<HoldsBoth>("both", "b", TILESIM_FIELD(base), TILESIM_FIELD(derived),
                            TILESIM_FIELD(derived.extra));
  const StructLayout& layout = *FindStruct("both", "b");
  ASSERT_EQ(layout.fields.size(), 4U);
  EXPECT_EQ(layout.fields[0].path, "base");
  EXPECT_TRUE(layout.fields[0].has_fields);
  EXPECT_EQ(layout.fields[1].path, "base.first");
  EXPECT_EQ(layout.fields[2].path, "derived");
  EXPECT_FALSE(layout.fields[2].has_fields);
  EXPECT_EQ(layout.fields[3].path, "derived.extra");
}

#ifdef TILESIM_KNOWS_PADDING
TEST(StructFields, OfPaddingAloneNeedNoValue) {
  struct Holds {
    int32_t a;
    OfNothing nothing;
  };
  DescribeStruct<Holds>("holds_nothing", "h", TILESIM_FIELD(a), TILESIM_FIELD(nothing));
  EXPECT_EQ(StructBytes(*FindStruct("holds_nothing", "h"), "a=1", "").size(), sizeof(Holds));
}

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

}  // namespace
}  // namespace tilesim::host
