// The pairs and modes of Cast as the documents have them, written out: what the instruction takes is compared
// with these, not with its own table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "sim/isa/vector_cast.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

using enum VectorType;

struct Mode {
  char letter;
  Round round;
};
constexpr Mode kModes[] = {{'N', Round::kNone}, {'I', Round::kRint},  {'F', Round::kFloor},
                           {'C', Round::kCeil}, {'R', Round::kRound}, {'T', Round::kTrunc},
                           {'O', Round::kOdd}};

// A letter a mode. Of int32 to fp16 the documents name none: it scales.
struct Pair {
  VectorType from;
  VectorType to;
  std::string_view modes;
};
constexpr Pair kPairs[] = {
    {kInt4, kFp16, "N"},      {kInt8, kFp16, "N"},      {kUint8, kFp16, "N"},      {kInt16, kFp16, "NIFCRT"},
    {kInt16, kFp32, "N"},     {kFp16, kInt4, "NIFCRT"}, {kFp16, kInt8, "NIFCRT"},  {kFp16, kUint8, "NIFCRT"},
    {kFp16, kInt16, "IFCRT"}, {kFp16, kInt32, "IFCRT"}, {kFp16, kFp32, "N"},       {kBf16, kInt32, "IFCRT"},
    {kBf16, kFp32, "N"},      {kInt32, kInt16, "N"},    {kInt32, kFp16, "N"},      {kInt32, kFp32, "NIFCRT"},
    {kInt32, kInt64, "N"},    {kFp32, kInt16, "IFCRT"}, {kFp32, kInt32, "IFCRT"},  {kFp32, kInt64, "IFCRT"},
    {kFp32, kFp32, "IFCRT"},  {kFp32, kBf16, "IFCRT"},  {kFp32, kFp16, "NIFCRTO"}, {kInt64, kInt32, "N"},
    {kInt64, kFp32, "IFCRT"},
};

std::string_view ModesOf(VectorType from, VectorType to) {
  const auto* const pair =
      std::ranges::find_if(kPairs, [&](const Pair& p) { return p.from == from && p.to == to; });
  return pair == std::end(kPairs) ? "" : pair->modes;
}

TEST(VectorCastTable, TakesThePairsAndModesOfTheDocumentsAndNoOthers) {
  VectorCore core;
  core->registers().vector.deq_scale_set = true;
  core->registers().vector.deq_scale = 1;
  for (int pair = 0; pair < kNumVectorTypes * kNumVectorTypes; ++pair) {
    const auto from = static_cast<VectorType>(pair / kNumVectorTypes);
    const auto to = static_cast<VectorType>(pair % kNumVectorTypes);
    const std::string_view modes = ModesOf(from, to);
    for (const Mode& mode : kModes) {
      const int64_t lanes = 2048 / std::max(ElementBits(from), ElementBits(to));
      const std::string fault =
          core.FaultOf(VectorCast{.dst = {.at = In(Memory::kUb, 0), .element_bits = ElementBits(to)},
                                  .src = {.at = In(Memory::kUb, kThird), .element_bits = ElementBits(from)},
                                  .from = from,
                                  .to = to,
                                  .round = mode.round,
                                  .work = WorkOfCount(lanes, 2)});
      const std::string what = Say(Name(from), " to ", Name(to));
      if (modes.empty()) {
        EXPECT_SAYS(fault, Say("there is no cast from ", what, " on this part"));
      } else if (modes.find(mode.letter) == std::string_view::npos) {
        EXPECT_SAYS(fault, Say(NameOf(mode.round), " does not exist for ", what, "; allowed: "));
      } else {
        EXPECT_EQ(fault, "(no fault)") << NameOf(mode.round) << ", " << what;
      }
    }
  }
}

}  // namespace
}  // namespace tilesim::isa
