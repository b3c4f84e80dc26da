// The memory that a run takes, as the system counts it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace tilesim {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// The most memory that `tilesim run` of a layer of the benchmark list holds at once; -1 where it fails. Each
// thread gathers one core's updates of dw, so the number of threads is stated.
int64_t PeakBytes(const char* id) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(TILESIM_PROGRAM, TILESIM_PROGRAM, "run", "--cases", "configs/cases/conv3d_backprop_filter.csv",
          "--threads", "4", "--id", id, "--quiet", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    return -1;
  }
  return static_cast<int64_t>(used.ru_maxrss) * 1024;
}

TEST(Memory, TheLargestLayerTakesLittleMoreThanItsTensors) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take memory of their own";
  }
  // bench_18: bf16 x 2x128x8x64x64, bf16 dy 2x256x8x64x64, fp32 dw 256x128x5x5x5
  constexpr int64_t kTensorBytes =
      2 * 128 * 8 * 64 * 64 * 2 + 2 * 256 * 8 * 64 * 64 * 2 + 256 * 128 * 125 * 4;
  const int64_t peak = PeakBytes("bench_18");
  ASSERT_GT(peak, kTensorBytes);  // it ran, with its values
  EXPECT_LT(peak, kTensorBytes * 3 / 2 + 200'000'000);
}

TEST(Memory, OfARecordingIsBoundedAndTheNextCaseRuns) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take addresses beyond any limit";
  }
  const ScratchFolder folder;
  folder.Write(
      "cases.csv",
      "id,op,input,filter,stride\nlong,max_pool2d,1x1x20000x20000,3,1\nshort,max_pool2d,1x16x8x8,2,2\n");
  const ProgramEnd end = RunShell("ulimit -v 450000; '" TILESIM_PROGRAM
                                  "' run --mode timing --threads 2 --format "
                                  "csv --cases '" +
                                  (folder / "cases.csv") + "'");
  EXPECT_EQ(end.code, 2) << end.err;
  const std::vector<std::string> rows = Lines(end.out);
  ASSERT_EQ(rows.size(), 3U) << end.out;
  EXPECT_THAT(rows[1], testing::HasSubstr(",refused,"));
  EXPECT_THAT(rows[1],
              testing::ContainsRegex("what a core does takes more than [0-9]+ MiB to record, its part of "
                                     "half of the memory that is free, after [0-9]+ steps; give a smaller"));
  EXPECT_THAT(rows[2], testing::HasSubstr(",ok,"));
}

}  // namespace
}  // namespace tilesim
