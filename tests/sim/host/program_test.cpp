// What a program tells at its end, its exit code, its options, and kernels that crash or wait for ever.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/host/started.h"

namespace tilesim {
namespace {

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
              "launch 0, beyond: 1 fault; the same in 2 later launches\n  AIV 0, DataCopy on MTE2");
    ExpectHas(ended.err,
              "is in no buffer of this launch, but 16128 bytes behind the end of x of beyond, "
              "which has 256");
    ExpectHas(ended.err, "tilesim: 3 launches, 0 cycles on unit, 3 faults\n");
  }
}

TEST(ProgramEnd, LeavesTheTellingToWhoReadsTheLaunches) {
  const Ended ended = Started("TILESIM_LAUNCHES=/dev/null TILESIM_OPTIONS='--soc configs/unit.cfg' " +
                              std::string(HOST_PROGRAM) + " faulty");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
}

TEST(ProgramOutput, OfKernelsComesAtTheirLaunch) {
  EXPECT_EQ(HostProgram("prints").out,
            "before\n[AIV Block 0/2] number 41\n[AIV Block 1/2] number 41\nafter\n");
}

TEST(ProgramOptions, AreReadStrictly) {
  const Ended unknown = HostProgram("runs", "--threds 2");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  ExpectHas(unknown.err, "TILESIM_OPTIONS: unknown option --threds; did you mean --threads?");
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
}

TEST(KernelWatchdog, EndsAKernelThatSpinsOnMemory) {
  const Ended ended = HostProgram("spins", "--soc configs/unit.cfg --watchdog 20000");
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.err, "GetValue on S");
  ExpectHas(ended.err, "[deadlock] no store to GM and no flag between cores in the last 20000 instructions");
}

}  // namespace
}  // namespace tilesim
