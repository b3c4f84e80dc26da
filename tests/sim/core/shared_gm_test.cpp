// GM as cores share it: how long moves of several cores take.
#include "sim/core/shared_gm.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/replay.h"
#include "sim/core/shared_rate.h"
#include "tests/sim/core/gm_probe.h"

namespace tilesim {
namespace {

using enum Pipe;

TEST(SharedRate, GivesAMoveWhatOthersLeave) {
  SharedRate alone(10);
  EXPECT_EQ(alone.Take(100, 1000, 4), 350);
  SharedRate even(10);
  EXPECT_EQ(even.Take(0, 3200, 5), 640);
  EXPECT_EQ(even.Take(0, 3200, 5), 640);
  EXPECT_EQ(even.Take(640, 640, 10), 704);
  SharedRate full(10);
  EXPECT_EQ(full.Take(0, 6400, 10), 640);
  EXPECT_EQ(full.Take(0, 640, 10), 704);     // behind it
  EXPECT_EQ(full.Take(6400, 10, 10), 6401);  // nobody there
  full.TakeBehind(12800, 640);
  EXPECT_EQ(full.Take(12800, 10, 10), 12800 + 64 + 1);
}

// Goes through slot after slot, full or not.
class PlainRate {
 public:
  explicit PlainRate(double bytes_per_cycle) : slot_bytes_(bytes_per_cycle * SharedRate::kSlotCycles) {}
  double Take(int64_t start, int64_t bytes, double most) {
    auto left = static_cast<double>(bytes);
    auto at = static_cast<double>(start);
    for (int64_t slot = start / SharedRate::kSlotCycles;; ++slot) {
      const auto end = static_cast<double>((slot + 1) * SharedRate::kSlotCycles);
      const double room = std::min(slot_bytes_ - taken_[slot], most * (end - at));
      taken_[slot] += std::min(room, left);
      if (room >= left) {
        return at + left / most;
      }
      left -= room;
      at = end;
    }
  }

 private:
  double slot_bytes_;
  std::map<int64_t, double> taken_;
};

TEST(SharedRate, PassesOverFullSlotsAsIfItHadLookedAtEach) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    SharedRate rate(8);
    PlainRate plain(8);
    for (int i = 0; i < 400; ++i) {
      const auto start = static_cast<int64_t>(random() % 4000);
      const auto bytes = static_cast<int64_t>(1 + random() % (i % 10 == 0 ? 20000 : 300));
      const double most = i % 3 == 0 ? 8 * SharedRate::kSlotCycles : 1 << (random() % 4);
      ASSERT_NEAR(static_cast<double>(rate.Take(start, static_cast<double>(bytes), most)),
                  plain.Take(start, bytes, most), 1.01);
    }
  }
}

struct Shared {
  SocConfig soc;
  std::vector<std::byte> data = std::vector<std::byte>(1 << 16);
  LaunchRecording recording;
  LaunchResult result;

  // `read(core)`: from where to where each core reads (`twice`: twice), after `after` cycles of scalar work a
  // core.
  explicit Shared(int64_t cores, const std::function<std::pair<uint64_t, uint64_t>(int64_t)>& read,
                  int64_t after = 0, const std::string& setting = "gm.hbm_total_bytes_per_cycle=16",
                  bool twice = false)
      : soc(LoadSoc("unit", std::vector<std::string>{"chip.aic_cores=8", setting})) {
    LaunchOptions options{.blocks = cores, .mode = {.hazards = false}, .threads = 1, .recording = &recording};
    options.gm.Add(BufferOf("x", data));
    const uint64_t begin = options.gm.buffers()[0].address;
    result = Launch(soc, options, [&] {
      Core& core = CurrentCore();
      const int64_t block = core.identity().block;
      core.Record([&](Recording& to) { to.Scalar(after * block); });
      const auto [from, to] = read(block);
      for (int i = 0; i < (twice ? 2 : 1); ++i) {
        core.Issue(GmProbe{Reads(Memory::kGm, begin + from, begin + to)}, SourceLine::Here());
      }
    });
    EXPECT_EQ(TextOf(result), "");
  }
  int64_t End(size_t core) const { return result.cores[core].statistics.end_cycle; }
};

TEST(SharedGm, CoresThatMoveAtOneTimeShareHbmEvenly) {
  const auto own = [](int64_t core) { return std::pair<uint64_t, uint64_t>(core * 6400, (core + 1) * 6400); };
  EXPECT_EQ(Shared(1, own).End(0), 1 + 400);
  const Shared two(2, own);
  EXPECT_EQ(two.End(0), 1 + 800);
  EXPECT_EQ(two.End(1), 1 + 800);
  const Shared four(4, own, 0, "gm.hbm_total_bytes_per_cycle=32");
  EXPECT_EQ(four.End(3), 1 + 800);
}

TEST(SharedGm, CoresThatMoveAfterEachOtherDoNotShare) {
  const auto own = [](int64_t core) { return std::pair<uint64_t, uint64_t>(core * 6400, (core + 1) * 6400); };
  const Shared apart(3, own, 448);
  for (size_t core = 0; core < 3; ++core) {
    EXPECT_EQ(apart.End(core), 448 * static_cast<int64_t>(core) + 1 + 400);
  }
}

TEST(SharedGm, ACoreFindsInL2WhatAnotherFetched) {
  const auto same = [](int64_t) { return std::pair<uint64_t, uint64_t>(0, 6400); };
  const Shared shared(2, same, 10);
  EXPECT_EQ(shared.End(0), 1 + 400);
  EXPECT_EQ(shared.End(1), 1 + 400);  // no sooner than core 0 has it
  EXPECT_EQ(Shared(2, same, 1000).End(1), 1000 + 1 + 200);
  EXPECT_EQ(shared.result.cores[0].statistics.l2_miss_bytes, 6400);
  EXPECT_EQ(shared.result.cores[1].statistics.l2_hit_bytes, 6400);
  EXPECT_EQ(shared.result.cores[1].statistics.l2_miss_bytes, 0);
}

TEST(SharedGm, L2GivesLessOfWhatSeveralCoresRead) {
  const auto same = [](int64_t) { return std::pair<uint64_t, uint64_t>(0, 6400); };
  const Shared shared(2, same, 1000, "gm.l2_same_total_bytes_per_cycle=16", true);
  EXPECT_EQ(shared.End(0), 1 + 400 + 200);  // from HBM, then its own
  EXPECT_EQ(shared.End(1), 1001 + 400 + 200);
}

TEST(SharedGm, AtomicUpdatesHaveARateOfTheirOwn) {
  const SocConfig soc = LoadSoc("unit", std::vector<std::string>{"gm.l2_atomic_total_bytes_per_cycle=8"});
  const auto cycles = [&](Use use) {
    SharedGm gm(soc, {6400}, {});
    const GmRule rule{.of = [](const SocConfig&, const GmMove& move, const GmRule::Details&) {
      return Cost{.busy_cycles = std::max(move.bytes.hit / 32, move.least_cycles)};
    }};
    const GmPattern pattern{.shape = {.memory = Memory::kGm, .use = use, .block_bytes = 6400}, .rule = rule};
    GmUntil until;
    GmTime time;
    return gm.Move(pattern, 0, 0, 0, {}, until, time).busy_cycles;
  };
  EXPECT_EQ(cycles(Use::kWrite), 200);
  EXPECT_EQ(cycles(Use::kAtomic), 800);
}

// A core's read of 6400 bytes from `begin` on, which L2 has not; `slice_cycles`: what slices hold it up.
GmTime ReadOfMisses(const SocConfig& soc, uint64_t begin, int64_t slice_cycles, int64_t& busy_cycles) {
  SharedGm gm(soc, {1 << 16}, {});
  const GmRule rule{.of = [](const SocConfig&, const GmMove& move, const GmRule::Details&) {
    return Cost{.busy_cycles = std::max(move.bytes.miss / 16, move.least_cycles)};
  }};
  const GmPattern pattern{.shape = {.memory = Memory::kGm, .block_bytes = 6400}, .rule = rule};
  GmUntil until;
  GmTime time;
  busy_cycles = gm.Move(pattern, begin, 0, 0, {.slice_cycles = slice_cycles}, until, time).busy_cycles;
  return time;
}

TEST(SharedGm, PiecesThatBeginOffASectorHaveAPartOfTheRate) {
  const std::string both[] = {"gm.unaligned_part=0.5", "gm.hbm_total_bytes_per_cycle=16"};
  SocConfig soc = LoadSoc("unit", both);
  const auto cycles = [&](uint64_t begin) {
    int64_t busy_cycles = 0;
    ReadOfMisses(soc, begin, 0, busy_cycles);
    return busy_cycles;
  };
  EXPECT_EQ(cycles(128), 400);
  EXPECT_EQ(cycles(32), 816);
}

TEST(SharedGm, WhatIsWrittenBackTakesOfWhatReadsHaveAtItsOwnRate) {
  // A write of 64 KiB fills L2; reads of other 64 KiB then push it out of it.
  const auto cycles = [](const std::string& rate) {
    const std::string set[] = {"memory.l2_bytes=65536", "gm.hbm_total_bytes_per_cycle=16", rate};
    const SocConfig soc = LoadSoc("unit", set);
    SharedGm gm(soc, {1 << 18}, {});
    const GmRule rule{.of = [](const SocConfig&, const GmMove& move, const GmRule::Details&) {
      return Cost{.busy_cycles = std::max(move.bytes.hit / 32 + move.bytes.miss / 16, move.least_cycles)};
    }};
    GmPattern pattern{.shape = {.memory = Memory::kGm, .use = Use::kWrite, .block_bytes = 65536},
                      .rule = rule};
    GmUntil until;
    GmTime time;
    int64_t now = gm.Move(pattern, 0, 0, 0, {}, until, time).busy_cycles;
    pattern.shape.use = Use::kRead;
    for (uint64_t begin = 65536; begin < 3 * 65536; begin += 65536) {
      now += gm.Move(pattern, begin, 0, now, {}, until, time).busy_cycles;
    }
    return now;
  };
  const int64_t as_reads = cycles("gm.hbm_write_total_bytes_per_cycle=16");
  EXPECT_NEAR(static_cast<double>(as_reads), 65536 / 32.0 + 3 * 65536 / 16.0, 70);
  EXPECT_NEAR(static_cast<double>(cycles("gm.hbm_write_total_bytes_per_cycle=8") - as_reads), 65536 / 16.0,
              70);
}

TEST(SharedGm, ACoreThatReadsL2LeavesHbmToOthers) {
  // Core 0 reads [0, 6400) from HBM, then [0, 6400) from L2 while core 1 reads bytes of its own from HBM.
  Shared shared(
      2, [](int64_t core) { return std::pair<uint64_t, uint64_t>(core * 6400, (core + 1) * 6400); }, 448,
      "gm.hbm_total_bytes_per_cycle=16", true);
  EXPECT_EQ(shared.End(0), 1 + 400 + 200);
  EXPECT_EQ(shared.End(1), 448 + 1 + 400 + 200);
}

TEST(SharedGm, SaysWhatSlicesAddToTheRest) {
  const SocConfig soc = LoadSoc("unit");
  const auto time_of = [&](int64_t slice_cycles) {
    int64_t busy_cycles = 0;
    return ReadOfMisses(soc, 0, slice_cycles, busy_cycles);
  };
  const int64_t others = time_of(0).share_cycles;
  EXPECT_EQ(time_of(400 + others).slice_cycles, 0);
  EXPECT_EQ(time_of(400 + others + 100).slice_cycles, 100);
  EXPECT_EQ(time_of(400 + others + 100).share_cycles, others + 100);
}

TEST(SharedGm, SaysWhatMissesAndSharingCost) {
  const auto own = [](int64_t core) { return std::pair<uint64_t, uint64_t>(core * 6400, (core + 1) * 6400); };
  const Shared two(2, own);
  struct Times : ClockObserver {
    std::vector<GmTime> of;
    void OnRun(const TimedRun& timed) override { of.push_back(timed.gm); }
  } times;
  Replay(two.recording, two.soc, {}, &times);
  ASSERT_EQ(times.of.size(), 2U);
  EXPECT_EQ(times.of[1].bytes.miss, 6400);
  EXPECT_EQ(times.of[1].alone_cycles, 200);
  EXPECT_EQ(times.of[1].miss_cycles, 200);
  EXPECT_EQ(times.of[1].share_cycles, 400);
  WhatIf what_if;
  what_if.gm_unshared = true;
  EXPECT_EQ(Replay(two.recording, two.soc, what_if).cycles, 1 + 400);
  what_if.all_in_l2 = true;
  EXPECT_EQ(Replay(two.recording, two.soc, what_if).cycles, 1 + 200);
  what_if.even_share = 8;
  EXPECT_EQ(static_cast<double>(Replay(two.recording, two.soc, what_if).cycles),
            1 + 6400 / (two.soc.l2_total_bytes_per_cycle / 8));
  EXPECT_EQ(Replay(two.recording, two.soc, WhatIf::Free(kMte2)).cycles, 1);
}

}  // namespace
}  // namespace tilesim
