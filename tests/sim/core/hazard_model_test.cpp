// HazardChecker against a model that knows every byte and nothing of strides: programs at random.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/sim/core/byte_model.h"
#include "tests/sim/core/probe.h"
#include "tests/sim/core/random_program.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

// A fault of one core in the model's words.
std::string InShort(const Fault& fault) {
  const std::string& what = fault.what;
  const size_t place = what.find('[');
  std::string text = Say("k:", fault.where.line, " ", fault.operand.substr(0, 3), " ",
                         what.substr(place, what.find(')') - place + 1), " ");
  if (fault.kind == FaultKind::kHazard) {
    const size_t other = what.find("(k:") + 1;
    const size_t verb = what.find(") ", other) + 2;
    text += Say(what.substr(other, what.find_first_of(",)", other) - other), " ",
                what.substr(verb, what.find(',', verb) - verb));
  }
  return text;
}

bool BetweenCores(const Fault& fault) { return fault.operand == "GM"; }

// Pairs of lines of two cores with a byte in common, a write among them, in one round between meetings.
std::set<std::pair<int, int>> HazardsBetween(const std::vector<std::vector<ProgramStep>>& programs) {
  struct Met {
    size_t core;
    int round;
    int line;
    Use use;
  };
  std::map<uint64_t, std::set<std::tuple<size_t, int, int, Use>>> touched;
  for (size_t core = 0; core < programs.size(); ++core) {
    int round = 0;
    for (const ProgramStep& step : programs[core]) {
      round += step.kind == ProgramStep::Kind::kMeet ? 1 : 0;
      for (const Region& region : step.regions) {
        region.ForEachRun([&](uint64_t begin, uint64_t end) {
          for (uint64_t at = begin; at < end && region.memory == Memory::kGm; ++at) {
            touched[at].insert({core, round, step.line, region.use});
          }
        });
      }
    }
  }
  std::set<std::pair<int, int>> pairs;
  for (const auto& [at, touches] : touched) {
    for (const auto& [core_a, round_a, line_a, use_a] : touches) {
      for (const auto& [core_b, round_b, line_b, use_b] : touches) {
        const bool harmless = use_a == use_b && use_a != Use::kWrite;
        if (core_a < core_b && round_a == round_b && !harmless) {
          pairs.insert({line_a, line_b});
        }
      }
    }
  }
  return pairs;
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, TheCheckerFindsWhatAModelByBytesFinds) {
  size_t told = 0;
  size_t compared = 0;
  size_t between = 0;
  for (unsigned seed = GetParam() * 1000; seed < GetParam() * 1000 + static_cast<unsigned>(Repetitions(60));
       ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const CoreShape& shape = seed % 2 == 0 ? kCube : kVector;
    const int64_t cores = 1 + seed / 2 % 2;
    std::vector<std::vector<ProgramStep>> programs;
    for (int64_t core = 0; core < cores; ++core) {
      programs.push_back(RandomProgram(random, std::mt19937(seed), shape));
      for (ProgramStep& step : programs.back()) {
        step.line += 1000 * static_cast<int>(core);  // what cores do in the same lines is one fault
      }
    }
    LaunchOptions options{.type = shape.type,
                          .blocks = cores,
                          .mode = {.values = false, .time = false, .hazards = true},
                          .threads = 1};
    options.gm.Add({.name = "x", .address = kFilled, .size_bytes = kGmBytes});
    options.gm.Add({.name = "w", .address = kUnset, .size_bytes = kGmBytes, .initialised = false});
    const LaunchResult result = LaunchOnUnit(
        options, [&](Core& core) { Play(core, programs[static_cast<size_t>(core.identity().block)]); });
    std::vector<std::vector<std::set<uint64_t>>> written;  // by core, by round
    for (const std::vector<ProgramStep>& program : programs) {
      const std::vector<std::set<uint64_t>> nothing;
      ByteModel model(shape, nothing);
      model.Faults(program);
      written.push_back(model.own());
    }
    for (size_t core = 0; core < programs.size(); ++core) {
      const std::set<std::string> expected =
          ByteModel(shape, written[programs.size() - 1 - core]).Faults(programs[core]);
      std::set<std::string> found;
      for (const Fault& fault : result.faults) {
        const bool mine = fault.core == result.cores[core].identity.Name();
        if (mine && !BetweenCores(fault) && fault.kind != FaultKind::kFlag) {
          found.insert(InShort(fault));
        }
      }
      if (expected.size() <= 64) {  // more are counted, not kept
        EXPECT_EQ(found, expected);
        ++compared;
        told += expected.size();
      }
    }
    const std::set<std::pair<int, int>> pairs = HazardsBetween(programs);
    std::set<std::pair<int, int>> found_pairs;
    size_t told_between = 0;
    for (const Fault& fault : result.faults) {
      if (BetweenCores(fault)) {
        const size_t other = fault.what.find("(k:") + 3;
        found_pairs.insert({std::stoi(fault.what.substr(other)), fault.where.line});
        ++told_between;
      }
    }
    EXPECT_TRUE(std::ranges::includes(pairs, found_pairs));
    if (told_between < 16) {  // no more are told
      EXPECT_EQ(found_pairs, pairs);
    }
    between += found_pairs.size();
  }
  EXPECT_GT(compared, static_cast<size_t>(PartOf(60)));
  EXPECT_GT(told, static_cast<size_t>(PartOf(500)));
  EXPECT_GT(between, static_cast<size_t>(PartOf(50)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(1U, 5U));

}  // namespace
}  // namespace tilesim
