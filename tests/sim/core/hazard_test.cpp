// HazardChecker, through the door of a core.
#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;
using enum Memory;

// `second` follows `first`, which follows a write of all bytes by the same pipe as `first`; nothing orders
// them.
LaunchResult Pair(Pipe first_pipe, const Region& first, Pipe second_pipe, const Region& second) {
  return LaunchOnUnit([&](Core& core) {
    Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 4096)}});
    core.BarrierAll({});
    Do(core, {.on = first_pipe, .regions = {first}});
    Do(core, {.on = second_pipe, .regions = {second}});
  });
}

TEST(Hazard, ReadAfterWriteBetweenPipesIsFound) {
  const LaunchResult result = Pair(kMte2, Writes(kL1, 0, 512), kMte1, Reads(kL1, 256, 300));
  ASSERT_EQ(result.faults.size(), 1U);
  const Fault& fault = result.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::kHazard);
  EXPECT_EQ(fault.core, "AIC 0");
  EXPECT_EQ(fault.pipe, "MTE1");
  EXPECT_EQ(fault.operand, "src (L1)");
  EXPECT_NE(fault.what.find("reads L1 bytes [256, 300) that Probe on MTE2 ("), std::string::npos)
      << fault.what;
  EXPECT_NE(fault.what.find("needs SetFlag/WaitFlag<MTE2_MTE1> between them"), std::string::npos)
      << fault.what;
}

TEST(Hazard, WriteAfterReadAndWriteAfterWriteAreFound) {
  const LaunchResult war = Pair(kMte1, Reads(kL1, 0, 512), kMte2, Writes(kL1, 511, 600));
  ASSERT_EQ(war.faults.size(), 1U);
  EXPECT_NE(war.faults[0].what.find("writes L1 bytes [511, 600) that Probe on MTE1"), std::string::npos);
  EXPECT_NE(war.faults[0].what.find(" reads, and nothing orders"), std::string::npos);
  const LaunchResult waw = Pair(kFix, Writes(kL1, 0, 512), kMte2, Writes(kL1, 0, 1));
  ASSERT_EQ(waw.faults.size(), 1U);
  EXPECT_NE(waw.faults[0].what.find(" writes, and nothing orders"), std::string::npos);
}

// Of several earlier accesses that nothing orders before a write of MTE2, one is told.
TEST(Hazard, OfTwoBetweenPipesTheLaterIsTold) {
  const auto after = [](const std::vector<Probe>& earlier) {
    const LaunchResult result = LaunchOnUnit([&](Core& core) {
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});
      core.BarrierAll({});
      for (const Probe& probe : earlier) {
        Do(core, probe);
      }
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}}, {.file = "kernel.cpp", .line = 20});
    });
    EXPECT_EQ(result.faults.size(), 1U) << TextOf(result);
    return result.faults.empty() ? "" : result.faults[0].what;
  };
  const auto told = [](const std::string& what, const std::string& pipe, const std::string& verb,
                       const std::string& mend) {
    EXPECT_NE(what.find("writes L1 bytes [0, 512) that Probe on " + pipe + " ("), std::string::npos) << what;
    EXPECT_NE(what.find(") " + verb + ", and nothing orders the two: needs " + mend + " between them"),
              std::string::npos)
        << what;
  };
  const std::string of_reader = "SetFlag/WaitFlag<MTE1_MTE2>";
  const std::string of_writer = "SetFlag/WaitFlag<FIX_MTE2>";
  const Probe reader = {.on = kMte1, .regions = {Reads(kL1, 0, 256)}};
  const Probe writer = {.on = kFix, .regions = {Writes(kL1, 256, 512)}};
  told(after({writer, reader}), "MTE1", "reads", of_reader);
  told(after({reader, writer}), "FIX", "writes", of_writer);
  const Probe writer_of_mte3 = {.on = kMte3, .regions = {Writes(kL1, 0, 256)}};
  told(after({writer_of_mte3, writer}), "FIX", "writes", of_writer);
  told(after({writer, writer_of_mte3}), "MTE3", "writes", "SetFlag/WaitFlag<MTE3_MTE2>");
  const Probe reader_of_mte3 = {.on = kMte3, .regions = {Reads(kL1, 256, 512)}};
  told(after({reader_of_mte3, reader}), "MTE1", "reads", of_reader);
  told(after({reader, reader_of_mte3}), "MTE3", "reads", "SetFlag/WaitFlag<MTE3_MTE2>");
  const Probe writer_of_mte2 = {.on = kMte2, .regions = {Writes(kL1, 256, 512)}};  // within a pipe
  told(after({writer_of_mte2, reader}), "MTE1", "reads", of_reader);
  told(after({reader, writer_of_mte2}), "MTE1", "reads", of_reader);
  told(after({writer_of_mte2}), "MTE2", "writes", "a PipeBarrier<PIPE_MTE2>");
}

TEST(Hazard, NeighboursAndTwoReadsAreNone) {
  EXPECT_TRUE(Pair(kMte2, Writes(kL1, 0, 512), kMte1, Reads(kL1, 512, 600)).faults.empty());
  EXPECT_TRUE(Pair(kMte3, Reads(kL1, 0, 512), kMte1, Reads(kL1, 0, 512)).faults.empty());
  EXPECT_TRUE(
      Pair(kMte1, Reads(kL1, 0, 512), kMte1, Writes(kL1, 0, 512)).faults.empty());  // a pipe reads in order
}

TEST(Hazard, StridedBlocksMeetOnlyWhereTheyAre) {
  Region columns = Writes(kL1, 0, 32);  // 32 of each 64 bytes, 8 times, in two groups
  columns.count = 4;
  columns.stride_bytes = 64;
  columns.outer_count = 2;
  columns.outer_stride_bytes = 1024;
  EXPECT_TRUE(Pair(kMte2, columns, kMte1, Reads(kL1, 32, 64)).faults.empty());
  EXPECT_TRUE(Pair(kMte2, columns, kMte1, Reads(kL1, 256, 1024)).faults.empty());
  EXPECT_EQ(Pair(kMte2, columns, kMte1, Reads(kL1, 1024 + 192, 1024 + 193)).faults.size(), 1U);
}

void ProductChain(Core& core, bool flag_to_mte1, bool flag_to_m) {
  Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});
  if (flag_to_mte1) {
    core.SetFlag(kMte2, kMte1, 0, {});
    core.WaitFlag(kMte2, kMte1, 0, {});
  }
  Do(core, {.on = kMte1, .regions = {Reads(kL1, 0, 512), Writes(kL0A, 0, 512)}});
  if (flag_to_m) {
    core.SetFlag(kMte1, kM, 0, {});
    core.WaitFlag(kMte1, kM, 0, {});
  }
  Do(core, {.on = kM, .regions = {Reads(kL0A, 0, 512), Writes(kL0C, 0, 1024)}});
}

TEST(Hazard, FlagsSilenceItAndEachMissingOneIsFound) {
  for (int missing = 0; missing < 3; ++missing) {
    const LaunchResult result =
        LaunchOnUnit([&](Core& core) { ProductChain(core, missing != 1, missing != 2); });
    EXPECT_EQ(result.faults.size(), missing == 0 ? 0U : 1U) << TextOf(result);
  }
}

TEST(Hazard, FlagsOrderTransitively) {
  const LaunchResult result = LaunchOnUnit([&](Core& core) {
    ProductChain(core, true, true);
    core.SetFlag(kM, kMte2, 0, {});
    core.WaitFlag(kM, kMte2, 0, {});
    Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});  // MTE1 has read it: M waited for that
  });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
}

TEST(Hazard, ABarrierOfOnePipeDoesNotOrderAnother) {
  const auto with = [](Pipe barrier) {
    return LaunchOnUnit([&](Core& core) {
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});
      core.Barrier(barrier, {});
      Do(core, {.on = kMte1, .regions = {Reads(kL1, 0, 512)}});
    });
  };
  EXPECT_EQ(with(kMte2).faults.size(), 1U);
  EXPECT_EQ(with(kMte1).faults.size(), 1U);
}

TEST(Hazard, OverlappingMovesOfOneMtePipeNeedABarrier) {
  const auto moves = [](uint64_t second, bool barrier) {
    return LaunchOnUnit([&](Core& core) {
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});
      if (barrier) {
        core.Barrier(kMte2, {});
      }
      Do(core, {.on = kMte2, .regions = {Writes(kL1, second, second + 512)}});
    });
  };
  EXPECT_TRUE(moves(512, false).faults.empty());
  EXPECT_TRUE(moves(480, true).faults.empty());
  const LaunchResult result = moves(480, false);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_NE(result.faults[0].what.find("needs a PipeBarrier<PIPE_MTE2> between them"), std::string::npos);
}

TEST(Hazard, OverlappingStoresOfMte3NeedABarrierUnlessAtomic) {
  std::vector<float> out(64);
  const auto stores = [&](bool atomic) {
    LaunchOptions options{.threads = 1};
    options.gm.Add(BufferOf("out", out));
    const uint64_t begin = options.gm.buffers()[0].address;
    return LaunchOnUnit(options, [&](Core& core) {
      Region region = Writes(kGm, begin, begin + 64);
      region.use = atomic ? Use::kAtomic : Use::kWrite;
      Do(core, {.on = kMte3, .regions = {region}});
      Do(core, {.on = kMte3, .regions = {region}});
    });
  };
  EXPECT_EQ(stores(false).faults.size(), 1U);
  EXPECT_TRUE(stores(true).faults.empty());
}

TEST(Hazard, DisorderedInstructionsOfOnePipeNeedABarrier) {
  const auto products = [](bool disordered, bool barrier) {
    return LaunchOnUnit([&](Core& core) {
      Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}});
      if (barrier) {
        core.Barrier(kM, {});
      }
      Do(core,
         {.on = kM, .regions = {Reads(kL0C, 0, 1024), Writes(kL0C, 0, 1024)}, .disordered = disordered});
    });
  };
  EXPECT_TRUE(products(false, false).faults.empty());
  EXPECT_TRUE(products(true, true).faults.empty());
  EXPECT_EQ(products(true, false).faults.size(), 2U);  // its read and its write
}

TEST(Hazard, RepeatsOfOnePairOfLinesAreOneFaultWithACount) {
  const LaunchResult result = LaunchOnUnit([](Core& core) {
    for (int i = 0; i < 5; ++i) {
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 512)}});
      Do(core, {.on = kMte1, .regions = {Reads(kL1, 0, 512)}});
      core.BarrierAll({});
    }
  });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  EXPECT_TRUE(result.faults[0].what.ends_with("(5 times)")) << result.faults[0].what;
}

// With values they are followed until they matter (UndefinedRun).
TEST(Hazard, ReadsOfUnwrittenBytesAreFoundWithoutValues) {
  const auto read = [](uint64_t begin, uint64_t end) {
    const LaunchOptions options{.mode = {.values = false}, .threads = 1};
    return LaunchOnUnit(options, [&](Core& core) {
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 64, 512)}});
      core.BarrierAll({});
      Do(core, {.on = kMte1, .regions = {Reads(kL1, begin, end)}});
    });
  };
  EXPECT_TRUE(read(64, 512).faults.empty());
  for (const LaunchResult& result : {read(32, 65), read(511, 513), read(600, 700)}) {
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::kUninitialised);
    EXPECT_NE(result.faults[0].what.find("of which at least one was never written"), std::string::npos);
  }
}

TEST(Hazard, GmThatTheHostDidNotFillMustBeWrittenFirst) {
  std::vector<float> out(64);
  const auto run = [&](bool initialised, uint64_t written_bytes, Use use) {
    LaunchOptions options{.mode = {.values = false}, .threads = 1};
    options.gm.Add(BufferOf("dw", out, initialised));
    const uint64_t begin = options.gm.buffers()[0].address;
    return LaunchOnUnit(options, [&](Core& core) {
      if (written_bytes != 0) {
        Do(core, {.on = kMte3, .regions = {Writes(kGm, begin, begin + written_bytes)}});
      }
      core.BarrierAll({});
      Do(core, {.on = kFix, .regions = {Bytes(kGm, use, begin, begin + 128)}});
    });
  };
  EXPECT_TRUE(run(true, 0, Use::kRead).faults.empty());
  EXPECT_TRUE(run(false, 128, Use::kRead).faults.empty());
  EXPECT_TRUE(run(false, 0, Use::kWrite).faults.empty());
  for (const Use use : {Use::kRead, Use::kAtomic}) {  // an update reads what it updates
    const LaunchResult result = run(false, 127, use);
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::kUninitialised);
    EXPECT_NE(result.faults[0].what.find("GM buffer dw bytes [0, 128)"), std::string::npos)
        << result.faults[0].what;
  }
}

// More than the checker keeps in the order they came.
TEST(Hazard, GmWrittenInThousandsOfPiecesCountsAsWritten) {
  constexpr uint64_t kPieces = 3000;
  std::vector<float> out(kPieces * 8);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("dw", out, false));
  const uint64_t begin = options.gm.buffers()[0].address;
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    for (uint64_t i = kPieces; i-- > 0;) {  // the last one first, 4 bytes of each 32
      Do(core, {.on = kMte3, .regions = {Writes(kGm, begin + 32 * i, begin + 32 * i + 4)}});
      if (i % 1000 == 999 || i == 0) {
        core.BarrierAll({});
        for (uint64_t written = i; written < kPieces; ++written) {
          Do(core, {.on = kFix, .regions = {Reads(kGm, begin + 32 * written, begin + 32 * written + 4)}});
        }
      }
    }
  });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
}

TEST(Hazard, AReadOfGmThatAWriteOvertakesIsFound) {
  std::vector<float> data(4096);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("x", data));
  const uint64_t begin = options.gm.buffers()[0].address;
  const auto run = [&](uint64_t write_at, bool flag) {
    return LaunchOnUnit(options, [&](Core& core) {
      Region rows = Reads(Memory::kGm, begin, begin + 64);  // 64 of each 256 bytes
      rows.count = 8;
      rows.stride_bytes = 256;
      Do(core, {.on = kMte2, .regions = {rows}});
      if (flag) {
        core.SetFlag(kMte2, kMte3, 0, {});
        core.WaitFlag(kMte2, kMte3, 0, {});
      }
      Do(core, {.on = kMte3, .regions = {Writes(Memory::kGm, begin + write_at, begin + write_at + 64)}});
      Do(core, {.on = kMte2, .regions = {Reads(Memory::kGm, begin + 8192, begin + 8256)}});
    });
  };
  ASSERT_EQ(run(256 * 7, false).faults.size(), 1U);
  EXPECT_NE(run(256 * 7, false).faults[0].what.find(" reads, and nothing orders"), std::string::npos);
  EXPECT_TRUE(run(256 * 7, true).faults.empty());
  EXPECT_TRUE(run(256 * 7 + 64, false).faults.empty());
}

TEST(Hazard, TheVendorsCompilerOrdersVAndSOnVectorCoresOnly) {
  LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
  const LaunchResult vector = LaunchOnUnit(options, [](Core& core) {
    Do(core, {.on = kV, .regions = {Writes(kUb, 0, 256)}, .disordered = true});
    Do(core, {.on = kV, .regions = {Reads(kUb, 0, 256), Writes(kUb, 0, 256)}, .disordered = true});
    Do(core, {.on = kS, .regions = {Reads(kUb, 0, 4)}});
  });
  EXPECT_TRUE(vector.faults.empty()) << TextOf(vector);
  EXPECT_EQ(Pair(kMte2, Writes(kL1, 0, 32), kS, Reads(kL1, 0, 4)).faults.size(), 1U);
}

TEST(Hazard, UnitFlagsOrderMmadAndFixpipe) {
  const auto run = [](int mmad_flag, int fixpipe_flag) {
    return LaunchOnUnit([&](Core& core) {
      Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}, .unit_flag = mmad_flag});
      Do(core, {.on = kFix, .regions = {Reads(kL0C, 0, 1024)}, .unit_flag = fixpipe_flag});
    });
  };
  EXPECT_TRUE(run(3, 3).faults.empty()) << TextOf(run(3, 3));
  const auto hazards = [](const LaunchResult& result) {  // unit flags left full are told, too
    return std::ranges::count(result.faults, FaultKind::kHazard, &Fault::kind);
  };
  EXPECT_EQ(hazards(run(0, 0)), 1);
  EXPECT_EQ(hazards(run(3, 0)), 1);
  const LaunchResult half = LaunchOnUnit([](Core& core) {  // the Fixpipe takes no part in the hand-over
    Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}});
    core.SetFlag(kM, kFix, 0, {});
    core.WaitFlag(kM, kFix, 0, {});
    Do(core, {.on = kFix, .regions = {Reads(kL0C, 0, 1024)}});
    Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}, .unit_flag = 3});
  });
  EXPECT_EQ(hazards(half), 1) << TextOf(half);
}

}  // namespace
}  // namespace tilesim
