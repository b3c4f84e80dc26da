#include <gtest/gtest.h>

#include "sim/isa/cast_values.h"
#include "sim/isa/vector_values.h"
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
      const VectorRun run{.count = std::ssize(values)};
      const auto* const from = reinterpret_cast<const std::byte*>(values.data());
      RoundCastFor(round, false)(from, reinterpret_cast<std::byte*>(whole.data()), run);
      RoundCastFor(round, true)(from, reinterpret_cast<std::byte*>(integers.data()), run);
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

}  // namespace
}  // namespace tilesim::isa
