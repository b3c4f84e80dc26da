// Runs a kernel on the part `unit` and hands its faults back as text.
#pragma once

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "sim/core/launch.h"
#include "tests/sim/core/probe.h"
// after the others: it defines names in the global namespace
#include "sim/ascendc/kernel_operator.h"

namespace tilesim {

inline LaunchResult RunKernel(const std::function<void()>& kernel, KernelType type = KernelType::kAicOnly,
                              int64_t blocks = 1) {
  return LaunchOnUnit({.type = type, .blocks = blocks, .threads = 1}, [&](Core&) { kernel(); });
}

// The faults of a kernel on one core; "" where there are none.
inline std::string FaultsOf(const std::function<void()>& kernel, KernelType type = KernelType::kAicOnly) {
  return TextOf(RunKernel(kernel, type));
}

// The same on a vector core.
inline std::string OnVector(const std::function<void()>& kernel) {
  return FaultsOf(kernel, KernelType::kAivOnly);
}

inline void ExpectSays(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace tilesim
