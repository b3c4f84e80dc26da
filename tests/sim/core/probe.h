// An instruction that touches and costs what a test says, and a launch of a kernel on the part `unit`.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/launch.h"

namespace tilesim {

struct Probe {
  static constexpr const char* kName = "Probe";
  Pipe on = Pipe::kMte1;
  std::vector<Region> regions = {};
  Cost cost = {.busy_cycles = 10, .latency_cycles = 0};
  std::function<void(Core&)> run = {};
  int unit_flag = 0;
  bool disordered = false;  // the pipe does not order it behind its earlier instructions

  Pipe pipe() const { return on; }
  void Check(Core&) const {}
  Operands Footprint(Core&) const {
    Operands operands;
    for (const Region& region : regions) {
      operands.Add(region);
    }
    return operands;
  }
  void Execute(Core& core) const {
    if (run) {
      run(core);
    }
  }
  Cost TimeOn(Core&) const { return cost; }
  bool OrderedInPipe() const { return !disordered && on != Pipe::kMte2 && on != Pipe::kMte3; }
  int UnitFlag() const { return unit_flag; }
};
static_assert(Instruction<Probe>);

inline Region Bytes(Memory memory, Use use, uint64_t begin, uint64_t end) {
  return {.memory = memory,
          .use = use,
          .operand = use == Use::kRead ? "src" : "dst",
          .begin = begin,
          .block_bytes = end - begin};
}
inline Region Reads(Memory memory, uint64_t begin, uint64_t end) {
  return Bytes(memory, Use::kRead, begin, end);
}
inline Region Writes(Memory memory, uint64_t begin, uint64_t end) {
  return Bytes(memory, Use::kWrite, begin, end);
}
inline Region Updates(uint64_t begin, uint64_t end) { return Bytes(Memory::kGm, Use::kAtomic, begin, end); }

// The part `unit` with as many AICs as a test needs.
inline SocConfig UnitSoc(int aic_cores = 8) {
  const std::vector<std::string> overrides = {"chip.aic_cores=" + std::to_string(aic_cores)};
  return LoadSoc("unit", overrides);
}

template <class T>
GmBuffer BufferOf(const std::string& name, std::vector<T>& values, bool initialised = true) {
  return {.name = name,
          .address = reinterpret_cast<uint64_t>(values.data()),
          .size_bytes = values.size() * sizeof(T),
          .initialised = initialised};
}

inline LaunchResult LaunchOnUnit(LaunchOptions options, const std::function<void(Core&)>& kernel) {
  static const SocConfig soc = UnitSoc();
  return Launch(soc, options, [&] { kernel(CurrentCore()); });
}
inline LaunchResult LaunchOnUnit(const std::function<void(Core&)>& kernel) {
  return LaunchOnUnit({.threads = 1}, kernel);
}

// Issues with the line of the caller.
inline void Do(Core& core, const Probe& probe, SourceLine where = SourceLine::Here()) {
  core.Issue(probe, where);
}

// All cores of a kind wait for each other with cross-core flag `id`.
inline void Meet(Core& core, int id, SourceLine where = SourceLine::Here()) {
  core.BarrierAll(where);
  core.CrossCoreSet(0, core.identity().kind == CoreKind::kAic ? Pipe::kFix : Pipe::kMte3, id, where);
  core.CrossCoreWait(id, where);
}

// All faults, a line each.
inline std::string TextOf(const LaunchResult& result) {
  std::string text;
  for (const Fault& fault : result.faults) {
    text += fault.Text() + "\n";
  }
  return text;
}

}  // namespace tilesim
