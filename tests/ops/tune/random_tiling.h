#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ops/operator_run.h"
#include "ops/tune/tune_operator.h"
#include "sim/core/launch.h"
#include "sim/core/lone_cores.h"
#include "sim/core/recording.h"
#include "sim/core/summary.h"
#include "tiling/tune/tile_space.h"

namespace tilesim::testing {

constexpr double kNoCutoff = std::numeric_limits<double>::infinity();

// The part as it is shipped, or one of those that lie at the edges of what its figures may be.
inline SocConfig RandomPart(std::mt19937_64& random) {
  static const std::vector<std::vector<std::string>> kSettings = {
      {},
      {"sync.flag_cycles=0"},
      {"sync.flag_cycles=9", "sync.barrier_cycles=0"},
      {"l2.sector_bytes=2048", "l2.line_bytes=4096"},
      {"l2.sector_bytes=32"},
      {"gm.burst_cycles=0", "gm.read_latency_cycles=9", "gm.ub_read_latency_cycles=9"},
      {"gm.hbm_total_bytes_per_cycle=90", "gm.miss_latency_cycles=0"},
      {"l2.write_allocate=0", "scalar.issue_cycles=0"},
      {"gm.l2_same_total_bytes_per_cycle=250"},
      {"gm.hbm_core_bytes_per_cycle=11"},
      {"gm.l2_atomic_total_bytes_per_cycle=60"},
      {"memory.l2_bytes=131072", "gm.l2_same_total_bytes_per_cycle=300"},
      {"gm.l2_same_total_bytes_per_cycle=20000"},
      {"gm.unaligned_part=0.1"},
      {"gm.hbm_total_bytes_per_cycle=40", "gm.hbm_core_bytes_per_cycle=40"},
      {"gm.hbm_total_bytes_per_cycle=150"}};
  const size_t which = std::uniform_int_distribution<size_t>(0, 2 * kSettings.size() - 1)(random);
  return LoadSoc("ascend910b2", kSettings[which < kSettings.size() ? which : 0]);
}

// Which tilings of a space: any, or such as a search looks at.
enum class Descent : uint8_t { kAny, kPromising };

// One child a level, each as likely as any other, or one of a few that promise most: the path to a tiling.
// Empty where a branch has none.
inline std::vector<TileNode> RandomDescent(TileSpace& space, std::mt19937_64& random,
                                           Descent descent = Descent::kAny) {
  constexpr size_t kFew = 12;
  std::vector<TileNode> way = {{}};
  for (int level = 0; level < space.levels(); ++level) {
    std::vector<TileNode> children = space.Open(level, way.back().path, kNoCutoff).nodes;
    if (children.empty()) {
      return {};
    }
    size_t count = children.size();
    if (descent == Descent::kPromising) {
      count = std::min(count, kFew);
      std::ranges::partial_sort(children, children.begin() + static_cast<int64_t>(count), {},
                                &TileNode::bound_us);
    }
    way.push_back(children[std::uniform_int_distribution<size_t>(0, count - 1)(random)]);
  }
  way.erase(way.begin());
  return way;
}

// What bounds say of one tiling, against the time it takes.
struct Tightness {
  double whole = 0;  // bound of the tiling / time, summed
  double core = 0;   // time of one core at best / time, summed
  int count = 0;
  int skipped = 0;  // for `too_long` says so
};

// Running each sort of core once, and no longer than needed, gives what a launch of all of them tells.
inline void CheckRuns(const Operator& op, const Plan& plan, const SocConfig& soc, double time_us) {
  const LaunchResult launch = TimeOperator(op, plan, soc, {.threads = 1});
  EXPECT_EQ(time_us, LaunchTimeUs(soc, launch.cycles, plan.UsedCores())) << JsonOf(plan.tiling);
  int64_t gm_bytes = 0;
  for (const CoreResult& core : launch.cores) {
    gm_bytes += core.statistics.gm_read_bytes + core.statistics.gm_write_bytes;
  }
  EXPECT_EQ(RunPlan(op, plan, soc).gm_bytes, gm_bytes);
  const std::optional<TuneCost> within = RunPlan(op, plan, soc, time_us);
  ASSERT_TRUE(within) << JsonOf(plan.tiling);
  EXPECT_EQ(within->time_us, time_us);
  EXPECT_FALSE(RunPlan(op, plan, soc, LaunchTimeUs(soc, launch.cycles - 2, plan.UsedCores())));
}

// ... and moves the same bytes.
inline void CheckMoves(const Operator& op, const Plan& plan, const SocConfig& soc) {
  LaunchOptions options = TimedLaunch(op, plan, {});
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : options.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  LaunchRecording launch;
  options.recording = &launch;
  Launch(soc, options, [&] { op.Kernel(plan, gm); });
  options.recording = nullptr;
  std::vector<size_t> all(launch.cores.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const LoneCores lone = RunLoneCores(soc, options, all, [&] { op.Kernel(plan, gm); });
  for (size_t core = 0; core < all.size(); ++core) {
    const Recording& a = launch.recordings[core];
    const Recording& b = lone.recording.recordings[core];
    ASSERT_EQ(a.moves(), b.moves());
    for (size_t move = 0; move < a.moves(); ++move) {
      ASSERT_EQ(a.GmBegin(move), b.GmBegin(move)) << "core " << core << ", move " << move << "\n"
                                                  << JsonOf(plan.tiling);
    }
  }
}

// Tilings that are not run, for they have too many instructions: by other means than the bounds.
using TooLong = std::function<bool(const Plan&)>;

// Checks a tiling: it is legal, and no bound on its way is above its time.
inline void CheckTiling(const Operator& op, const SocConfig& soc, int64_t cores,
                        const TunableTilings& tilings, const std::vector<TileNode>& way, Tightness& tightness,
                        const TooLong& too_long = {}) {
  const TilePath& path = way.back().path;
  const Plan plan = tilings.PlanOf(path);
  ASSERT_TRUE(plan.legal) << plan.reasons.front();
  if (too_long && too_long(plan)) {
    ++tightness.skipped;
    return;
  }
  const double time_us = RunPlan(op, plan, soc).time_us;
  CheckRuns(op, plan, soc, time_us);
  CheckMoves(op, plan, soc);
  const double least_us = LeastTimeUs(op, plan, soc, tilings.BusiestCoreOf(path));
  constexpr double kRounding = 1e-9;
  for (size_t level = 0; level < way.size(); ++level) {
    EXPECT_LE(way[level].bound_us, time_us * (1 + kRounding)) << "level " << level + 1 << "\n"
                                                              << JsonOf(plan.tiling);
  }
  EXPECT_LE(least_us, time_us * (1 + kRounding)) << JsonOf(plan.tiling);
  EXPECT_LE(LowerBoundOf(soc, op.LeastWork(soc), cores).time_us, time_us * (1 + kRounding));
  double bound_us = 0;
  for (const TileNode& node : way) {
    bound_us = std::max(bound_us, node.bound_us);
  }
  tightness.whole += bound_us / time_us;
  tightness.core += least_us / time_us;
  ++tightness.count;
}

// ... a random one of the operator.
inline void CheckRandomTiling(const Operator& op, const SocConfig& soc, int64_t cores,
                              std::mt19937_64& random, Tightness& tightness, Descent descent = Descent::kAny,
                              const TooLong& too_long = {}) {
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, cores);
  ASSERT_NE(tilings, nullptr);
  const std::vector<TileNode> way = RandomDescent(tilings->space(), random, descent);
  if (!way.empty()) {
    CheckTiling(op, soc, cores, *tilings, way, tightness, too_long);
  }
}

// ... all of them.
inline void CheckAllTilings(const Operator& op, const SocConfig& soc, int64_t cores, Tightness& tightness) {
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, cores);
  ASSERT_NE(tilings, nullptr);
  TileSpace& space = tilings->space();
  std::vector<TileNode> way;
  const auto descend = [&](const auto& self, const TilePath& path) -> void {
    const int level = static_cast<int>(way.size());
    if (level == space.levels()) {
      CheckTiling(op, soc, cores, *tilings, way, tightness);
      return;
    }
    for (const TileNode& node : space.Open(level, path, kNoCutoff).nodes) {
      way.push_back(node);
      self(self, node.path);
      way.pop_back();
    }
  };
  descend(descend, {});
}

}  // namespace tilesim::testing
