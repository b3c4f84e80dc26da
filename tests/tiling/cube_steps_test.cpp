// Choices and their numbers, and the steps that the tile programs of both gradients and of products may take.
#include "tiling/tune/cube_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tiling/random_filter_problem.h"
#include "tests/tiling/random_input_problem.h"

namespace tilesim::testing {
namespace {

// Of all choices, each of which has to come back from its number, and their numbers to rise.
struct Walked {
  int64_t count = 0;
  int64_t longest_m = 0, longest_kb = 0;
};
Walked WalkThroughNumbers(const CubeSteps& steps, const SocConfig& soc) {
  Walked walked;
  std::optional<uint64_t> last;
  steps.ForEach(soc, [&](const CubeChoice& choice) {
    const uint64_t code = CodeOf(choice);
    EXPECT_EQ(ChoiceOf(code, steps.block), choice);
    EXPECT_TRUE(!last || *last < code);
    last = code;
    ++walked.count;
    walked.longest_m = std::max(walked.longest_m, choice.step_m);
    walked.longest_kb = std::max(walked.longest_kb, choice.step_kb);
  });
  return walked;
}

// The first of some blocks, the last and one between.
template <class T>
std::array<T, 3> SomeOf(const std::vector<T>& all) {
  return {all.front(), all[all.size() / 2], all.back()};
}

TEST(CubeSteps, OfAFilterGradientComeBackFromTheirNumbers) {
  const SocConfig soc = LoadSoc("ascend910b2");
  std::mt19937_64 random(3);
  for (const DType dtype : {DType::kFp16, DType::kFp32}) {
    const FilterProblem p = RandomFilterProblem(random, dtype, 1);
    const FilterExtents e = ExtentsOf(p);
    const FilterTaskSize part = {.m = e.m, .lines = e.cin1_g, .rows = p.ho};
    int64_t count = 0;
    for (const CubeSize& block : SomeOf(BlocksOf(p, soc, part))) {
      count += WalkThroughNumbers(StepsOf(p, soc, part, block), soc).count;
    }
    EXPECT_GT(count, 0);
  }
}

TEST(CubeSteps, OfAnInputGradientComeBackFromTheirNumbers) {
  const SocConfig soc = LoadSoc("ascend910b2");
  std::mt19937_64 random(3);
  for (const DType dtype : {DType::kFp16, DType::kFp32}) {
    const InputProblem p = RandomInputProblem(random, dtype, 1);
    const InputPart part = {.rows = p.hi, .lines = ExtentsOf(p).cin1_g, .dins = 1};
    int64_t count = 0;
    for (const CubeSize& block : SomeOf(BlocksOf(p, soc, part))) {
      for (const CubeSteps& steps : StepsOf(p, soc, part, block)) {
        count += WalkThroughNumbers(steps, soc).count;
      }
    }
    EXPECT_GT(count, 0);
  }
}

TEST(CubeSteps, OfAProductComeBackFromTheirNumbers) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const CubeSize part = {.m = 300, .n = 200, .k = 500};
  for (const int64_t element_bytes : {2, 4}) {
    int64_t count = 0;
    for (const CubeSize& block : SomeOf(BlocksOf(soc, element_bytes, part))) {
      count += WalkThroughNumbers(StepsOf(soc, element_bytes, part, block), soc).count;
    }
    EXPECT_GT(count, 0);
  }
}

struct FieldRange {
  const char* name;
  int64_t CubeChoice::*field;
  int64_t least, most;
};
constexpr std::array<FieldRange, 11> kRanges = {{{"baseK", &CubeChoice::base_k, 0, 4088},
                                                 {"stepM", &CubeChoice::step_m, 1, 2048},
                                                 {"stepN", &CubeChoice::step_n, 1, 4096},
                                                 {"stepKa", &CubeChoice::step_ka, 1, 8192},
                                                 {"stepKb", &CubeChoice::step_kb, 1, 8192},
                                                 {"copies of A in L1", &CubeChoice::l1_copies_a, 1, 2},
                                                 {"copies of B in L1", &CubeChoice::l1_copies_b, 1, 2},
                                                 {"copies of A and B in L0", &CubeChoice::l0_copies, 1, 2},
                                                 {"copies of C in L0C", &CubeChoice::l0c_copies, 1, 2},
                                                 {"iterateOrder", &CubeChoice::iterate_order, 0, 1},
                                                 {"unit flag", &CubeChoice::unit_flag, 0, 1}}};

TEST(CubeChoiceNumber, HoldsTheExtremesOfEachField) {
  const CubeSize block = {.m = 48, .n = 80};
  CubeChoice all_least = {.base_m = 48, .base_n = 80};
  CubeChoice all_most = all_least;
  for (const FieldRange& range : kRanges) {
    all_least.*range.field = range.least;
    all_most.*range.field = range.most;
    for (const int64_t value : {range.least, range.most}) {
      CubeChoice choice = {.base_m = 48, .base_n = 80};
      choice.*range.field = value;
      EXPECT_EQ(ChoiceOf(CodeOf(choice), block), choice) << range.name << " " << value;
    }
  }
  EXPECT_EQ(ChoiceOf(CodeOf(all_least), block), all_least);
  EXPECT_EQ(ChoiceOf(CodeOf(all_most), block), all_most);
}

// What CodeOf says of a choice that has no number.
std::string WhyNoNumber(const CubeChoice& choice) {
  try {
    CodeOf(choice);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(CubeChoiceNumber, IsRefusedBeyondTheExtremesAndBetweenGranules) {
  for (const FieldRange& range : kRanges) {
    const int64_t granule = range.field == &CubeChoice::base_k ? 8 : 1;
    for (const int64_t value : {range.least - granule, range.most + granule}) {
      CubeChoice choice;
      choice.*range.field = value;
      EXPECT_EQ(WhyNoNumber(choice), "a choice's number does not hold its " + std::string(range.name) +
                                         ": found " + std::to_string(value) + ", must be " +
                                         std::to_string(range.least) + " to " + std::to_string(range.most) +
                                         " in steps of " + std::to_string(granule));
    }
  }
  EXPECT_EQ(WhyNoNumber({.base_k = 20}),
            "a choice's number does not hold its baseK: found 20, must be 0 to 4088 in steps of 8");
}

// A part whose L1 is far beyond 1 MiB.
SocConfig PartOfLargeL1() {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.l1_bytes = int64_t{64} << 20;
  return soc;
}

// 65536 output channels in blocks of 16: stepM could be 4096.
TEST(CubeSteps, OfALargeL1TakeNoMoreBlocksOfMThanANumberHolds) {
  const SocConfig soc = PartOfLargeL1();
  FilterProblem p;
  p.batch = p.di = p.dk = p.hk = p.wk = 1;
  p.cin = 16, p.cout = 65536;
  p.hi = 1, p.wi = 16;
  DeriveOutputs(p);
  const CubeSteps steps =
      StepsOf(p, soc, {.m = 65536, .lines = 1, .rows = 1}, CubeSize{.m = 16, .n = 16, .k = 16});
  EXPECT_EQ(WalkThroughNumbers(steps, soc).longest_m, 2048);
}

// 400 lines of cout by 5 x 5 taps in blocks of 16: stepKb is a multiple of 25 and could be 10000.
TEST(CubeSteps, OfALargeL1TakeNoMoreBlocksOfKThanANumberHolds) {
  const SocConfig soc = PartOfLargeL1();
  InputProblem p;
  p.batch = p.di = p.dk = 1;
  p.hk = p.wk = 5;
  p.cin = 16, p.cout = 6400;
  p.hi = p.wi = 5;
  DeriveOutputs(p);
  const std::vector<CubeSteps> all =
      StepsOf(p, soc, {.rows = 1, .lines = 1, .dins = 1}, CubeSize{.m = 16, .n = 16});
  ASSERT_EQ(all.front().block.k, 16);
  EXPECT_EQ(WalkThroughNumbers(all.front(), soc).longest_kb, 8175);
}

// Load3D starts at columns up to 65535: those of the last tap of 4096 do, of 4160 none does.
TEST(CubeSteps, OfAFilterGradientEndWhereLoad3dAddressesNoColumn) {
  const SocConfig soc = LoadSoc("ascend910b2");
  FilterProblem p;
  p.batch = p.di = p.dk = 1;
  p.cin = p.cout = 16;
  p.hi = p.wi = p.hk = p.wk = 64;
  DeriveOutputs(p);
  const CubeSize block = {.m = 16, .n = 2048, .k = 16};
  EXPECT_EQ(StepsOf(p, soc, {.m = 16, .lines = 1, .rows = 1}, block).steps_n, std::vector<int64_t>{1});
  p.wi = p.wk = 65;
  DeriveOutputs(p);
  EXPECT_EQ(StepsOf(p, soc, {.m = 16, .lines = 1, .rows = 1}, block).steps_n, std::vector<int64_t>{});
}

// The last block of a step may start a row of dy less one pixel behind the step's first one.
TEST(CubeSteps, OfAFilterGradientEndWhereLoad3dAddressesNoPixel) {
  const SocConfig soc = LoadSoc("ascend910b2");
  FilterProblem p;
  p.batch = p.di = p.dk = p.hk = p.wk = 1;
  p.cin = p.cout = 16;
  p.hi = 1, p.wi = 32768;
  DeriveOutputs(p);
  const CubeSize block = {.m = 16, .n = 16, .k = 16};
  EXPECT_EQ(StepsOf(p, soc, {.m = 16, .lines = 1, .rows = 1}, block).steps_kb, std::vector<int64_t>{1});
  p.wi = 32769;
  DeriveOutputs(p);
  EXPECT_EQ(StepsOf(p, soc, {.m = 16, .lines = 1, .rows = 1}, block).steps_kb, std::vector<int64_t>{});
}

}  // namespace
}  // namespace tilesim::testing
