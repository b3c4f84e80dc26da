#include "sim/core/lone_cores.h"

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/fault.h"

namespace tilesim {
namespace {

// Answers a core that waits for all others at once: they have set the flag as often as it has.
class AllHaveCome : public CrossCorePort {
 public:
  explicit AllHaveCome(std::span<const CoreIdentity> cores) : cores_(cores) {}

  void Set(const CrossCoreEvent& event) override {
    if (event.mode != 0) {
      throw std::logic_error("a lone core was to meet only some of the others");
    }
    sets_[static_cast<size_t>(event.id)].push_back(event);
  }

  std::optional<CrossCoreToken> Wait(int core, int id) override {
    std::vector<CrossCoreEvent>& sets = sets_[static_cast<size_t>(id)];
    size_t& taken = taken_[static_cast<size_t>(id)];
    if (taken == sets.size()) {
      return std::nullopt;
    }
    CrossCoreToken token;
    const CoreKind kind = cores_[static_cast<size_t>(core)].kind;
    for (const CoreIdentity& other : cores_) {
      if (other.kind == kind) {
        token.from.push_back(sets[taken]);
        token.from.back().core_index = other.index;
      }
    }
    ++taken;
    return token;
  }

 private:
  std::span<const CoreIdentity> cores_;
  std::array<std::vector<CrossCoreEvent>, kCrossCoreFlags> sets_;
  std::array<size_t, kCrossCoreFlags> taken_{};
};

class CurrentCoreScope {
 public:
  explicit CurrentCoreScope(Core& core) { internal::current_core = &core; }
  ~CurrentCoreScope() { internal::current_core = nullptr; }
  CurrentCoreScope(const CurrentCoreScope&) = delete;
  CurrentCoreScope& operator=(const CurrentCoreScope&) = delete;
};

}  // namespace

LoneCores RunLoneCores(const SocConfig& soc, const LaunchOptions& options, std::span<const size_t> which,
                       const std::function<void()>& kernel) {
  const std::vector<CoreIdentity> all = CoresOf(options);
  LoneCores lone;
  for (const size_t core : which) {
    lone.recording.cores.push_back(all.at(core));
    lone.recording.cores.back().index = static_cast<int>(lone.recording.cores.size()) - 1;
  }
  for (const GmBuffer& buffer : options.gm.buffers()) {
    lone.recording.buffer_bytes.push_back(buffer.size_bytes);
  }
  const RunMode mode = {
      .values = false, .time = true, .hazards = false, .strict_sync = options.mode.strict_sync};
  const IntervalSet nothing_written;
  for (const CoreIdentity& identity : lone.recording.cores) {
    AllHaveCome port(lone.recording.cores);
    const auto core = std::make_unique<Core>(soc, options.gm, nothing_written, identity, mode);
    core->SetCrossCore(&port);
    {
      const CurrentCoreScope scope(*core);
      kernel();
      core->Finish();
    }
    if (std::vector<Fault> faults = core->TakeNoted(); !faults.empty()) {
      throw KernelFault(std::move(faults.front()));
    }
    lone.recording.recordings.push_back(core->TakeRecording());
    lone.statistics.push_back(core->statistics());
  }
  return lone;
}

double LaunchTimeUs(const SocConfig& soc, int64_t cycles, int64_t blocks) {
  return static_cast<double>(cycles) / soc.clock_mhz + soc.launch_us + soc.launch_start_us +
         soc.launch_us_per_core * static_cast<double>(blocks);
}

}  // namespace tilesim
