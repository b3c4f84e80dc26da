// What a report shows of a launch's instructions: those of some cores one by one, those of all by source
// line.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/gm.h"
#include "sim/core/identity.h"
#include "sim/core/observer.h"

namespace tilesim {

// Which instructions are kept one by one, of each core that is shown.
struct WatchWindow {
  int64_t from_cycle = 0;  // those that hold their pipe within [from_cycle, to_cycle)
  int64_t to_cycle = std::numeric_limits<int64_t>::max();
  int64_t max_events = 0;  // the first ones, that many
};

// One instruction in time.
struct WatchedRun {
  int64_t run = 0;
  const char* name = "";
  Pipe pipe = Pipe::kS;
  SourceLine where;
  Span span;
  Trail reason;
  TileLabel tile;
};

// A core that is shown.
struct WatchedCore {
  static constexpr size_t kBins = 300;
  CoreIdentity identity;
  std::vector<WatchedRun> runs;  // in program order
  int64_t left_out = 0;          // instructions outside the window or beyond the bound
  // Busy cycles of each pipe in equal parts of the launch's time, whatever the window.
  std::array<std::array<int64_t, kBins>, kNumPipes> busy{};

 private:
  friend class LaunchWatch;
  size_t told = 0;  // that many of the runs have their tile
};

// Instructions of one name on one pipe from one source line.
struct CallSite {
  const char* name = "";
  Pipe pipe = Pipe::kS;
  SourceLine where;
  int64_t calls = 0;
  int64_t busy_cycles = 0;
  std::string operands;  // of the first call: "dst L1 8192 B, src GM x 8192 B"
};

// Watches a replay, which tells times; then the tile program itself, which tells tiles and operands.
class LaunchWatch : public ClockObserver, public Observer {
 public:
  // `cycles`: of the launch. shown: indices of the cores that are kept one by one.
  LaunchWatch(std::vector<CoreIdentity> cores, GmSpace gm, int64_t cycles, const std::vector<size_t>& shown,
              const WatchWindow& window);

  void OnRun(const TimedRun& timed) override;
  void OnInstruction(int core_index, const Issued& instruction, const Operands& operands) override;

  // Throws logic_error where the tile program was not met again as it was replayed.
  void RequireWhole() const;
  // In the order in which they were asked for.
  std::vector<WatchedCore> TakeShown();
  const std::vector<CoreIdentity>& cores() const { return cores_; }
  // By core, in the order of their first calls.
  const std::vector<CallSite>& SitesOf(size_t core) const { return sites_[core].sites; }

 private:
  struct SiteKey {
    const char* name;
    const char* file;
    int line;
    Pipe pipe;
    friend bool operator==(const SiteKey&, const SiteKey&) = default;
  };
  struct SiteHash {
    size_t operator()(const SiteKey& key) const;
  };
  struct Sites {
    std::vector<CallSite> sites;
    std::unordered_map<SiteKey, size_t, SiteHash> number;
  };

  void AddBusy(WatchedCore& core, const TimedRun& timed) const;
  std::string TextOf(const Operands& operands) const;

  std::vector<CoreIdentity> cores_;
  GmSpace gm_;
  int64_t cycles_;
  WatchWindow window_;
  std::vector<WatchedCore> shown_;
  std::vector<int> slot_;     // by core: its place in shown_, or -1
  std::vector<Sites> sites_;  // by core
};

}  // namespace tilesim
