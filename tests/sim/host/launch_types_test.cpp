// Which cores a launch starts, what it is given, and launches that the part cannot hold.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/host/started.h"

namespace tilesim {
namespace {

TEST(LaunchType, ComesFromTheKernelsMacroOrFromWhatItsFirstBlockDoes) {
  EXPECT_EQ(HostProgram("type_said").out, "sync 0\n128 right\n");
  EXPECT_EQ(HostProgram("type_cube").out, "sync 0\n128 right\n");
  EXPECT_EQ(HostProgram("type_vector").out, "sync 0\n128 right\n");
  EXPECT_EQ(HostProgram("type_both").out, "sync 0\n64 right\n");
}

TEST(LaunchType, IsToldWhereTheFirstBlockDoesNotTell) {
  const Ended ended = HostProgram("type_scalar");
  EXPECT_EQ(ended.out, "[AIV Block 0/1] hello\n");
  ExpectHas(ended.err,
            "only_prints does not say which cores it is for, and its first block has scalar code only");
}

TEST(LaunchType, IsFoundWithoutAnEffectOnMemory) { EXPECT_EQ(HostProgram("type_counts").out, "counted 2\n"); }

TEST(LaunchType, RefusesWhatThePartDoesNotHave) {
  const Ended mix = HostProgram("type_mix");
  EXPECT_EQ(mix.code, 2);
  EXPECT_EQ(mix.out, "sync 107000\n");
  ExpectHas(mix.err, "both: __mix__(3, 1): this part has __mix__(1, 0), (0, 1), (1, 1) and (1, 2)");
  const Ended batch = HostProgram("type_batch");
  EXPECT_EQ(batch.code, 2);
  ExpectHas(batch.err, "1000 blocks of __schedmode__(1), which start together; unit has 4 such cores");
  const Ended large = HostProgram("large");
  EXPECT_EQ(large.code, 2);
  ExpectHas(large.err, "1048576 bytes of UB asked for between <<< and >>>, unit has 196608");
  ExpectHas(large.err, "launch: 1000 blocks, unit has 2 AICs");
}

TEST(LaunchType, RunsMoreBlocksThanCoresInWaves) {
  const Ended ended = HostProgram("waves");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "sync 0\n3200 right\n");
}

TEST(Launch, PassesStructsByValueAndTheWorkspace) {
  const Ended ended = HostProgram("structs");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out,
            "11\n[AIC Block 0/1] workspace is set\n[AIV Block 0/2] workspace is set\n"
            "[AIV Block 1/2] workspace is set\n");
}

TEST(Launch, OfAnAddressThatIsNoDeviceMemoryIsAFault) {
  const Ended ended = HostProgram("wrong_pointers");
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "sync 507035\n");
  ExpectHas(ended.err, "argument 1: the address is no device memory; a kernel reaches memory of aclrtMalloc");
  ExpectHas(ended.err, "src: GM address 0 is a null pointer");
  ExpectHas(ended.err, "argument 1: the address is in aclrtMalloc 2, which was freed before the launch");
}

}  // namespace
}  // namespace tilesim
