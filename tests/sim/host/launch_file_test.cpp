// A launch that went through a file is the launch that was written.
#include "sim/host/launch_file.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/ascendc/kernel_operator.h"
#include "sim/core/replay.h"
#include "sim/core/summary.h"
#include "sim/explain/explanation.h"
#include "sim/soc/soc_config.h"

namespace tilesim::host {
namespace {

using testing::HasSubstr;

constexpr uint32_t kCount = 1024;  // floats of a block

// y = x + 1 on each vector core; with `lazy` it does not wait for what it copied.
void AddOne(GM_ADDR x, GM_ADDR y, bool lazy) {
  const uint32_t begin = static_cast<uint32_t>(AscendC::GetBlockIdx()) * kCount;
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(reinterpret_cast<float*>(x) + begin, kCount);
  to.SetGlobalBuffer(reinterpret_cast<float*>(y) + begin, kCount);
  AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, kCount);
  AscendC::DataCopy(tile, from, kCount);
  if (!lazy) {
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  }
  AscendC::Adds(tile, tile, 1.0F, static_cast<int32_t>(kCount));
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(to, tile, kCount);
}

// The kernel above, run and watched.
struct Watched {
  SocConfig soc = LoadSoc("ascend910b2", {});
  std::vector<float> x = std::vector<float>(3 * kCount, 2.0F);
  std::vector<float> y = std::vector<float>(3 * kCount);
  LaunchRecording recording;
  ToldInstructions told{9};
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 3, .threads = 1};
  LaunchResult result;

  explicit Watched(bool lazy = false) {
    options.gm.Add(
        {.name = "x", .address = reinterpret_cast<uint64_t>(x.data()), .size_bytes = x.size() * 4});
    options.gm.Add({.name = "y",
                    .address = reinterpret_cast<uint64_t>(y.data()),
                    .size_bytes = y.size() * 4,
                    .initialised = false});
    options.recording = &recording;
    options.observer = &told;
    result = Launch(soc, options, [&] {
      AddOne(reinterpret_cast<GM_ADDR>(x.data()), reinterpret_cast<GM_ADDR>(y.data()), lazy);
    });
    told.SetCores(result.cores.size());
  }

  void AppendTo(const std::string& file) {
    AppendLaunch(file,
                 {.kernel = "add_one", .type = KernelType::kAivOnly, .blocks = 3, .hazards_checked = true},
                 result, options.gm, &recording, &told);
  }
};

// A file of its own for each test.
struct LaunchFile {
  std::string path =
      testing::TempDir() + "launches_of_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  LaunchFile() { std::remove(path.c_str()); }
  ~LaunchFile() { std::remove(path.c_str()); }
};

std::string TraceOf(const WatchedLaunch& watched, const SocConfig& soc) {
  ChromeTrace trace(soc, watched.recording.cores, watched.gm);
  FillTrace(watched, soc, trace);
  std::ostringstream text;
  trace.Write(text);
  return text.str();
}

TEST(LaunchFile, TellsTheSameTimeTraceAndExplanation) {
  Watched watched;
  const LaunchFile file;
  watched.AppendTo(file.path);
  const std::vector<FiledLaunch> read = ReadLaunches(file.path);
  ASSERT_EQ(read.size(), 1U);
  const FiledLaunch& launch = read.front();
  EXPECT_EQ(launch.title.kernel, "add_one");
  EXPECT_EQ(launch.title.type, KernelType::kAivOnly);
  EXPECT_EQ(launch.title.blocks, 3);
  EXPECT_TRUE(launch.title.hazards_checked);
  EXPECT_EQ(launch.watched.result.cycles, watched.result.cycles);
  EXPECT_EQ(Replay(launch.watched.recording, watched.soc).cycles, watched.result.cycles);
  EXPECT_EQ(Summarise(watched.soc, launch.watched.result).gm_read_bytes, int64_t{3} * kCount * 4);

  const WatchedLaunch here{.result = watched.result,
                           .recording = watched.recording,
                           .gm = watched.options.gm,
                           .tell_again = [&](Observer& observer) {
                             watched.told.TellAgain(observer);
                             return true;
                           }};
  const std::string trace = TraceOf(launch.watched, watched.soc);
  EXPECT_EQ(trace, TraceOf(here, watched.soc));
  EXPECT_THAT(trace, HasSubstr("GM x + 4096, 4096 B read"));
  EXPECT_THAT(trace, HasSubstr("launch_file_test.cpp:"));
  EXPECT_EQ(Sentence(Explain(launch.watched.recording, watched.soc, launch.watched.result)),
            Sentence(Explain(watched.recording, watched.soc, watched.result)));
}

TEST(LaunchFile, KeepsFaultsAndTheOrderOfLaunches) {
  Watched right;
  Watched lazy(true);
  ASSERT_FALSE(lazy.result.faults.empty());
  const LaunchFile file;
  lazy.AppendTo(file.path);
  right.AppendTo(file.path);
  const std::vector<FiledLaunch> read = ReadLaunches(file.path);
  ASSERT_EQ(read.size(), 2U);
  ASSERT_EQ(read[0].watched.result.faults.size(), lazy.result.faults.size());
  EXPECT_EQ(read[0].watched.result.faults[0].Text(), lazy.result.faults[0].Text());
  EXPECT_THAT(read[1].watched.result.faults, testing::IsEmpty());
}

TEST(LaunchFile, HasNoMoreThanWasWritten) {
  const Watched watched;
  const LaunchFile file;
  AppendLaunch(file.path, {.kernel = "add_one"}, watched.result, watched.options.gm, nullptr, nullptr);
  const std::vector<FiledLaunch> read = ReadLaunches(file.path);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].watched.recording.recordings.size(), 0U);
  EXPECT_EQ(read[0].watched.result.Instructions(), watched.result.Instructions());
}

TEST(LaunchFile, LeavesOutTheLaunchThatAProgramWasKilledIn) {
  Watched watched;
  const LaunchFile file;
  watched.AppendTo(file.path);
  std::ifstream in(file.path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  const size_t first = bytes.size();
  watched.AppendTo(file.path);
  std::ifstream both(file.path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(both), {});
  for (const size_t cut : {first, first + 3, first + 100, bytes.size() - 1}) {
    std::ofstream(file.path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(cut));
    EXPECT_EQ(ReadLaunches(file.path).size(), 1U) << cut;
  }
}

TEST(LaunchFile, RefusesWhatIsNone) {
  const LaunchFile file;
  std::ofstream(file.path) << "tilesim launches 0 0.0.1\nabc";
  EXPECT_THAT([&] { ReadLaunches(file.path); },
              testing::ThrowsMessage<UserError>(HasSubstr("holds no launches of this version")));
  EXPECT_THAT([&] { ReadLaunches(file.path + ".none"); },
              testing::ThrowsMessage<UserError>(HasSubstr("cannot be read")));
  EXPECT_THAT([&] { AppendLaunch("/no/such/folder/f", {}, {}, {}, nullptr, nullptr); },
              testing::ThrowsMessage<UserError>(HasSubstr("cannot be written whole")));
}

// Bytes that are spoilt are refused or give other numbers; they do not end the process.
TEST(LaunchFile, SurvivesSpoiltBytes) {
  Watched watched;
  const LaunchFile file;
  watched.AppendTo(file.path);
  std::ifstream in(file.path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  int refused = 0;
  for (size_t at = 32; at < bytes.size(); at += 7) {
    std::string spoilt = bytes;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0xFF);
    std::ofstream(file.path, std::ios::binary) << spoilt;
    try {
      (void)ReadLaunches(file.path);
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace tilesim::host
