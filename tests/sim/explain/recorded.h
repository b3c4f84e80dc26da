// A kernel run on the part `unit` and recorded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/replay.h"
#include "sim/explain/core_account.h"
#include "tests/sim/core/probe.h"

namespace tilesim {

struct Recorded {
  SocConfig soc;
  LaunchRecording recording;
  LaunchResult result;
  RunKeeper runs{0, -1};
  LaunchTimes times;

  explicit Recorded(const std::function<void(Core&)>& kernel, int64_t blocks = 1,
                    std::vector<std::string> settings = {}, GmSpace gm = {})
      : soc(LoadSoc("unit", With(std::move(settings), "chip.aic_cores=8"))) {
    const LaunchOptions options{.type = KernelType::kMixAic1_0,
                                .blocks = blocks,
                                .mode = {.hazards = false},
                                .threads = 1,
                                .gm = std::move(gm),
                                .recording = &recording};
    result = Launch(soc, options, [&] { kernel(CurrentCore()); });
    EXPECT_EQ(TextOf(result), "");
    runs = RunKeeper(recording.cores.size(), -1);
    times = Replay(recording, soc, {}, &runs);
  }

 private:
  static std::vector<std::string> With(std::vector<std::string> settings, std::string one) {
    settings.push_back(std::move(one));
    return settings;
  }
};

inline Probe On(Pipe pipe, int64_t busy_cycles, int64_t latency_cycles = 0) {
  return {.on = pipe, .cost = {.busy_cycles = busy_cycles, .latency_cycles = latency_cycles}};
}

// `from` sets a flag, `to` waits for it.
inline void Hand(Core& core, Pipe from, Pipe to, int id = 0) {
  core.SetFlag(from, to, id, {});
  core.WaitFlag(from, to, id, {});
}

}  // namespace tilesim
