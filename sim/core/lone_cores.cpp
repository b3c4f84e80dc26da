#include "sim/core/lone_cores.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/core/core.h"
#include "sim/core/core_tasks.h"
#include "sim/core/cross_core.h"
#include "sim/core/current_core.h"
#include "sim/core/fault.h"
#include "sim/core/free_memory.h"
#include "sim/core/interval_set.h"
#include "sim/core/recording.h"

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

// A core that was recorded, and its tasks.
struct Recorded {
  Recording recording;  // until it is among those of the launch
  size_t place = 0;     // there
  CoreStatistics statistics;
  CoreTasks tasks;
  // A move of GM: its buffer, and how many bytes of it from the move's place on it reaches.
  struct Move {
    uint32_t buffer = 0;
    uint64_t reach = 0;
  };
  std::vector<Move> moves;  // filled where another core does the same
};

// Runs the cores of a launch, each by itself.
class LoneRunner {
 public:
  LoneRunner(const SocConfig& soc, const LaunchOptions& options, std::span<const CoreIdentity> cores,
             const std::function<void()>& kernel)
      : soc_(soc), options_(options), cores_(cores), kernel_(kernel) {}

  Recorded Run(const CoreIdentity& identity, size_t most_tasks) const {
    const RunMode mode = {.values = false,
                          .time = true,
                          .hazards = false,
                          .strict_sync = options_.mode.strict_sync,
                          .cost_only = options_.mode.cost_only};
    AllHaveCome port(cores_);
    const auto core = std::make_unique<Core>(soc_, options_.gm, nothing_written_, identity, mode);
    Recorded recorded{
        .recording = {}, .place = 0, .statistics = {}, .tasks = CoreTasks(most_tasks), .moves = {}};
    core->SetCrossCore(&port);
    core->SetMostRecordedBytes(most_recorded_bytes_);
    core->ListTasks(&recorded.tasks);
    {
      const CurrentCoreScope scope(*core);
      kernel_();
      core->Finish();
    }
    if (std::vector<Fault> faults = core->TakeNoted(); !faults.empty()) {
      throw KernelFault(std::move(faults.front()));
    }
    recorded.recording = core->TakeRecording();
    if (most_tasks > 0 && recorded.tasks.done() < recorded.tasks.size()) {
      recorded.recording.CutTo(recorded.tasks.first_step(most_tasks));
    }
    recorded.statistics = core->statistics();
    return recorded;
  }

  // What `like` did, its `recording`, at the places of `tasks`.
  Recording Moved(Recorded& like, Recording recording, const CoreTasks& tasks) const {
    if (like.moves.empty()) {
      like.moves = MovesOf(recording);
    }
    for (size_t i = 0; i < like.tasks.done(); ++i) {
      const std::vector<uint64_t> shifts = Shifts(like.tasks[i], tasks[i]);
      const size_t end = i + 1 < like.tasks.done() ? like.tasks.first_move(i + 1) : recording.moves();
      for (size_t move = like.tasks.first_move(i); move < end; ++move) {
        const auto& [buffer, reach] = like.moves[move];
        const uint64_t begin = recording.GmBegin(move) + shifts[buffer];
        const uint64_t size = options_.gm.buffers()[buffer].size_bytes;
        if (begin > size || reach > size - begin) {
          throw std::logic_error("tasks of one kind do not move the same of " +
                                 options_.gm.buffers()[buffer].name);
        }
        recording.SetGmBegin(move, begin);
      }
    }
    return recording;
  }

 private:
  static std::vector<Recorded::Move> MovesOf(const Recording& recording) {
    std::vector<Recorded::Move> moves;
    for (Recording::Cursor step(recording); !step.AtEnd(); ++step) {
      if (step->gm != 0) {
        const GmPattern& pattern = recording.PatternOf(*step);
        moves.push_back({pattern.buffer, pattern.shape.end()});
      }
    }
    return moves;
  }
  // By buffer, modulo 2^64.
  std::vector<uint64_t> Shifts(const CoreTask& from, const CoreTask& to) const {
    std::vector<uint64_t> shifts(options_.gm.buffers().size(), 0);
    std::vector<const GmBuffer*> named;
    for (size_t i = 0; i < from.places.size(); ++i) {
      if (from.places[i].tensor == 0) {
        continue;
      }
      const GmBuffer* const buffer = options_.gm.Find(from.places[i].tensor);
      if (buffer == nullptr || to.places[i].tensor != from.places[i].tensor ||
          std::ranges::find(named, buffer) != named.end()) {
        throw std::logic_error("a task's places are not in tensors of its own");
      }
      named.push_back(buffer);
      shifts[static_cast<size_t>(buffer - options_.gm.buffers().data())] =
          to.places[i].address - from.places[i].address;
    }
    return shifts;
  }

  const SocConfig& soc_;
  const LaunchOptions& options_;
  std::span<const CoreIdentity> cores_;
  const std::function<void()>& kernel_;
  // A core's part of what all may take.
  const uint64_t most_recorded_bytes_ = FreeMemoryBytes() / 2 / cores_.size();
  const IntervalSet nothing_written_;
};

using PipeCycles = std::array<int64_t, kNumPipes>;

// What a task keeps the pipes but MTE2 busy for at least, as recorded.
PipeCycles BusyCycles(const SocConfig& soc, const Recording& recording, size_t begin, size_t end) {
  PipeCycles busy{};
  for (Recording::Cursor at(recording, begin); at.place() < end; ++at) {
    const Step& step = *at;
    if (step.kind == Step::Kind::kRun && step.pipe != Pipe::kMte2) {
      busy[static_cast<size_t>(Index(step.pipe))] +=
          step.gm == 0 ? step.cost.busy_cycles : AloneCycles(soc, recording.PatternOf(step));
    }
  }
  return busy;
}

// What is left to each core, by what tasks of the same kinds take; of kinds that none has done nothing.
std::vector<RestOfCore> RestsOf(const SocConfig& soc, const LaunchRecording& launch,
                                const std::vector<Recorded>& recorded, const std::vector<Recorded>& listed,
                                size_t done) {
  std::map<decltype(CoreTask::kind), PipeCycles> known;
  for (const Recorded& one : recorded) {
    const Recording& recording = launch.recordings[one.place];
    const bool is_all = one.tasks.done() == one.tasks.size();  // its end is behind its last task's
    const size_t tasks = one.tasks.done() - (is_all && one.tasks.done() > 0 ? 1 : 0);
    for (size_t i = 0; i < tasks; ++i) {
      const size_t end = i + 1 < one.tasks.done() ? one.tasks.first_step(i + 1) : recording.size();
      if (!known.contains(one.tasks[i].kind)) {
        known[one.tasks[i].kind] = BusyCycles(soc, recording, one.tasks.first_step(i), end);
      }
    }
  }
  std::vector<RestOfCore> rests;
  for (const Recorded& core : listed) {
    RestOfCore& rest = rests.emplace_back();
    rest.done = std::min(done, core.tasks.size());
    for (size_t i = done; i < core.tasks.size(); ++i) {
      rest.any = true;
      if (const auto task = known.find(core.tasks[i].kind); task != known.end()) {
        for (size_t pipe = 0; pipe < kNumPipes; ++pipe) {
          rest.busy_cycles[pipe] += task->second[pipe];
        }
      } else {
        ++rest.unknown;
      }
    }
  }
  return rests;
}

}  // namespace

LoneCores RunLoneCores(const SocConfig& soc, const LaunchOptions& options, std::span<const size_t> which,
                       const std::function<void()>& kernel, size_t part) {
  const std::vector<CoreIdentity> all = CoresOf(options);
  LoneCores lone;
  for (const size_t core : which) {
    lone.recording.cores.push_back(all.at(core));
    lone.recording.cores.back().index = static_cast<int>(lone.recording.cores.size()) - 1;
  }
  for (const GmBuffer& buffer : options.gm.buffers()) {
    lone.recording.buffer_bytes.push_back(buffer.size_bytes);
  }
  const LoneRunner runner(soc, options, lone.recording.cores, kernel);
  std::vector<Recorded> listed;  // of each core
  size_t longest = 0;
  for (const CoreIdentity& identity : lone.recording.cores) {
    listed.push_back(runner.Run(identity, 0));
    longest = std::max(longest, listed.back().tasks.size());
  }
  constexpr size_t kFew = 4;  // tasks: one of fewer is no small part
  const size_t most_tasks =
      part == 1 || longest < kFew ? CoreTasks::kAll : std::max<size_t>(1, longest / part);
  std::vector<Recorded> recorded;  // of each sort of core, one
  for (size_t core = 0; core < listed.size(); ++core) {
    const CoreTasks& tasks = listed[core].tasks;
    const auto like = std::ranges::find_if(
        recorded, [&](const Recorded& one) { return one.tasks.size() > 0 && one.tasks.DoneAlike(tasks); });
    if (like != recorded.end()) {
      lone.recording.recordings.push_back(runner.Moved(*like, lone.recording.recordings[like->place], tasks));
      lone.statistics.push_back(like->statistics);
      continue;
    }
    // a kernel that names no tasks has done them all
    recorded.push_back(tasks.size() == 0 ? std::move(listed[core])
                                         : runner.Run(lone.recording.cores[core], most_tasks));
    recorded.back().place = lone.recording.recordings.size();
    lone.recording.recordings.push_back(std::move(recorded.back().recording));
    lone.statistics.push_back(recorded.back().statistics);
  }
  lone.sorts = recorded.size();
  if (longest > most_tasks) {
    lone.rests = RestsOf(soc, lone.recording, recorded, listed, most_tasks);
  }
  return lone;
}

double LaunchTimeUs(const SocConfig& soc, int64_t cycles, int64_t blocks) {
  return static_cast<double>(cycles) / soc.clock_mhz + soc.launch_us + soc.launch_start_us +
         soc.launch_us_per_core * static_cast<double>(blocks);
}

}  // namespace tilesim
