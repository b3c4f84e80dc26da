#include "tiling/rejection.h"

#include <gtest/gtest.h>

#include <array>

namespace tilesim {
namespace {

TEST(Rejection, IsOneSentenceForEachKindOfLimit) {
  EXPECT_EQ(Sentence({"bytes of L0A", "baseM", 69632, 65536, "baseM 256 fits"}),
            "baseM: bytes of L0A: found 69632, must be at most 65536; baseM 256 fits");
  EXPECT_EQ(Sentence({"pixels", "wi", 0, 1, "wi 1 fits"}),
            "wi: pixels: found 0, must be at least 1; wi 1 fits");
  EXPECT_EQ(Sentence({"rows", "ho", 31, 32, "ho 32 fits", LimitKind::kExact}),
            "ho: rows: found 31, must be 32; ho 32 fits");
  EXPECT_EQ(Sentence({"fractals", "baseN", 24, 16, "", LimitKind::kMultiple}),
            "baseN: fractals: found 24, must be a multiple of 16");
  EXPECT_EQ(Sentence({"int32, must be fp16", "dtype", 0, 0, "fp16 fits", LimitKind::kInWords}),
            "dtype: int32, must be fp16; fp16 fits");
}

TEST(ValueRanges, RefuseWithTheNearestThatFits) {
  const std::array<ValueRange, 7> ranges = {{{"r", "within", 5, 1, 9},
                                             {"r", "multiple", 32, 16, 64, 16},
                                             {"r", "below", 0, 1, 9},
                                             {"r", "above", 10, 1, 9},
                                             {"r", "other", 3, 4, 4},
                                             {"r", "uneven", 40, 16, 64, 16},
                                             {"r", "unevenAtTheStart", 25, 24, 64, 16}}};
  Rejections reasons;
  CheckRanges(ranges, reasons);
  const Rejections expected = {
      {"r", "below", 0, 1, "below 1 fits"},
      {"r", "above", 10, 9, "above 9 fits"},
      {"r", "other", 3, 4, "other 4 fits", LimitKind::kExact},
      {"r", "uneven", 40, 16, "uneven 32 fits", LimitKind::kMultiple},
      {"r", "unevenAtTheStart", 25, 16, "unevenAtTheStart 32 fits", LimitKind::kMultiple}};
  EXPECT_EQ(reasons, expected);
}

}  // namespace
}  // namespace tilesim
