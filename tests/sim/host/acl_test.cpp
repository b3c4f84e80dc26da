// The runtime's calls: codes, checked memory, streams and events.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/host/started.h"

namespace tilesim {
namespace {

TEST(Acl, GivesTheVendorsCodes) {
  const Ended ended = HostProgram("codes");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(
      ended.out,
      "malloc 107002\nfinalize 100001\ninit 0\ninit 100002\ndevice 3 107001\ndevice 0 0\nmalloc 0 100000\n"
      "malloc much 207001\nmalloc 0\nh2d 0\nover destMax 100000\nover buffer 100000\nwrong kind 100000\n"
      "host kind 100000\nno kind 100000\ndefault kind 0\nmemset 0\nmemset over 100000\n2d 0\n2d over "
      "100000\n2d huge 100000\nhost malloc huge 200000\n"
      "free inside 100000\nfree 0\nfree twice 100000\nfree host 100000\nuse freed 100000\nhost malloc 0\n"
      "host over 100000\nhost free 0\nhost free twice 100000\nno stream 107017\nreset 0\nmalloc 107002\n"
      "finalize 0\nfinalize 100037\n");
}

TEST(Acl, SaysWhyACallFails) {
  const std::string err = HostProgram("codes").err;
  ExpectHas(
      err,
      "tilesim: aclrtMalloc gives 107002: no device is set on this thread; call aclrtSetDevice(0) before");
  ExpectHas(err, "aclrtMemcpy gives 100000: count is 100, more than destMax, which is 50");
  ExpectHas(err,
            "dst: bytes [0, 101) pass the end of aclrtMalloc 0, which has 100; copy less or allocate more");
  ExpectHas(err, "dst is device memory, aclrtMalloc 0; give host memory, or the kind of copy that fits");
  ExpectHas(err, "devPtr: bytes [50, 101) pass the end of aclrtMalloc 0");
  ExpectHas(err, "the address is 4 bytes behind the start of aclrtMalloc 0");
  ExpectHas(err, "aclrtFree gives 100000: aclrtMalloc 0 was freed before");
  ExpectHas(err, "devPtr is in aclrtMalloc 0, which was freed");
  ExpectHas(err, "src: bytes [0, 17) pass the end of memory of aclrtMallocHost, which has 16");
}

TEST(Acl, RunsALaunchAndGivesItsResultBack) {
  const Ended ended = HostProgram("runs");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "sync 0\n128 right\n");
  EXPECT_EQ(ended.err, "tilesim: 1 launch, 25 cycles on unit, 0 faults\n");
}

TEST(Acl, TellsACopyOfWhatNobodyHasWritten) {
  const Ended ended = HostProgram("unwritten");
  EXPECT_EQ(ended.code, 0);
  ExpectHas(ended.err,
            "aclrtMemcpy: no copy and no kernel has written bytes [256, 512) of aclrtMalloc 1 (argument 2 of "
            "twice)");
}

TEST(Acl, KnowsWhichBytesOfABufferACopyHasFilled) {
  const Ended ended = HostProgram("partly_written");
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.out, "sync 507035\n");
  ExpectHas(ended.err, "of GM buffer argument 1 bytes [512, 768), which were never written");
  ExpectHasNot(ended.err, "bytes [256, 512)");
}

TEST(Acl, TellsACopyThatWaitsForNoStreamOnce) {
  const Ended ended = HostProgram("race");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "6\n");
  ExpectHas(ended.err,
            "a launch that was given aclrtMalloc 1 (argument 2 of twice) may still run on a device; "
            "call aclrtSynchronizeStream before");
  ExpectHasNot(HostProgram("runs").err, "may still run");
}

TEST(Acl, DoesAsyncCopiesInTheOrderOfTheirStream) { EXPECT_EQ(HostProgram("async").out, "sync 0\n0\n"); }

TEST(Acl, SaysWhatTheDeviceIs) {
  const Ended ended = HostProgram("information");
  EXPECT_EQ(ended.out,
            "aicores 2\nvector cores 4\nunit\ntaken 512\nhalf 1.5 49152\nsizes 2 8 0\ncontext 0\ncurrent 1\n"
            "destroy 0\ndestroy twice 107002\n");
  ExpectHas(HostProgram("information", "--soc ascend910b3 --cores 5").out,
            "aicores 5\nvector cores 10\nAscend910B3\n");
}

TEST(AclEvents, OrderWhatIsOnTwoStreams) {
  const Ended ended = HostProgram("events");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out,
            "recorded 0\nsync too early 507046\nrecorded 1\nsync second 0\nelapsed 0\ntime of a kernel\n"
            "elapsed never 107006\nevent sync 507046\nsync 0\n128 right\ndestroy 0\ndestroy twice 107017\n");
  ExpectHas(ended.err, "the stream waits for an event that nobody has recorded, so this would wait for ever");
  ExpectHas(ended.err, "what was put on a stream last, 1 launches, copies or events, never ran");
  ExpectHas(ended.err, "tilesim: 2 launches, 50 cycles on unit, 0 faults");
}

}  // namespace
}  // namespace tilesim
