// What a launch is bound by, and what would help.
#include "sim/explain/explanation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/sim/core/gm_probe.h"
#include "tests/sim/explain/recorded.h"

namespace tilesim {
namespace {

using enum Pipe;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// A load and a product, over and over, with one buffer between them or two.
std::function<void(Core&)> LoadsAndProducts(int64_t load, int64_t product, int buffers = 1) {
  return [=](Core& core) {
    for (int i = 0; i < 20; ++i) {
      const int id = i % buffers;
      if (i >= buffers) {
        core.WaitFlag(kM, kMte1, id, {});
      }
      Do(core, On(kMte1, load));
      Hand(core, kMte1, kM, id);
      Do(core, On(kM, product));
      if (i + buffers < 20) {
        core.SetFlag(kM, kMte1, id, {});
      }
    }
  };
}

Explanation ExplanationOf(const Recorded& recorded) {
  return Explain(recorded.recording, recorded.soc, recorded.result);
}

const std::vector<std::string> kNoLaunch = {"launch.us=0", "launch.us_per_core=0"};

TEST(Explanation, NamesTheBoundAndTheGainThatTimingItAgainShows) {
  const Recorded recorded(LoadsAndProducts(90, 30, 2), 1, kNoLaunch);
  const Explanation explanation = ExplanationOf(recorded);
  const WhatIfAnswer& best = explanation.what_if.front();
  EXPECT_EQ(best.freed, Freed::kPipe);
  EXPECT_EQ(best.pipe, kMte1);
  EXPECT_EQ(best.cycles, Replay(recorded.recording, recorded.soc, WhatIf::Free(kMte1)).cycles);
  EXPECT_LT(best.cycles, 20 * 40);
  const std::string verdict = Sentence(explanation);
  EXPECT_THAT(verdict, HasSubstr("Bound by MTE1: if MTE1 took no time, the kernel would take " +
                                 std::to_string(best.cycles) + " cycles instead of " +
                                 std::to_string(recorded.result.cycles)));
  EXPECT_THAT(verdict, HasSubstr("MTE1 at work"));
  EXPECT_THAT(verdict, HasSubstr("a larger L0 tile"));
}

TEST(Explanation, TheVerdictFollowsTheProgram) {
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(LoadsAndProducts(30, 90, 2), 1, kNoLaunch))),
              HasSubstr("Bound by M: "));
  EXPECT_THAT(
      Sentence(ExplanationOf(Recorded(LoadsAndProducts(30, 90, 2), 1, {"launch.us=5000"}))),
      AllOf(HasSubstr("Bound by the launch: "), HasSubstr("Of the rest: Bound by M: if M took no time")));
  const auto one_long = [](Core& core) { Do(core, On(kM, core.identity().block == 0 ? 1000 : 10)); };
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(one_long, 8, kNoLaunch))), HasSubstr("Bound by M: "));
  const auto flags = [](Core& core) {
    for (int i = 0; i < 50; ++i) {
      Do(core, On(kMte1, 1));
      Hand(core, kMte1, kM);
      Do(core, On(kM, 1));
      Hand(core, kM, kMte1);
    }
  };
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(flags, 1, {"launch.us=0", "sync.flag_cycles=50"}))),
              HasSubstr("Bound by flags and barriers"));
}

TEST(Explanation, ACoreThatAllWaitForIsImbalance) {
  const auto one_chain = [](Core& core) {
    for (int i = 0; i < (core.identity().block == 0 ? 20 : 1); ++i) {
      Do(core, On(kMte1, 50));
      Hand(core, kMte1, kM);
      Do(core, On(kM, 50));
      Hand(core, kM, kMte1);
    }
  };
  const Explanation explanation = ExplanationOf(Recorded(one_chain, 8, kNoLaunch));
  EXPECT_LT(explanation.mean_end, 0.25 * static_cast<double>(explanation.cycles));
  EXPECT_THAT(Sentence(explanation), HasSubstr("Bound by imbalance: on average a core is done after 1"));
}

TEST(Explanation, WhereNothingGainsMuchItSaysSo) {
  const auto scalar = [](Core& core) {
    core.Record([](Recording& to) { to.Scalar(5000); });
    Do(core, On(kM, 10));
  };
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(scalar, 8, kNoLaunch))),
              HasSubstr("Balanced: if M took no time"));
}

TEST(Explanation, NamesTheCoresWithoutWork) {
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(LoadsAndProducts(90, 30, 2), 3, kNoLaunch))),
              HasSubstr(" Work for only 3 of 8 cores: split it over more."));
  EXPECT_THAT(Sentence(ExplanationOf(Recorded(LoadsAndProducts(90, 30, 2), 8, kNoLaunch))),
              testing::Not(HasSubstr("Work for only")));
}

// Two cores read 6400 bytes each that L2 has not: 200 cycles from L2 alone, 400 from HBM alone, 800 shared.
TEST(Explanation, TellsMissesAndSharingFromTheMovesThemselves) {
  std::vector<std::byte> data(1 << 16);
  GmSpace gm;
  gm.Add(BufferOf("x", data));
  const uint64_t begin = gm.buffers()[0].address;
  const auto read = [=](Core& core) {
    const uint64_t from = begin + static_cast<uint64_t>(core.identity().block) * 6400;
    core.Issue(GmProbe{Reads(Memory::kGm, from, from + 6400)}, SourceLine::Here());
    Hand(core, kMte2, kM);
    Do(core, On(kM, 10));
  };
  std::vector<std::string> settings = kNoLaunch;
  settings.push_back("gm.hbm_total_bytes_per_cycle=16");
  const Explanation explanation = ExplanationOf(Recorded(read, 2, settings, gm));
  const Account& mte2 = explanation.pipes[static_cast<size_t>(Index(kMte2))].busy;
  EXPECT_EQ(mte2.Of(Cause::kWork, kMte2), 200);
  EXPECT_EQ(mte2.Of(Cause::kL2Miss), 200);
  EXPECT_EQ(mte2.Of(Cause::kShared), 400);
  const Account& m = explanation.pipes[static_cast<size_t>(Index(kM))].idle;
  EXPECT_EQ(m.Of(Cause::kShared), 400);
  EXPECT_EQ(m.Of(Cause::kL2Miss), 200);
  for (const LeastTime& least : explanation.least_times) {
    if (least.of == "pipe MTE2") {
      EXPECT_DOUBLE_EQ(least.time_us, 2 * 200 / 8.0);
    }
  }
  EXPECT_THAT(Sentence(explanation), HasSubstr("Bound by L2"));
}

// The bytes of x from the `block * apart`-th on, twenty times 3200 of them, by GmProbe, which L2 gives in 100
// cycles, HBM in 200.
Explanation OfReads(int64_t blocks, int64_t apart, const std::vector<std::string>& settings) {
  std::vector<std::byte> data(1 << 20);
  GmSpace gm;
  gm.Add(BufferOf("x", data));
  const uint64_t begin = gm.buffers()[0].address;
  const auto read = [=](Core& core) {
    for (int64_t i = 0; i < 20; ++i) {
      const uint64_t from = begin + static_cast<uint64_t>((core.identity().block * apart + i) * 3200);
      core.Issue(GmProbe{Reads(Memory::kGm, from, from + 3200)}, SourceLine::Here());
    }
  };
  std::vector<std::string> all = kNoLaunch;
  all.insert(all.end(), settings.begin(), settings.end());
  return ExplanationOf(Recorded(read, blocks, all, gm));
}

TEST(Explanation, AdvisesToReadFewerBytesAgainWhereSomeAre) {
  const Explanation once = OfReads(4, 20, {});
  EXPECT_EQ(once.reads.all, 4 * 20 * 3200);
  EXPECT_EQ(once.reads.distinct, once.reads.all);
  EXPECT_EQ(once.reads.missed, once.reads.all);
  const Explanation again = OfReads(4, 5, {});  // 35 pieces, of which 15 are read by all
  EXPECT_EQ(again.reads.all, 4 * 20 * 3200);
  EXPECT_EQ(again.reads.distinct, 35 * 3200);
  for (const Freed freed : {Freed::kPipe, Freed::kL2Misses, Freed::kSharing}) {
    const std::string mend = MendOf(freed, kMte2, once.reads);
    EXPECT_THAT(mend, Not(AnyOf(HasSubstr("again"), HasSubstr("order"), HasSubstr("fewer cores"))));
  }
  EXPECT_THAT(MendOf(Freed::kPipe, kMte2, once.reads), HasSubstr("no byte is read twice"));
  EXPECT_THAT(MendOf(Freed::kSharing, kMte2, once.reads), HasSubstr("no byte is read twice"));
  EXPECT_THAT(MendOf(Freed::kL2Misses, kMte2, once.reads), HasSubstr("each byte comes from HBM but once"));
  const std::string told = "56 % of the bytes read had been read before";
  EXPECT_THAT(MendOf(Freed::kPipe, kMte2, again.reads),
              AllOf(HasSubstr("read fewer bytes again"), HasSubstr(told)));
  EXPECT_THAT(MendOf(Freed::kSharing, kMte2, again.reads), HasSubstr(told));
  GmReadBytes missed_again = again.reads;
  missed_again.missed = 2 * missed_again.distinct;
  EXPECT_THAT(MendOf(Freed::kL2Misses, kMte2, missed_again), HasSubstr("order the tiles"));
  EXPECT_THAT(Sentence(once), HasSubstr("Most likely to help: no byte is read twice"));
}

TEST(Explanation, SaysThatNoByteIsReadTwiceOnlyWhereNoneIs) {
  const auto expect = [](const GmReadBytes& reads, const std::string& read, const std::string& missed) {
    EXPECT_EQ(MendOf(Freed::kPipe, kMte2, reads),
              read + ", so load ahead of the use (two buffers or more), in fewer and larger moves");
    EXPECT_EQ(MendOf(Freed::kSharing, kMte2, reads),
              read +
                  ", so that only fewer bytes in all would help: fuse the kernel with the one before or "
                  "behind it, or use a smaller type");
    EXPECT_EQ(MendOf(Freed::kL2Misses, kMte2, reads),
              missed +
                  ": load it further ahead of its use (more buffers), or fuse the kernel with the one that "
                  "makes it");
  };
  expect({.all = 1000, .distinct = 1000, .missed = 1000}, "no byte is read twice",
         "each byte comes from HBM but once, as it must");
  expect({.all = 1000, .distinct = 950, .missed = 950}, "hardly any byte (5 %) is read twice",
         "each byte comes from HBM but once, as it must");
  expect({.all = 1000, .distinct = 999, .missed = 1000}, "hardly any byte (less than 1 %) is read twice",
         "hardly more (less than 1 %) comes from HBM than each byte once");
  expect({.all = 1000, .distinct = 900, .missed = 990}, "hardly any byte (10 %) is read twice",
         "hardly more (10 %) comes from HBM than each byte once");
}

TEST(Explanation, AdvisesNumbersOfCoresInOneWay) {
  const auto sentence = [](int64_t used, int64_t launched, const char* launch) {
    const auto work = [=](Core& core) {
      if (core.identity().block < used) {
        LoadsAndProducts(90, 30, 2)(core);
      }
    };
    return Sentence(ExplanationOf(Recorded(work, launched, {"launch.us=0", launch})));
  };
  // a core takes 1900 us
  const std::string idle = sentence(3, 8, "launch.us_per_core=1000");
  EXPECT_THAT(idle,
              AllOf(HasSubstr("launch only as many cores as have work, 3 in place of 8: each adds 1000 us"),
                    Not(HasSubstr("Work for only")), Not(HasSubstr("fewer cores"))));
  EXPECT_THAT(sentence(4, 4, "launch.us_per_core=2000"),
              AllOf(HasSubstr("or use fewer cores: each adds 2000 us to it, more than it saves"),
                    Not(HasSubstr("Work for only"))));
  EXPECT_THAT(sentence(4, 4, "launch.us_per_core=600"),
              AllOf(HasSubstr("Bound by the launch"), Not(HasSubstr("cores"))));
  EXPECT_THAT(sentence(4, 4, "launch.us_per_core=1"),
              AllOf(HasSubstr("Work for only 4 of 8 cores"), Not(HasSubstr("fewer cores"))));
}

// An instruction that waits for misses and for others has several stretches of the path.
TEST(Explanation, CountsAnInstructionOfThePathOnce) {
  const Explanation explanation = OfReads(2, 20, {"gm.hbm_total_bytes_per_cycle=16"});
  ASSERT_EQ(explanation.path_items.size(), 1U);
  EXPECT_EQ(explanation.path_items[0].times, 20);
  EXPECT_GT(explanation.stretches.size(), 20U);
}

TEST(Explanation, AsksOfThePipesThatAreUsedAndGreatestGainFirst) {
  const Explanation explanation = ExplanationOf(Recorded(LoadsAndProducts(40, 60)));
  int64_t last = 0;
  for (const WhatIfAnswer& answer : explanation.what_if) {
    EXPECT_GE(answer.cycles, last);
    last = answer.cycles;
    EXPECT_TRUE(answer.freed != Freed::kPipe || answer.pipe == kMte1 || answer.pipe == kM);
  }
  EXPECT_EQ(explanation.what_if.size(), 2U + 5);
}

TEST(Explanation, ThePathsInstructionsAreThoseOfTheProgram) {
  const Explanation explanation = ExplanationOf(Recorded(LoadsAndProducts(40, 60)));
  ASSERT_EQ(explanation.path_items.size(), 2U);
  EXPECT_EQ(explanation.path_items[0].pipe, kM);
  EXPECT_EQ(explanation.path_items[0].cycles, 20 * 60);
  EXPECT_EQ(explanation.path_items[0].times, 20);
  EXPECT_EQ(explanation.path_items[1].cycles, 20 * 40);
  EXPECT_THAT(explanation.path_items[1].where.file, HasSubstr("explanation_test.cpp"));
}

TEST(Explanation, LeastTimesAreBelowTheTimeAndSharedByAllCores) {
  const Recorded recorded(LoadsAndProducts(40, 60), 2);
  const Explanation explanation = ExplanationOf(recorded);
  for (const LeastTime& least : explanation.least_times) {
    EXPECT_LE(least.time_us, explanation.time_us()) << least.of;
    if (least.of == "pipe M") {
      EXPECT_DOUBLE_EQ(least.time_us, 2 * 20 * 60 / 8.0);  // 8 cores, 1 cycle a us
    }
  }
  EXPECT_EQ(explanation.least_times.front().of, "launch");
  EXPECT_DOUBLE_EQ(explanation.least_times.front().time_us, explanation.launch_us);
}

}  // namespace
}  // namespace tilesim
