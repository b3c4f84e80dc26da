// What a program tells at its end, its exit code, its options, and kernels that crash or wait for ever.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/error.h"
#include "sim/core/identity.h"
#include "sim/host/launch_file.h"
#include "tests/sim/host/started.h"

namespace tilesim {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

TEST(ProgramEnd, KeepsTheProgramsOwnCodeWithoutFaults) {
  EXPECT_EQ(HostProgram("five").code, 5);
  const Ended nothing = HostProgram("nothing");
  EXPECT_EQ(nothing.code, 0);
  EXPECT_EQ(nothing.err, "");
}

TEST(ProgramEnd, IsThreeAfterAFaultAlsoByExit) {
  for (const char* scenario : {"faulty", "faulty_exit"}) {
    const Ended ended = HostProgram(scenario);
    EXPECT_EQ(ended.code, 3) << scenario;
    EXPECT_EQ(ended.out, "sync 507035\nmessage there\n");
    ExpectHas(ended.err,
              "launch 1, beyond: 1 fault; the same in 2 later launches\n  AIV 0, DataCopy on MTE2");
    ExpectHas(ended.err,
              "is in no buffer of this launch: it is 16128 bytes behind the end of argument 1, "
              "which has 256");
    ExpectHas(ended.err, "tilesim: 3 launches, 0 cycles on unit, 3 faults\n");
  }
}

TEST(ProgramEnd, LeavesTheTellingToWhoReadsTheLaunches) {
  const Ended ended = Started("TILESIM_LAUNCHES=/dev/null:result TILESIM_OPTIONS='--soc configs/unit.cfg' " +
                              std::string(HOST_PROGRAM) + " faulty");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
}

TEST(ProgramOutput, OfKernelsComesAtTheirLaunch) {
  EXPECT_EQ(HostProgram("prints").out,
            "before\n[AIV Block 0/2] number 41\n[AIV Block 1/2] number 41\nafter\n");
}

TEST(CpuDebugging, GoesOnAfterAFaultAndTellsItAtTheEnd) {
  const Ended ended = HostProgram("icpu");
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "42\n");
  ExpectHas(ended.err, "launch 1, beyond: 1 fault\n");
  ExpectHas(ended.err, "behind the end of GmAlloc 0, which has 256");
  ExpectHas(ended.err, "tilesim: 2 launches, 25 cycles on unit, 1 fault\n");
}

TEST(CpuDebugging, RefusesToFreeTwice) {
  const Ended ended = HostProgram("gm_free");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "tilesim: GmFree: GmAlloc 0 was freed before\n");
}

TEST(ProgramLaunch, OfNoBlocksIsRefused) {
  const Ended ended = HostProgram("no_blocks");
  EXPECT_EQ(ended.code, 2);
  ExpectHas(ended.err, "twice: launch: 0 blocks; give 1 or more");
}

TEST(ProgramOptions, AreReadStrictly) {
  const Ended unknown = HostProgram("runs", "--threds 2");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  ExpectHas(unknown.err, "TILESIM_OPTIONS: unknown option --threds; did you mean --threads?");
  const Ended launch = HostProgram("runs", "--soc configs/unit.cfg --launch 1");
  EXPECT_EQ(launch.code, 2);
  ExpectHas(
      launch.err,
      "TILESIM_OPTIONS: --launch: is for a command that runs this program: tilesim run PROGRAM --launch");
  const Ended loud = HostProgram("runs", "--soc configs/unit.cfg");
  const Ended quiet = HostProgram("runs", "--soc configs/unit.cfg --quiet");
  EXPECT_EQ(quiet.code, loud.code);
  EXPECT_EQ(quiet.out, loud.out);
  ExpectHas(loud.err, "on unit, ");
  ExpectHasNot(quiet.err, "on unit, ");
  const Ended soc = HostProgram("runs", "--soc ascend999");
  EXPECT_EQ(soc.code, 2);
  ExpectHas(soc.err, "ascend999");
  const Ended cores = HostProgram("runs", "--soc configs/unit.cfg --cores 9");
  EXPECT_EQ(cores.code, 2);
  ExpectHas(cores.err, "--cores = 9, unit has 2");
  ExpectHas(HostProgram("runs", "--soc configs/unit.cfg --mode functional").err,
            "tilesim: 1 launch, no cycles on unit, 0 faults");
}

TEST(KernelCrash, IsToldWithCoreKernelAndLastCall) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes the signals, and divisions by zero before they are any";
  }
  const Ended memory = HostProgram("crash_0");
  EXPECT_EQ(memory.code, 3);
  EXPECT_EQ(memory.out, "before\n");
  ExpectHas(memory.err,
            "tilesim: crashes on AIV 0: a segmentation fault at address 0x8 in the kernel's own code, "
            "after ");
  ExpectHas(memory.err, "host_program.cpp:");
  const Ended division = HostProgram("crash_1");
  EXPECT_EQ(division.code, 3);
  ExpectHas(division.err, "a division by zero");
  const Ended abort = HostProgram("crash_2");
  EXPECT_EQ(abort.code, 3);
  ExpectHas(abort.err, "abort()");
  EXPECT_EQ(HostProgram("host_crash").code, 139);  // none of a kernel's
  const Ended after_fault = HostProgram("fault_then_crash");
  EXPECT_EQ(after_fault.code, 3);
  const size_t fault = after_fault.err.find("launch 1, twice: 1 fault\n");
  EXPECT_NE(fault, std::string::npos) << after_fault.err;
  EXPECT_LT(fault, after_fault.err.find("tilesim: crashes on AIV 0: a segmentation fault"))
      << after_fault.err;
}

TEST(KernelCrash, ComesBehindWhatTheCoresHavePrinted) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes the signals";
  }
  const Ended ended = HostProgram("print_then_crash", "--soc configs/unit.cfg --threads 1");
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "before\n[AIV Block 0/2] hello 0\n[AIV Block 1/2] hello 1\n");
  ExpectHas(ended.err, "tilesim: prints_and_crashes on AIV 1: abort()");
}

// The program's launches as a command reads them.
std::vector<host::FiledLaunch> LaunchesOf(const std::string& scenario, const std::string& file) {
  const Ended ended =
      Started("TILESIM_LAUNCHES=" + file + ":result TILESIM_OPTIONS='--soc configs/unit.cfg' " +
              std::string(HOST_PROGRAM) + " " + scenario);
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "");
  return host::ReadLaunches(file);
}

TEST(KernelCrash, IsAFaultOfItsLaunchForWhoReadsTheLaunches) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes the signals, and divisions by zero before they are any";
  }
  const std::string file = testing::TempDir() + "program_test.launches";
  std::remove(file.c_str());
  const std::vector<host::FiledLaunch> crashed = LaunchesOf("fault_then_crash", file);
  ASSERT_EQ(crashed.size(), 2U);
  EXPECT_EQ(crashed[1].title.kernel, "crashes");
  EXPECT_EQ(crashed[1].title.type, KernelType::kMixAiv1_0);
  EXPECT_EQ(crashed[1].title.blocks, 1);
  EXPECT_FALSE(crashed[1].watched.result.completed);
  ASSERT_EQ(crashed[1].watched.result.faults.size(), 1U);
  const std::string text = crashed[1].watched.result.faults[0].Text();
  ExpectHas(text, "AIV 0, PipeBarrier, ");
  ExpectHas(text,
            ": [crash] a segmentation fault at address 0x8 in the kernel's own code, after this call; ");
  ExpectHas(text, "; the program ends here");
  std::remove(file.c_str());
  const std::vector<host::FiledLaunch> stalled = LaunchesOf("stalls", file);
  ASSERT_EQ(stalled.size(), 1U);
  ASSERT_EQ(stalled[0].watched.result.faults.size(), 1U);
  ExpectHas(stalled[0].watched.result.faults[0].Text(), "AIV 0, stalls, ");
  ExpectHas(stalled[0].watched.result.faults[0].Text(), "host_program.cpp:");
  ExpectHas(stalled[0].watched.result.faults[0].Text(),
            ": [deadlock] a loop of the kernel's own code has run for 0 seconds without an API call, "
            "before its first API call; ");
  std::remove(file.c_str());
}

TEST(KernelCrash, InASpoiltHeapIsToldTheOneWayOrTheOther) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer tells the write itself";
  }
  const std::string file = testing::TempDir() + "program_test.spoilt";
  std::remove(file.c_str());
  const Ended ended =
      Started("TILESIM_LAUNCHES=" + file + ":result TILESIM_OPTIONS='--soc configs/unit.cfg' " +
              std::string(HOST_PROGRAM) + " crash_3");
  EXPECT_EQ(ended.code, 3);
  std::ifstream launches(file, std::ios::binary);
  const std::string filed(std::istreambuf_iterator<char>(launches), {});
  ExpectHas(ended.err + filed, "a segmentation fault at address 0x8 in the kernel's own code");
  std::remove(file.c_str());
}

// The simulator's threads have their own words of the C library behind their stacks.
TEST(KernelCrash, OfAStackThatIsOverrunIsToldOnAnyThread) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer tells the write itself";
  }
  const std::string file = testing::TempDir() + "program_test.overrun";
  for (int i = 0; i < 10; ++i) {
    const Ended ended =
        Started("TILESIM_LAUNCHES=" + file + ":result TILESIM_OPTIONS='--soc configs/unit.cfg --threads " +
                std::to_string(1 + i % 2) + "' " + std::string(HOST_PROGRAM) + " crash_4");
    EXPECT_EQ(ended.code, 3);
    std::ifstream launches(file, std::ios::binary);
    const std::string filed(std::istreambuf_iterator<char>(launches), {});
    ExpectHas(ended.err + filed, "a segmentation fault at address 0x");
    ExpectHas(ended.err + filed, "crashes");
  }
  std::remove(file.c_str());
}

TEST(KernelCrash, ByAnExceptionOrAnExitIsToldWithItsCore) {
  const Ended thrown = HostProgram("crash_5");
  EXPECT_EQ(thrown.code, 3);
  ExpectHas(thrown.err, "a C++ exception left the kernel after this call: boo; a device has no exceptions");
  const Ended of_no_class = HostProgram("crash_8");
  EXPECT_EQ(of_no_class.code, 3);
  ExpectHas(of_no_class.err, "a C++ exception left the kernel after this call; a device has no exceptions");
  for (const char* const exit : {"crash_6", "crash_7"}) {
    const Ended left = HostProgram(exit);
    EXPECT_EQ(left.code, 3);
    ExpectHas(left.err, "exit() in the kernel's own code, after ");
    ExpectHas(left.err, "; a device has none, return from the kernel");
  }
}

TEST(KernelCall, OutsideOfALaunchIsRefused) {
  const Ended called = HostProgram("called");
  EXPECT_EQ(called.code, 2);
  ExpectHas(called.err,
            "tilesim: an Ascend C call outside of a launch: a kernel is not called like a function, but ");
}

TEST(KernelCrash, IsToldByTheProgramWhereItCannotBeHandedOver) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes the signals";
  }
  const Ended ended =
      Started("TILESIM_LAUNCHES=/no/folder/file:result TILESIM_OPTIONS='--soc configs/unit.cfg' " +
              std::string(HOST_PROGRAM) + " crash_0");
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.err,
            "tilesim: crashes on AIV 0: a segmentation fault at address 0x8 in the kernel's own code");
}

TEST(KernelWatchdog, EndsALoopWithoutAnApiCall) {
  const Ended ended = HostProgram("stalls");
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.err,
            "tilesim: stalls on AIV 0: a loop of the kernel's own code has run for 0 seconds without an "
            "API call, before its first API call");
}

TEST(KernelWatchdog, EndsAKernelThatSpinsOnMemory) {
  const Ended ended = HostProgram("spins", "--soc configs/unit.cfg --watchdog 20000");
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.err, "GetValue on S");
  ExpectHas(ended.err, "[deadlock] no store to GM and no flag between cores in the last 20000 instructions");
}

Ended LibraryCaller(const std::string& scenario) {
  return Started(
      Say("TILESIM_OPTIONS='--soc configs/unit.cfg' ", LIBRARY_CALLER, " ", KERNEL_LIBRARY, " ", scenario));
}

TEST(SharedLibrary, TakesAddressesThatNobodyMadeKnownAndSaysSoOnce) {
  const Ended ended = LibraryCaller("unknown");
  EXPECT_EQ(ended.code, 7);
  EXPECT_EQ(ended.out, "6\n6\n");
  const std::string notice =
      "tilesim: addresses that no aclrtMalloc gave are checked against null only; "
      "tilesim_register(address, bytes) makes their size known\n";
  EXPECT_EQ(ended.err.substr(0, notice.size()), notice);
  EXPECT_EQ(ended.err.find(notice, 1), std::string::npos);
  ExpectHas(ended.err, "tilesim: 2 launches, 50 cycles on unit, 0 faults\n");
}

TEST(SharedLibrary, ChecksWhatWasRegistered) {
  const Ended ended = LibraryCaller("registered");
  EXPECT_EQ(ended.code, 7);  // the caller's, for the library is not the program
  ExpectHas(ended.err, "bytes [0, 256) of GM buffer argument 1 pass the end of the buffer by 156 bytes");
  ExpectHasNot(ended.err, "checked against null only");
  ExpectHas(LibraryCaller("null").err, "src: GM address 0 is a null pointer");
}

}  // namespace
}  // namespace tilesim
