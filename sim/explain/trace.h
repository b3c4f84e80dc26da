// The timeline of a launch as Chrome-trace JSON, for Perfetto and chrome://tracing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/gm.h"
#include "sim/core/identity.h"
#include "sim/core/launch.h"
#include "sim/core/observer.h"
#include "sim/explain/walk_back.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Which instructions are kept.
struct TraceWindow {
  int64_t from_cycle = 0;  // those that hold their pipe within [from_cycle, to_cycle)
  int64_t to_cycle = std::numeric_limits<int64_t>::max();
  int64_t max_events = 1'000'000;  // in all; each core keeps its first ones, up to an equal share
};

// One process a core, one lane a pipe, one event an instruction: start and duration in microseconds, and as
// arguments its tile, operands, source line and what it waited for; one in grey, of category "wait", where
// the lane is idle before it. Arrows join the instructions of the critical path. Kept in memory until
// written. Knows no values. Watches a replay, which tells what is in the window; then the kernel itself,
// which tells the tiles and operands of that.
class ChromeTrace : public ClockObserver, public Observer {
 public:
  // For one launch of `options` (the cores and the GM buffers' names are taken from it) on `soc`.
  ChromeTrace(const SocConfig& soc, const LaunchOptions& options, const TraceWindow& window = {});
  // For a launch of these cores that may touch `gm`.
  ChromeTrace(const SocConfig& soc, const std::vector<CoreIdentity>& cores, GmSpace gm,
              const TraceWindow& window = {});

  void OnRun(const TimedRun& timed) override;
  // The critical path, the earliest stretch first.
  void MarkPath(const std::vector<Stretch>& path);
  void OnInstruction(int core_index, const Issued& instruction, const Operands& operands) override;
  // Throws logic_error where the kernel was not met again as it was replayed.
  void RequireWhole() const;
  // The same bytes whatever the number of host threads was.
  void Write(std::ostream& out) const;

  // Instructions, without the waits between them.
  int64_t kept() const;
  // Outside the window, or beyond the bound.
  int64_t left_out() const;

 private:
  struct Operand {
    Memory memory = Memory::kGm;
    Use use = Use::kRead;
    const char* name = "";
    uint64_t begin = 0;
    uint64_t total_bytes = 0;
  };
  struct Event {
    int64_t run = 0;
    const char* name = "";
    Pipe pipe = Pipe::kS;
    uint8_t num_operands = 0;
    SourceLine where;
    TileLabel tile;
    Span span;
    Trail reason;
    int64_t idle_since = 0;  // its pipe has been
    bool on_path = false;
  };
  // Written by the thread that simulates the core.
  struct Lanes {
    CoreIdentity identity;
    std::vector<Event> events;
    std::vector<Operand> operands;  // of the events, one after the other
    size_t told = 0;                // that many of the events have been met again
    int64_t left_out = 0;
    std::array<int64_t, kNumPipes> pipe_free{};
  };

  // Of the part's clock, whole: so the end of an event and the start of the next are one.
  int64_t Picoseconds(int64_t cycle) const;
  std::string Microseconds(int64_t from_cycle, int64_t to_cycle) const;
  void WriteNames(std::ostream& out, const Lanes& lanes, const char*& separator) const;
  void WriteEvent(std::ostream& out, const Lanes& lanes, const Event& event, const Operand* operands) const;
  void WriteWait(std::ostream& out, const Lanes& lanes, const Event& event) const;
  void WriteArrow(std::ostream& out, size_t id, const Event& from, int from_core, const Event& to,
                  int to_core) const;
  Event* Find(int core, int64_t run);
  std::string Place(const Operand& operand) const;

  std::string soc_name_;
  double clock_mhz_;
  GmSpace gm_;
  TraceWindow window_;
  size_t max_events_of_core_;
  std::vector<Lanes> cores_;
  struct PathPoint {
    int core = 0;
    const Event* event = nullptr;
  };
  std::vector<PathPoint> path_;  // instructions of the critical path that are kept, the earliest first
};

// As Launch; then times the launch for `trace`, and runs the kernel once more, without values, for what the
// trace says of each instruction. So a kernel that branches on what it reads may lack tiles and operands.
LaunchResult LaunchTraced(const SocConfig& soc, const LaunchOptions& options,
                          const std::function<void()>& kernel, ChromeTrace& trace);

}  // namespace tilesim
