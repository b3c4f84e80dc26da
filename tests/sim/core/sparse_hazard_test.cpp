// The check between cores against a model by bytes, on a few accesses of three cores: there is often one
// hazard at most, which the search over all bytes must not miss, nor invent.
#include <array>
#include <cstdint>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

constexpr uint64_t kPage = 65536;  // of the search
constexpr uint64_t kBegin = uint64_t{1} << 30;
constexpr size_t kCores = 3;
constexpr int kRounds = 3;

struct ProgramStep {
  enum class Kind : uint8_t { kAccess, kSet, kWait } kind = Kind::kAccess;
  int round = 0;
  Pipe pipe = Pipe::kFix;
  Region region = {};
  int line = 0;
};
using Program = std::vector<ProgramStep>;

// Small runs around the first byte of a page, alone or a page apart.
Region RandomPlace(std::mt19937& random) {
  constexpr std::array<uint64_t, 4> kBytes = {4, 4, 8, 64};
  const uint64_t bytes = kBytes[random() % kBytes.size()];
  Region region = Bytes(Memory::kGm, Use::kRead, 0, bytes);
  region.begin = kBegin + (1 + random() % 3) * kPage - 16 + random() % 9 * 4;
  if (random() % 4 == 0) {
    region.count = 2;
    region.stride_bytes = random() % 2 == 0 ? kPage : bytes + 4;
  }
  return region;
}

// `rare`: the larger, the fewer.
void AddAccesses(std::mt19937& random, const std::vector<Region>& places, unsigned rare, Program& program) {
  while (random() % rare == 0) {
    ProgramStep step;
    step.region = places[random() % places.size()];
    step.region.use = std::array{Use::kRead, Use::kWrite, Use::kAtomic}[random() % 3];
    step.region.operand = step.region.use == Use::kRead ? "src" : "dst";
    step.pipe = step.region.use == Use::kRead ? Pipe::kMte2 : Pipe::kFix;
    step.line = static_cast<int>(1 + random() % 3);  // some lines come again
    program.push_back(step);
  }
}

// Each round: accesses that the core promises, its flag, accesses that it does not promise, and the wait.
Program RandomProgram(std::mt19937& random, const std::vector<Region>& places, unsigned rare) {
  Program program;
  for (int round = 0; round < kRounds; ++round) {
    AddAccesses(random, places, rare, program);
    program.push_back({.kind = ProgramStep::Kind::kSet, .round = round});
    AddAccesses(random, places, rare, program);
    program.push_back({.kind = ProgramStep::Kind::kWait, .round = round});
  }
  AddAccesses(random, places, rare, program);
  return program;
}

void Play(Core& core, const Program& program) {
  for (const ProgramStep& step : program) {
    if (step.kind == ProgramStep::Kind::kAccess) {
      Do(core, {.on = step.pipe, .regions = {step.region}}, {.file = "k", .line = step.line});
    } else if (step.kind == ProgramStep::Kind::kSet) {
      core.BarrierAll({});
      core.CrossCoreSet(0, Pipe::kFix, step.round, {});
    } else {
      core.CrossCoreWait(step.round, {});
    }
  }
}

size_t PlaceOf(const Program& program, ProgramStep::Kind kind, int round) {
  size_t at = 0;
  while (program[at].kind != kind || program[at].round != round) {
    ++at;
  }
  return at;
}

bool Before(const Program& a, size_t at, const Program& b, size_t then) {
  for (int round = 0; round < kRounds; ++round) {
    if (at < PlaceOf(a, ProgramStep::Kind::kSet, round) &&
        then > PlaceOf(b, ProgramStep::Kind::kWait, round)) {
      return true;
    }
  }
  return false;
}

bool ShareAByte(const Region& a, const Region& b) {
  bool share = false;
  a.ForEachRun([&](uint64_t begin, uint64_t end) {
    b.ForEachRun([&](uint64_t from, uint64_t to) { share = share || (begin < to && from < end); });
  });
  return share;
}

// The lower core and its line, the higher one and its line.
using Pairs = std::set<std::tuple<size_t, int, size_t, int>>;

Pairs HazardsOf(const std::vector<Program>& programs) {
  Pairs pairs;
  for (size_t low = 0; low < programs.size(); ++low) {
    for (size_t high = low + 1; high < programs.size(); ++high) {
      for (size_t i = 0; i < programs[low].size(); ++i) {
        for (size_t j = 0; j < programs[high].size(); ++j) {
          const ProgramStep& a = programs[low][i];
          const ProgramStep& b = programs[high][j];
          const bool accesses = a.kind == ProgramStep::Kind::kAccess && b.kind == ProgramStep::Kind::kAccess;
          const bool harmless = a.region.use == b.region.use && a.region.use != Use::kWrite;
          if (accesses && !harmless && ShareAByte(a.region, b.region) &&
              !Before(programs[low], i, programs[high], j) && !Before(programs[high], j, programs[low], i)) {
            pairs.insert({low, a.line, high, b.line});
          }
        }
      }
    }
  }
  return pairs;
}

// Each is told once.
Pairs PairsOf(const LaunchResult& result) {
  Pairs pairs;
  size_t told = 0;
  for (const Fault& fault : result.faults) {
    if (fault.operand == "GM") {  // "... that AIC 0 writes with Probe on FIX (k:3, ..."
      const size_t core = fault.what.find("that AIC ") + 9;
      const size_t line = fault.what.find("(k:") + 3;
      pairs.insert({std::stoul(fault.what.substr(core)), std::stoi(fault.what.substr(line)),
                    std::stoul(fault.core.substr(4)), fault.where.line});
      ++told;
    }
  }
  EXPECT_EQ(told, pairs.size());
  return pairs;
}

TEST(HazardBetweenCores, OfAFewAccessesAreThoseOfAModelByBytes) {
  constexpr unsigned kSeeds = 3000;
  int none = 0;
  int one = 0;
  int more = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::vector<Region> places;
    for (auto left = 1 + random() % 4; left > 0; --left) {
      places.push_back(RandomPlace(random));
    }
    std::vector<Program> programs;
    for (size_t core = 0; core < kCores; ++core) {
      programs.push_back(RandomProgram(random, places, 2 + seed % 6));
      for (auto& step : programs.back()) {
        step.line += 1000 * static_cast<int>(core);  // what cores do in the same lines is one fault
      }
    }
    LaunchOptions options{.type = KernelType::kMixAic1_0,
                          .blocks = kCores,
                          .mode = {.values = false, .time = false, .hazards = true},
                          .threads = 1};
    options.gm.Add({.name = "x", .address = kBegin, .size_bytes = 6 * kPage});
    const Pairs found = PairsOf(LaunchOnUnit(
        options, [&](Core& core) { Play(core, programs[static_cast<size_t>(core.identity().block)]); }));
    const Pairs expected = HazardsOf(programs);
    if (expected.size() < 16) {  // no more are told
      ASSERT_EQ(found, expected) << "seed " << seed;
    }
    ++(expected.empty() ? none : expected.size() == 1 ? one : more);
  }
  std::cout << none << " programs without a hazard, " << one << " with one, " << more << " with more\n";
  EXPECT_GT(none, 100);
  EXPECT_GT(one, 100);
  EXPECT_GT(more, 100);
}

}  // namespace
}  // namespace tilesim
