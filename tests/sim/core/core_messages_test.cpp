// Messages from vector cores to the cube core of their block, and its answers.
#include "sim/core/core_messages.h"

#include <array>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {
namespace {

void ServeMessages(Core& core) {
  while (const std::optional<CoreMessage> message = core.NextMessage()) {
    if (message->work.run) {
      message->work.run();
      core.AnswerMessage(*message, {});
    }
  }
}

LaunchResult RunServed(int threads, KernelType type, int64_t blocks,
                       const std::function<void(Core&)>& vector_core) {
  LaunchOptions options{.type = type, .blocks = blocks};
  options.threads = threads;
  return Launch(LoadSoc("ascend910b2"), options, [&] {
    Core& core = CurrentCore();
    if (core.identity().kind == CoreKind::kAic) {
      ServeMessages(core);
    } else {
      vector_core(core);
    }
  });
}

TEST(CoreMessages, AreDoneByTheCubeCoreOfTheBlockInTheirOrder) {
  for (const int threads : {1, 4}) {
    std::array<std::vector<std::string>, 2> done;  // by block
    const LaunchResult result = RunServed(threads, KernelType::kMixAic1_2, 2, [&](Core& core) {
      for (uint32_t number = 1; number <= 3; ++number) {
        const std::string text = core.identity().Name() + ":" + std::to_string(number);
        core.PostMessage(
            number, {[&done, text] {
              const Core& here = CurrentCore();
              done[static_cast<size_t>(here.identity().block)].push_back(here.identity().Name() + " " + text);
            }},
            {});
        if (number == 2) {
          core.AwaitAnswer(2, {});
        }
      }
      core.PostMessage(4, {}, {});
    });
    EXPECT_TRUE(result.faults.empty());
    for (const int block : {0, 1}) {
      const std::string aic = "AIC " + std::to_string(block) + " AIV " + std::to_string(block) + ".";
      EXPECT_EQ(done[static_cast<size_t>(block)],
                (std::vector<std::string>{aic + "0:1", aic + "0:2", aic + "1:1", aic + "1:2", aic + "0:3",
                                          aic + "1:3"}));
    }
  }
}

// The sender waits for the way there, the receiver's read of GM and the way back, and for little beside.
TEST(CoreMessages, TakeTime) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const auto cycles = [](uint32_t messages) {
    const LaunchResult result = RunServed(1, KernelType::kMixAic1_1, 1, [&](Core& core) {
      uint32_t number = 0;
      while (number < messages) {
        core.PostMessage(++number, {[] {}}, {});
        core.AwaitAnswer(number, {});
      }
      core.PostMessage(++number, {}, {});
    });
    EXPECT_TRUE(result.faults.empty());
    return result.cycles;
  };
  const int64_t each = 2 * soc.cross_core_cycles + soc.gm_read_latency_cycles;
  EXPECT_GE(cycles(3) - cycles(2), each);
  EXPECT_LE(cycles(3) - cycles(2), each + 10);  // issue and flags
}

TEST(CoreMessages, TellWhoLeavesWithoutAWord) {
  const LaunchResult result = RunServed(2, KernelType::kMixAic1_2, 1, [](Core& core) {
    if (core.identity().sub_block == 0) {
      core.PostMessage(1, {}, {});
    }
  });
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_NE(result.faults[0].what.find("waits for messages of AIV 0.1, which has returned from the kernel"),
            std::string::npos)
      << result.faults[0].what;
}

TEST(CoreMessages, TellOfAnAnswerThatNeverComes) {
  LaunchOptions options{.type = KernelType::kMixAic1_1};
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    Core& core = CurrentCore();
    if (core.identity().kind == CoreKind::kAiv) {
      core.PostMessage(1, {[] {}}, {});
      core.AwaitAnswer(1, {});
    }
  });
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_NE(result.faults[0].what.find("is never answered"), std::string::npos) << result.faults[0].what;
}

// A cube core that waits for messages is not let go where its vector core waits for what nobody sets.
TEST(CoreMessages, TellOfMessagesThatNeverCome) {
  const LaunchResult result = RunServed(2, KernelType::kMixAic1_1, 1, [](Core& core) {
    core.CrossCoreWait(3, SourceLine{"kernel", 7});
  });
  EXPECT_FALSE(result.completed);
  std::string all;
  for (const Fault& fault : result.faults) {
    all += fault.Text() + "\n";
  }
  EXPECT_NE(all.find("AIV 0"), std::string::npos) << all;
  EXPECT_NE(all.find("kernel:7"), std::string::npos) << all;
  EXPECT_EQ(all.find("has returned"), std::string::npos) << all;
}

}  // namespace
}  // namespace tilesim
