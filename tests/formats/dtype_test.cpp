#include "formats/dtype.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "formats/nearest_whole.h"

namespace tilesim {
namespace {

TEST(DType, EveryTypeIsFoundByItsOwnName) {
  std::set<std::string_view> names;
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(ParseDType(Name(dtype)), dtype);
    EXPECT_NE(KnownDTypes().find(Name(dtype)), std::string::npos);
    names.insert(Name(dtype));
  }
  EXPECT_EQ(names.size(), std::size(kAllDTypes));
}

TEST(DType, OtherNamesAreNotTypes) {
  for (const char* name : {"", "float", "FP16", "fp16 ", "int8"}) {
    EXPECT_EQ(ParseDType(name), std::nullopt) << name;
  }
}

TEST(DType, VisitCallsWithTheTypeOfThatSizeAndEnumerator) {
  for (const DType dtype : kAllDTypes) {
    const size_t size = VisitDType(dtype, [&]<class T>(TypeTag<T>) {
      EXPECT_EQ(kDTypeOf<T>, dtype);
      EXPECT_EQ(std::is_integral_v<T>, !IsFloating(dtype));
      return sizeof(T);
    });
    EXPECT_EQ(SizeOf(dtype), size);
  }
}

TEST(DType, VisitRefusesANumberThatIsNoType) {
  EXPECT_THROW(VisitDType(static_cast<DType>(99), [](auto) {}), std::logic_error);
}

TEST(DType, C0IsADataBlockOfElements) {
  EXPECT_EQ(C0Of(DType::kFp16), 16);
  EXPECT_EQ(C0Of(DType::kBf16), 16);
  EXPECT_EQ(C0Of(DType::kFp32), 8);
  EXPECT_EQ(C0Of(DType::kInt32), 8);
  EXPECT_EQ(C0Of(DType::kInt64), 4);
  EXPECT_EQ(C0Of(DType::kUint8), 32);
}

TEST(NearestWhole, RoundsTiesToEvenAndStopsAtTheEnds) {
  EXPECT_EQ(NearestWhole<int32_t>(2.5), 2);
  EXPECT_EQ(NearestWhole<int32_t>(3.5), 4);
  EXPECT_EQ(NearestWhole<int32_t>(-2.5), -2);
  EXPECT_EQ(NearestWhole<uint8_t>(-1), 0);
  EXPECT_EQ(NearestWhole<uint8_t>(255.6), 255);
  EXPECT_EQ(NearestWhole<int64_t>(1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(NearestWhole<int64_t>(-1e30), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(NearestWhole<int32_t>(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace tilesim
