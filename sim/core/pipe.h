// The pipes of a core and the memories they move data between.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilesim {

// In-order instruction pipes of an AI core (arch 2201). A cube core (AIC) has S, MTE1, MTE2, MTE3, M and FIX;
// a vector core (AIV) has S, V, MTE2 and MTE3.
enum class Pipe : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix };
inline constexpr int kNumPipes = 7;

constexpr int Index(Pipe pipe) { return static_cast<int>(pipe); }

inline constexpr int kEventIds = 8;  // flags of each directed pair of pipes

constexpr std::string_view Name(Pipe pipe) {
  constexpr std::array<std::string_view, kNumPipes> kNames = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return kNames[static_cast<size_t>(pipe)];
}

enum class Memory : uint8_t { kGm, kL1, kL0A, kL0B, kL0C, kUb, kBt, kFb };
inline constexpr int kNumMemories = 8;

constexpr int Index(Memory memory) { return static_cast<int>(memory); }

constexpr std::string_view Name(Memory memory) {
  constexpr std::array<std::string_view, kNumMemories> kNames = {"GM",  "L1", "L0A", "L0B",
                                                                 "L0C", "UB", "BT",  "FB"};
  return kNames[static_cast<size_t>(memory)];
}

enum class CoreKind : uint8_t { kMix = 0, kAic = 1, kAiv = 2 };

constexpr std::string_view Name(CoreKind kind) {
  return kind == CoreKind::kAic ? "AIC" : kind == CoreKind::kAiv ? "AIV" : "MIX";
}

}  // namespace tilesim
