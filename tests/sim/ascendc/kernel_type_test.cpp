// KERNEL_TASK_TYPE and the launch, launches in waves by the CPU twin, and the rest of the tiling macros.
#define TILING_KEY_LIST(...) 42  // a macro of the user's stays

#include <cstdint>
#include <string>
#include <vector>

#include "sim/host/tikicpulib.h"
#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

// The cores of a launch as they are named, or its faults.
std::string CoresOrFaults(const LaunchOptions& options, const std::function<void()>& kernel) {
  const LaunchResult result = LaunchOnUnit(options, [&](Core&) { kernel(); });
  std::string text = TextOf(result);
  for (const CoreResult& core : result.cores) {
    text += text.empty() || text.back() == ' ' ? core.identity.Name() + " " : "";
  }
  return text;
}

LaunchOptions Guess(KernelType type, int64_t blocks = 2) {
  return {.type = type, .type_from = TypeFrom::kNobody, .blocks = blocks, .threads = 1};
}

TEST(KernelTaskType, DecidesALaunchThatLeavesItToTheKernel) {
  ICPU_SET_TILING_KEY(0);
  const LaunchOptions guess = Guess(KernelType::kMixAic1_2);
  EXPECT_EQ(CoresOrFaults(guess, [] {}), "AIC 0 AIC 1 AIV 0.0 AIV 0.1 AIV 1.0 AIV 1.1 ");
  EXPECT_EQ(CoresOrFaults(guess, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); }), "AIV 0 AIV 1 ");
  EXPECT_EQ(CoresOrFaults(guess, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }), "AIC 0 AIC 1 ");
  EXPECT_EQ(CoresOrFaults(guess, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0); }), "AIV 0 AIV 1 ");
  EXPECT_EQ(CoresOrFaults(guess, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0); }), "AIC 0 AIC 1 ");
  EXPECT_EQ(CoresOrFaults(guess, [] { KERNEL_TASK_TYPE_DEFAULT(AscendC::KERNEL_TYPE_MIX_AIC_1_1); }),
            "AIC 0 AIC 1 AIV 0.0 AIV 1.0 ");
  const LaunchOptions many = Guess(KernelType::kMixAic1_2, 9);  // than there are AICs
  EXPECT_EQ(CoresOrFaults(many, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); }).substr(0, 12),
            "AIV 0 AIV 1 ");
  EXPECT_EQ(CoresOrFaults(many, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }).substr(0, 12),
            "AIC 0 AIC 1 ");
  EXPECT_THROW(CoresOrFaults(many, [] {}), UserError);
  const auto by_key = [] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(5, KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(6, KERNEL_TYPE_MIX_AIC_1_1);
  };
  EXPECT_EQ(CoresOrFaults(guess, by_key), "AIC 0 AIC 1 ");
  ICPU_SET_TILING_KEY(5);
  EXPECT_EQ(CoresOrFaults(guess, by_key), "AIV 0 AIV 1 ");
  ICPU_SET_TILING_KEY(6);
  EXPECT_EQ(CoresOrFaults(guess, by_key), "AIC 0 AIC 1 AIV 0.0 AIV 1.0 ");
  ICPU_SET_TILING_KEY(0);
}

TEST(KernelTaskType, MustStartTheCoresOfTheLaunch) {
  const LaunchOptions as_vector{.type = KernelType::kMixAiv1_0, .blocks = 2, .threads = 1};
  ExpectSays(CoresOrFaults(as_vector, [] { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); }),
             "[misuse] kernel type: is MIX_AIC_1_2 by the kernel, and the launch "
             "started it as "
             "MIX_AIV_1_0, with other cores; launch it as MIX_AIC_1_2, or change what the kernel says");
  const auto meets = [] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    AscendC::SyncAll();
  };
  EXPECT_EQ(CoresOrFaults(as_vector, meets), "AIV 0 AIV 1 ");
  EXPECT_EQ(CoresOrFaults({.type = KernelType::kAivOnly, .blocks = 2, .threads = 1}, meets), "AIV 0 AIV 1 ");
  ExpectSays(CoresOrFaults({.type = KernelType::kAivOnly, .blocks = 17, .threads = 1}, meets),
             "is MIX_AIV_1_0, whose cores meet, so that all must be there; the launch has 17 blocks");
  ExpectSays(CoresOrFaults(as_vector,
                           [] {
                             KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
                             AscendC::SyncAll();
                           }),
             "kernel type: is AIV_ONLY, whose cores have no flags for each other");
}

TEST(CpuTwin, RunsMoreBlocksThanCoresInWaves) {
  SetCpuDebugSoc(UnitSoc(2));
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  std::vector<int> runs(11);
  AscendC::simulator::RunKernel(11, [&] { ++runs[static_cast<size_t>(AscendC::GetBlockIdx())]; });
  EXPECT_EQ(runs, std::vector<int>(11, 1));
  AscendC::simulator::RunKernel(11, [] { AscendC::SyncAll(); });
  EXPECT_FALSE(TakeCpuDebugLaunch().faults.empty());
  AscendC::SetKernelMode(KernelMode::MIX_MODE);
  AscendC::simulator::RunKernel(3, [] {});
  EXPECT_THROW(TakeCpuDebugLaunch(), UserError);
}

struct Parts {
  uint32_t first;
  uint32_t array[3];
  struct Inner {
    uint64_t value;
  } inner;
};

TEST(TilingMacros, CopyPartsAndTestKeys) {
  const Parts host{.first = 1, .array = {2, 3, 4}, .inner = {5}};
  auto* const tiling = reinterpret_cast<uint8_t*>(const_cast<Parts*>(&host));
  GET_TILING_DATA_PTR_WITH_STRUCT(Parts, __tiling_data_ptr__ pointer, tiling);
  COPY_TILING_WITH_ARRAY(uint32_t, 3, &pointer->array, array);
  COPY_TILING_WITH_STRUCT(Parts::Inner, &pointer->inner, inner);
  EXPECT_EQ((*array)[2], 4U);
  EXPECT_EQ(inner->value, 5U);
  EXPECT_NE(inner, &host.inner);
  ICPU_SET_TILING_KEY(9);
  EXPECT_TRUE(TILING_KEY_IS(9));
  EXPECT_FALSE(TILING_KEY_IS(8));
  EXPECT_EQ(TILING_KEY_VAR, 9U);
  EXPECT_TRUE(AscendC::simulator::TilingKeyIsOneOf(1, 2, 9));
  EXPECT_FALSE(AscendC::simulator::TilingKeyIsOneOf(1, 2));
  EXPECT_EQ(TILING_KEY_LIST(1, 2), 42);
  ICPU_SET_TILING_KEY(0);
}

TEST(TilingMacros, ReadTheConditionOfAKey) {
  using AscendC::simulator::HoldsForKey;
  EXPECT_TRUE(HoldsForKey("TILING_KEY_VAR == 7", 7));
  EXPECT_FALSE(HoldsForKey("TILING_KEY_VAR == 7", 8));
  EXPECT_TRUE(HoldsForKey("(TILING_KEY_VAR & 0xF0) >> 4 == 3UL || TILING_KEY_VAR > 1 << 20", 0x3a));
  EXPECT_FALSE(HoldsForKey("((TILING_KEY_VAR & 0xF0) >> 4) == 3", 0x4a));  // == comes before &, as in C
  EXPECT_TRUE(HoldsForKey("1 + 2 * 3 == 7 && !(10 - 3 - 2 != 5) && 17 % 5 / 2 == 1", 0));
  EXPECT_TRUE(HoldsForKey("TILING_KEY_VAR==18446744073709551615&&~TILING_KEY_VAR==0&&-1<0", UINT64_MAX));
  EXPECT_TRUE(HoldsForKey("(5 ^ 1 | 8) == 12 && 3 >= 3 && 2 <= 3", 0));
  for (const char* wrong : {"", "TILING_KEY_VAR ==", "(1", "1 2", "1 / 0", "1 << 64", "key == 1"}) {
    EXPECT_THROW(HoldsForKey(wrong, 1), UserError) << wrong;
  }
}

struct OtherParts {
  uint32_t last;
};
void KernelOfTwoStructs(GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(Parts);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR >= 10", OtherParts);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 20", Parts);
  if (TILING_KEY_IS(11)) {
    GET_TILING_DATA_WITH_STRUCT(OtherParts, other, tiling);
    ascendc_assert(other.last == 1);
  } else {
    GET_TILING_DATA(data, tiling);
    ascendc_assert(data.array[2] == 4);
  }
}

TEST(TilingMacros, GiveNoKernelTheStructOfAnotherKey) {
  const Parts host{.first = 1, .array = {2, 3, 4}, .inner = {5}};
  auto* const tiling = reinterpret_cast<uint8_t*>(const_cast<Parts*>(&host));
  LaunchOptions options;
  const auto fault_of = [&](uint64_t key) {
    ICPU_SET_TILING_KEY(key);
    const LaunchResult result = Launch(LoadSoc("unit"), options, [&] { KernelOfTwoStructs(tiling); });
    ICPU_SET_TILING_KEY(0);
    return result.faults.empty() ? std::string() : result.faults.front().Text();
  };
  EXPECT_EQ(fault_of(1), "");
  EXPECT_EQ(fault_of(11), "");
  EXPECT_NE(fault_of(12).find("gives another struct than OtherParts, which is that of tiling key 12; write "
                              "GET_TILING_DATA_WITH_STRUCT(OtherParts, name, pointer) for this key"),
            std::string::npos)
      << fault_of(12);
  EXPECT_NE(fault_of(20).find("tiling key 20 has two structs, OtherParts and Parts; let one condition hold"),
            std::string::npos)
      << fault_of(20);
}

}  // namespace
}  // namespace tilesim
