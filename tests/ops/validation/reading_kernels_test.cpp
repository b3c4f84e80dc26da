#include "ops/validation/reading_kernels.h"

#include <gtest/gtest.h>

#include "formats/error.h"

namespace tilesim {
namespace {

CaseCells Cells(CaseCells more) {
  more.try_emplace("op", "read_only");
  more.try_emplace("matrix", "32x512");
  more.try_emplace("tile", "16x128");
  more.try_emplace("to", "l1");
  return more;
}

LaunchResult RunOf(CaseCells more) {
  const SocConfig soc = LoadSoc("unit");
  return Run(ReadReadKernel(Cells(std::move(more)), soc), soc, 1);
}

// unit.cfg: two AICs, 32 bytes a cycle each from L2 and HBM. A tile is 16 rows of 256 bytes, a request each.
TEST(ReadKernel, ReadsTheMatrixOnceOrSeveralTimes) {
  const LaunchResult once = RunOf({});
  EXPECT_EQ(once.cores.size(), 2U);
  EXPECT_EQ(once.Instructions(), 2 * 4);
  const LaunchResult twice = RunOf({{"passes", "2"}});
  EXPECT_EQ(twice.cycles - once.cycles, 4 * 128);
  EXPECT_EQ(RunOf({{"passes", "2"}, {"parts", "2"}}).cycles, twice.cycles);
}

TEST(ReadKernel, ReadsAllOfItOnEveryCoreWhereAsked) {
  const LaunchResult own = RunOf({});
  const LaunchResult same = RunOf({{"order", "same"}});
  EXPECT_EQ(same.Instructions(), 2 * 8);
  EXPECT_EQ(same.cycles - own.cycles, 4 * 128);
  EXPECT_EQ(RunOf({{"order", "staggered"}}).Instructions(), 2 * 8);
}

TEST(ReadKernel, CutsTilesAtTheEdges) {
  const LaunchResult result = RunOf({{"matrix", "33x60"}, {"tile", "16x32"}, {"to", "ub"}});
  EXPECT_EQ(result.cores.size(), 4U);
  int64_t bytes = 0;
  for (const CoreResult& core : result.cores) {
    bytes += core.statistics.gm_read_bytes;
  }
  EXPECT_EQ(bytes, 33 * 60 * 2);
}

TEST(ReadKernel, RefusesWhatItCannotRead) {
  const SocConfig soc = LoadSoc("unit");
  const auto refusal = [&](CaseCells more) {
    try {
      (void)ReadReadKernel(Cells(std::move(more)), soc);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(refusal({{"tiles", "1"}}).find("read_only: unknown column 'tiles'; did you mean tile?"),
            std::string::npos)
      << refusal({{"tiles", "1"}});
  const auto has = [&](CaseCells more, const char* part) {
    const std::string text = refusal(std::move(more));
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has({{"matrix", "4096x1024"}, {"tile", "4096x1024"}}, "must be of 1 to 524288 bytes");
  // a part that would be empty, and sizes that one instruction does not take
  has({{"matrix", "64x5"}, {"tile", "8x2"}, {"parts", "4"}}, "parts = 4: 5 columns in equal parts make 3;");
  EXPECT_EQ(refusal({{"matrix", "64x5"}, {"tile", "8x2"}, {"parts", "3"}}), "nothing");
  has({{"to", "ub"}, {"matrix", "8192x16"}, {"tile", "4096x16"}}, "must have 1 to 4095 rows");
  has({{"matrix", "32768x16"}, {"tile", "16385x8"}}, "must have 1 to 16384 rows");
  has({{"tile", "64x16"}}, "must have 1 to 32 rows and 1 to 512 columns");
  has({{"matrix", "32x65536"}}, "must have 1 to 65535 columns");
  has({{"matrix", "2147483647x65535"}}, "fit into the");
  has({{"matrix", "0x5"}}, "matrix = 0x5");
  has({{"tile", "0x5"}}, "tile = 0x5");
  EXPECT_NE(refusal({{"to", "l2"}}).find("must be one of ub, l1"), std::string::npos)
      << refusal({{"to", "l2"}});
  EXPECT_FALSE(IsReadKernel({{"op", "copy"}}));
  EXPECT_FALSE(IsReadKernel({}));
}

}  // namespace
}  // namespace tilesim
