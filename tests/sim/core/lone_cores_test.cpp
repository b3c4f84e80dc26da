// Cores run each by itself, and those that do what another one does at other places of GM.
#include "sim/core/lone_cores.h"

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/current_core.h"
#include "sim/core/replay.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

constexpr uint64_t kBase = 1 << 20;
constexpr int64_t kCores = 6;

// A load of `bytes` of GM.
struct Load {
  static constexpr const char* kName = "Load";
  Region region;

  Pipe pipe() const { return Pipe::kMte2; }
  void Check(Core&) const {}
  Operands Footprint(Core&) const {
    Operands operands;
    operands.Add(region);
    return operands;
  }
  void Execute(Core&) const {}
  GmPassage TimeOn(Core&) const {
    return {
        .region = region,
        .rule = {.of = [](const SocConfig&, const GmMove& move, const GmRule::Details&) {
          return Cost{.busy_cycles = std::max(move.least_cycles, move.bytes.hit / 32 + move.bytes.miss / 8)};
        }}};
  }
};

// Tasks of `sizes` bytes, one after another from core to core; `done` counts those that were worked on.
struct Kernel {
  std::vector<uint64_t> sizes;
  bool says = true;
  int* done;

  void operator()() const {
    Core& core = CurrentCore();
    uint64_t begin = kBase;
    for (size_t i = 0; i < sizes.size(); ++i, begin += 4096) {
      if (static_cast<int64_t>(i) % kCores != core.identity().block) {
        continue;
      }
      if (says && !core.BeginTask({.kind = {static_cast<int64_t>(sizes[i])}, .places = {begin}})) {
        continue;
      }
      ++*done;
      for (const uint64_t part : {uint64_t{0}, sizes[i]}) {
        core.Issue(Load{Reads(Memory::kGm, begin + part, begin + part + sizes[i])}, {});
      }
    }
  }
};

struct Ran {
  LoneCores lone;
  int done = 0;
  int64_t cycles = 0;
};

Ran RunAll(const std::vector<uint64_t>& sizes, bool says) {
  Ran ran;
  LaunchOptions options{.type = KernelType::kMixAic1Aiv0, .blocks = kCores, .mode = {.hazards = false}};
  options.gm.Add({.name = "x", .address = kBase, .size_bytes = 4096 * sizes.size(), .initialised = true});
  std::vector<size_t> all(CoresOf(options).size());
  std::iota(all.begin(), all.end(), size_t{0});
  const SocConfig soc = UnitSoc();
  ran.lone = RunLoneCores(soc, options, all, Kernel{sizes, says, &ran.done});
  ran.cycles = Replay(ran.lone.recording, soc).cycles;
  return ran;
}

TEST(LoneCores, RunEachSortOfCoreOnce) {
  const std::vector<uint64_t> sizes = {512, 512, 1024, 512, 512, 1024, 64, 512, 64};
  const Ran each = RunAll(sizes, false);
  EXPECT_EQ(each.done, 9);
  EXPECT_EQ(each.lone.sorts, 6U);
  const Ran sorts = RunAll(sizes, true);
  EXPECT_EQ(sorts.lone.sorts, 5U);  // 512 64; 512 512; 1024 64; 512 twice; 1024
  EXPECT_EQ(sorts.done, 8);
  EXPECT_EQ(sorts.cycles, each.cycles);
  for (size_t core = 0; core < each.lone.recording.recordings.size(); ++core) {
    const Recording& one = each.lone.recording.recordings[core];
    const Recording& other = sorts.lone.recording.recordings[core];
    ASSERT_EQ(one.moves(), other.moves());
    for (size_t move = 0; move < one.moves(); ++move) {
      EXPECT_EQ(one.GmBegin(move), other.GmBegin(move)) << "core " << core << ", move " << move;
    }
    EXPECT_EQ(each.lone.statistics[core].gm_read_bytes, sorts.lone.statistics[core].gm_read_bytes);
  }
}

}  // namespace
}  // namespace tilesim
