// Where a core stands in a launch, and what launches start.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/pipe.h"

namespace tilesim {

// Which cores a block of a launch holds, by the names of the vendor's KERNEL_TYPE. Only in MIX types have
// cores flags for each other.
enum class KernelType : uint8_t { kAicOnly, kAivOnly, kMixAic1_0, kMixAiv1_0, kMixAic1_1, kMixAic1_2 };

constexpr std::string_view Name(KernelType type) {
  constexpr std::array<std::string_view, 6> kNames = {"AIC_ONLY",    "AIV_ONLY",    "MIX_AIC_1_0",
                                                      "MIX_AIV_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  return kNames[static_cast<size_t>(type)];
}
constexpr bool HasAics(KernelType type) {
  return type != KernelType::kAivOnly && type != KernelType::kMixAiv1_0;
}
constexpr int64_t AivsPerBlock(KernelType type) {
  return type == KernelType::kMixAic1_2                                   ? 2
         : type == KernelType::kAicOnly || type == KernelType::kMixAic1_0 ? 0
                                                                          : 1;
}
constexpr bool HasCrossCoreFlags(KernelType type) {
  return type != KernelType::kAicOnly && type != KernelType::kAivOnly;
}

// Who says what type a launch is of.
enum class TypeFrom : uint8_t {
  kLauncher,   // and the kernel must agree
  kNobody,     // it is a guess until the kernel says
  kKernel,     // for all its tiling keys
  kTilingKey,  // the kernel for the key in force
};

// Thrown by a core whose kernel says another type than that of a launch which leaves it to the kernel.
struct OtherKernelType {
  KernelType type = KernelType::kAicOnly;
  TypeFrom from = TypeFrom::kKernel;
};

struct CoreIdentity {
  CoreKind kind = CoreKind::kAic;
  int index = 0;          // in the launch: all AICs first, then all AIVs
  int64_t block = 0;      // block_idx
  int64_t sub_block = 0;  // which AIV of its block
  int64_t num_blocks = 1;
  int64_t aivs_per_block = 0;
  KernelType launched_as = KernelType::kAicOnly;
  TypeFrom type_from = TypeFrom::kLauncher;

  std::string Name() const;  // "AIC 3", "AIV 3.1"
};

}  // namespace tilesim
