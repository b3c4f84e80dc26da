// UndefinedRun, by instructions that do what only few do.
#include <cstring>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

// dst[0] = src[offset]; the offset is in UB, too, and Execute tells the host of it.
struct Lookup {
  static constexpr const char* kName = "Lookup";
  uint32_t* told = nullptr;
  bool checks = false;

  static uint32_t Offset(Core& core) {
    uint32_t offset = 0;
    std::memcpy(&offset, core.ub(), sizeof(offset));
    return offset;
  }
  Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const {
    core.Require(!checks || Offset(core) < 4096, FaultKind::kLimit, "offset", "is ", Offset(core));
  }
  Operands Footprint(Core& core) const {
    const uint64_t from = checks ? Offset(core) : 128;
    Operands operands;
    operands.Add(Reads(Memory::kUb, 0, 4));
    operands.Add(Reads(Memory::kUb, from, from + 4));
    operands.Add(Writes(Memory::kUb, 64, 68));
    return operands;
  }
  void Execute(Core& core) const {
    core.Note(core.MakeFault(FaultKind::kMisuse, "", "noted"));
    *told = Offset(core);
    std::memcpy(core.ub() + 64, core.ub() + 128, 4);
  }
  Cost TimeOn(Core&) const { return {}; }
};

LaunchResult LookUp(bool offset_written, bool checks, uint32_t& told) {
  return LaunchOnUnit({.type = KernelType::kAivOnly, .threads = 1}, [&](Core& core) {
    Do(core, {.on = Pipe::kV, .regions = {Writes(Memory::kUb, 128, 256)}});
    if (offset_written) {
      Do(core, {.on = Pipe::kV, .regions = {Writes(Memory::kUb, 0, 32)}});
    }
    const uint32_t offset = 128;
    std::memcpy(core.ub(), &offset, sizeof(offset));
    core.Issue(Lookup{.told = &told, .checks = checks}, SourceLine::Here());
  });
}

TEST(UndefinedRun, WhatDecidesWhichBytesAreTouchedNeedsAValue) {
  uint32_t told = 0;
  const LaunchResult known = LookUp(true, true, told);
  ASSERT_EQ(known.faults.size(), 1U) << TextOf(known);  // the note
  const LaunchResult unknown = LookUp(false, true, told);
  ASSERT_EQ(unknown.faults.size(), 2U) << TextOf(unknown);
  EXPECT_NE(unknown.faults[0].what.find(
                "UB bytes [0, 4) decide which bytes are touched and hold no value: they were never written"),
            std::string::npos)
      << TextOf(unknown);
}

TEST(UndefinedRun, TheLastRunIsTheTrueOneAndNotesAreMadeOnce) {
  uint32_t told = 0;
  const LaunchResult result = LookUp(false, false, told);
  EXPECT_EQ(told, 128U);
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  EXPECT_EQ(result.faults[0].what, "noted");
}

TEST(UndefinedRun, WhatIsMadeOfAMemoryThatItCannotLookIntoHasNoValue) {
  std::vector<float> out(16);
  const auto stored = [&](bool written) {
    LaunchOptions options{.threads = 1};
    options.gm.Add(BufferOf("out", out));
    const uint64_t gm = options.gm.buffers()[0].address;
    return TextOf(LaunchOnUnit(options, [&](Core& core) {
      if (written) {
        Do(core, {.on = Pipe::kM, .regions = {Writes(Memory::kBt, 0, 64)}});
      }
      Do(core, {.on = Pipe::kM, .regions = {Reads(Memory::kBt, 0, 64), Writes(Memory::kL0C, 0, 64)}});
      core.BarrierAll({});
      Do(core, {.on = Pipe::kFix, .regions = {Reads(Memory::kL0C, 0, 64), Writes(Memory::kGm, gm, gm + 64)}});
    }));
  };
  EXPECT_EQ(stored(true), "");
  EXPECT_NE(stored(false).find("made them of BT bytes [0, 64), which were never written"), std::string::npos)
      << stored(false);
}

TEST(UndefinedRun, BitsOfTheCompareRegisterAreFollowed) {
  std::vector<float> out(16);
  const auto stored = [&](uint64_t written_bytes, uint64_t stored_bytes) {
    LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
    options.gm.Add(BufferOf("out", out));
    const uint64_t gm = options.gm.buffers()[0].address;
    return TextOf(LaunchOnUnit(options, [&](Core& core) {
      const auto mask = [](Core& at) { return at.registers().vector.compare_mask.data(); };
      Do(core, {.on = Pipe::kV, .regions = {Writes(Memory::kUb, 0, written_bytes)}});
      Do(core, {.on = Pipe::kV, .regions = {Reads(Memory::kUb, 0, 16)}, .run = [&](Core& at) {
                  std::memcpy(mask(at), at.ub(), 16);
                }});
      Do(core, {.on = Pipe::kV, .regions = {Writes(Memory::kUb, 64, 80)}, .run = [&](Core& at) {
                  std::memcpy(at.ub() + 64, mask(at), 16);
                }});
      core.BarrierAll({});
      Do(core, {.on = Pipe::kMte3,
                .regions = {Reads(Memory::kUb, 64, 64 + stored_bytes),
                            Writes(Memory::kGm, gm, gm + stored_bytes)}});
    }));
  };
  EXPECT_EQ(stored(16, 16), "");
  EXPECT_EQ(stored(12, 12), "");
  EXPECT_NE(stored(12, 13).find("made them of UB bytes [12, 16), which were never"), std::string::npos)
      << stored(12, 13);
}

}  // namespace
}  // namespace tilesim
