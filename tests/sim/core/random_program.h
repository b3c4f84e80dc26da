// Programs of one core at random: accesses, flags, barriers, and meetings with other cores.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/sim/core/probe.h"
#include "tests/sim/core/random_region.h"

namespace tilesim {

inline constexpr uint64_t kGmBytes = 65536 + 4096;  // across the end of a page
inline constexpr uint64_t kFilled = (uint64_t{1} << 30) - 2048;
inline constexpr uint64_t kUnset = kFilled + 2 * 65536;  // nobody has filled it

struct ProgramStep {
  enum class Kind { kAccess, kSet, kWait, kBarrier, kBarrierAll, kMeet } kind = Kind::kAccess;
  Pipe pipe = Pipe::kS;  // of an access or a barrier; the source of a flag
  Pipe other = Pipe::kS;
  bool disordered = false;
  std::vector<Region> regions = {};
  int line = 0;
};

struct CoreShape {
  KernelType type;
  Memory memory;
  std::vector<Pipe> pipes;
  std::vector<std::pair<Pipe, Pipe>> flags;
};
inline const CoreShape kCube{KernelType::kMixAic1_0,
                             Memory::kL1,
                             {Pipe::kMte1, Pipe::kMte2, Pipe::kM, Pipe::kFix},
                             {{Pipe::kMte2, Pipe::kMte1},
                              {Pipe::kMte1, Pipe::kM},
                              {Pipe::kM, Pipe::kFix},
                              {Pipe::kFix, Pipe::kM},
                              {Pipe::kM, Pipe::kMte2}}};
inline const CoreShape kVector{KernelType::kMixAiv1_0,
                               Memory::kUb,
                               {Pipe::kV, Pipe::kMte2, Pipe::kMte3, Pipe::kS},
                               {{Pipe::kMte2, Pipe::kV},
                                {Pipe::kV, Pipe::kMte3},
                                {Pipe::kMte3, Pipe::kMte2},
                                {Pipe::kV, Pipe::kMte2},
                                {Pipe::kMte3, Pipe::kV}}};

// One core's program. `meetings` decides when the cores meet, alike on all of them.
inline std::vector<ProgramStep> RandomProgram(std::mt19937& random, std::mt19937 meetings,
                                              const CoreShape& shape) {
  std::vector<ProgramStep> program;
  std::vector<bool> set(shape.flags.size());
  std::vector<Region> used;  // programs come back to the same places
  for (int line = 1; line <= 60; ++line) {
    ProgramStep access{.pipe = shape.pipes[random() % shape.pipes.size()], .line = line};
    access.disordered = access.pipe == Pipe::kV || (access.pipe == Pipe::kM && random() % 2 == 0);
    for (uint64_t i = 0; i < 1 + random() % 2; ++i) {
      Region region =
          used.empty() || random() % 3 != 0 ? RandomRegion(random, 0, 4096) : used[random() % used.size()];
      used.push_back(region);
      const uint64_t place = random() % 6;
      region.memory = place < 4 ? shape.memory : Memory::kGm;
      region.begin += place < 4 ? 0 : place == 4 ? kFilled : kUnset;
      if (place >= 4 && random() % 4 == 0 && region.outer_count > 1) {
        region.outer_count = 2;
        region.outer_stride_bytes = 65536;  // over the pages
      }
      const uint64_t use = random() % 8;
      region.use = use < 4 ? Use::kRead : use == 4 && place >= 4 ? Use::kAtomic : Use::kWrite;
      region.operand = region.use == Use::kRead ? "src" : "dst";
      access.regions.push_back(region);
    }
    program.push_back(access);
    for (uint64_t i = random() % 6; i > 0; --i) {
      const size_t flag = random() % set.size();
      program.push_back({.kind = set[flag] ? ProgramStep::Kind::kWait : ProgramStep::Kind::kSet,
                         .pipe = shape.flags[flag].first,
                         .other = shape.flags[flag].second});
      set[flag] = !set[flag];
    }
    if (random() % 3 == 0) {
      program.push_back({.kind = ProgramStep::Kind::kBarrier, .pipe = shape.pipes[random() % 3]});
    }
    if (random() % 4 == 0) {
      program.push_back({.kind = ProgramStep::Kind::kBarrierAll});
    }
    if (meetings() % 8 == 0) {
      program.push_back({.kind = ProgramStep::Kind::kMeet});
    }
  }
  return program;
}

inline void Play(Core& core, const std::vector<ProgramStep>& program) {
  for (const ProgramStep& step : program) {
    switch (step.kind) {
      case ProgramStep::Kind::kAccess:
        Do(core, {.on = step.pipe, .regions = step.regions, .disordered = step.disordered},
           {.file = "k", .line = step.line});
        break;
      case ProgramStep::Kind::kSet:
        core.SetFlag(step.pipe, step.other, 0, {});
        break;
      case ProgramStep::Kind::kWait:
        core.WaitFlag(step.pipe, step.other, 0, {});
        break;
      case ProgramStep::Kind::kBarrier:
        core.Barrier(step.pipe, {});
        break;
      case ProgramStep::Kind::kBarrierAll:
        core.BarrierAll({});
        break;
      case ProgramStep::Kind::kMeet:
        Meet(core, 2, {});
        break;
    }
  }
}

}  // namespace tilesim
