// The registers in which V leaves results for the scalar unit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilesim {

enum class ResultRegister : uint8_t { kSum, kBest, kKept, kMerged };
inline constexpr size_t kNumResultRegisters = 4;

constexpr const char* Name(ResultRegister result) {
  constexpr const char* kNames[] = {"the register of the sum", "the register of the largest or least",
                                    "the register of the elements kept", "the register of the merged pairs"};
  return kNames[static_cast<size_t>(result)];
}

}  // namespace tilesim
