#include "sim/isa/round_values.h"

#include <gtest/gtest.h>

#include "sim/isa/cast_values.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

TEST(RoundValues, OfManyFloatsAreThoseOfEach) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    Random random;
    for (const Round round : {Round::kRint, Round::kFloor, Round::kCeil, Round::kRound, Round::kTrunc}) {
      std::vector<float> values(1003);
      for (float& value : values) {
        value = random.Int(0, 3) == 0 ? std::bit_cast<float>(static_cast<uint32_t>(random.engine()))
                                      : static_cast<float>(random.Int(-99, 99)) / 4;
      }
      std::vector<float> whole(values.size());
      std::vector<int32_t> integers(values.size());
      RoundFloats(round, values.data(), whole.data(), std::ssize(values));
      FloatsToInt32(round, values.data(), integers.data(), std::ssize(values));
      for (size_t i = 0; i < values.size(); ++i) {
        const auto expected = static_cast<float>(RoundToWhole(values[i], round));
        ASSERT_TRUE(std::bit_cast<uint32_t>(whole[i]) == std::bit_cast<uint32_t>(expected) || IsNan(expected))
            << NameOf(round) << " of " << values[i] << ": " << whole[i];
        ASSERT_FALSE(whole[i] == 0 && std::signbit(whole[i])) << values[i];
        ASSERT_EQ(integers[i], Saturated<int32_t>(RoundToWhole(values[i], round))) << values[i];
      }
    }
  });
}

TEST(RoundValues, StayWithinBounds) {
  OnEachInstructionSet([](const char* name) {
    SCOPED_TRACE(name);
    Random random;
    std::vector<float> values(77);
    for (float& value : values) {
      value = RandomElement<float>(random) * 2;
    }
    std::vector<float> clamped(values.size());
    ClampFloats(65504, values.data(), clamped.data(), std::ssize(values));
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(clamped[i], IsNan(values[i]) ? 0 : std::clamp(values[i], -65504.0F, 65504.0F)) << values[i];
    }
  });
}

}  // namespace
}  // namespace tilesim::isa
