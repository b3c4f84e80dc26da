#include "sim/core/launch.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "formats/error.h"
#include "sim/core/cross_core.h"
#include "sim/core/cross_core_faults.h"
#include "sim/core/current_core.h"
#include "sim/core/fault_times.h"
#include "sim/core/gm_window.h"
#include "sim/core/hazard.h"
#include "sim/core/interval_set.h"
#include "sim/core/lone_cores.h"
#include "sim/core/replay.h"
#include "sim/core/scheduler.h"

namespace tilesim {

constinit thread_local Core* internal::current_core = nullptr;

namespace {

using internal::current_core;

constexpr size_t kMaxCrossCoreFaults = 16;

void CheckLaunch(const SocConfig& soc, const LaunchOptions& options) {
  const bool vector_only = !HasAics(options.type);
  const int64_t most = vector_only ? soc.aic_cores * soc.aiv_per_aic : soc.aic_cores;
  RequireUser(options.blocks >= 1 && options.blocks <= most, "launch: ", options.blocks, " blocks, ",
              soc.name, " has ", most, vector_only ? " AIVs" : " AICs",
              "; cores that meet at a flag must all be there, so use 1..", most);
  const int64_t aivs = AivsPerBlock(options.type);
  RequireUser(aivs <= soc.aiv_per_aic, "launch: ", aivs, " AIVs a block, ", soc.name, " has ",
              soc.aiv_per_aic, " beside each AIC; use another kernel type");
}

// One run of a kernel: the cores, and how they meet.
class Launcher : public CrossCorePort {
 public:
  Launcher(const SocConfig& soc, const LaunchOptions& options, const std::function<void()>& kernel)
      : soc_(soc), options_(options), kernel_(kernel), identities_(CoresOf(options)), flags_(identities_) {
    const size_t n = identities_.size();
    cores_.resize(n);
    outbox_.resize(n);
    waiting_.resize(n, -1);
    errors_.resize(n);
    fatal_.resize(n);
    ended_.resize(n);
    sites_.resize(n);
  }

  LaunchResult Run() {
    const int threads = options_.threads > 0
                            ? options_.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    CoreScheduler scheduler(static_cast<int>(identities_.size()), threads,
                            {.body = [this](int core) { Body(core); },
                             .settle = [this](int core) { Settle(core); },
                             .end_round = [this] { EndRound(); },
                             .can_resume = [this](int core) { return flags_.Ready(core, waiting_[U(core)]); },
                             .give_up = [](int) {}},
                            HasCrossCoreFlags(options_.type));
    scheduler_ = &scheduler;
    scheduler.Run();
    for (const std::exception_ptr& error : errors_) {
      if (error) {
        std::rethrow_exception(error);
      }
    }
    return Gather();
  }

  void Set(const CrossCoreEvent& event) override { outbox_[U(event.core_index)].push_back(event); }

  std::optional<CrossCoreToken> Wait(int core, int id) override {
    if (!flags_.Ready(core, id)) {
      waiting_[U(core)] = id;
      scheduler_->Rest(core);
    }
    return flags_.Take(core, id);
  }

 private:
  static size_t U(int core) { return static_cast<size_t>(core); }

  std::unique_ptr<Core> MakeCore(const CoreIdentity& identity) {
    auto core = std::make_unique<Core>(soc_, options_.gm, written_gm_, identity, options_.mode);
    core->SetObserver(options_.observer);
    core->SetCrossCore(this);
    core->gm().UsePool(update_layers_);
    if (options_.drop_sync) {
      core->DropSync(*options_.drop_sync);
    }
    return core;
  }

  void Body(int index) {
    try {
      cores_[U(index)] = MakeCore(identities_[U(index)]);
      Core& core = *cores_[U(index)];
      current_core = &core;
      if (options_.sync_sites != nullptr) {
        core.RecordSyncSites(&sites_[U(index)]);
      }
      kernel_();
      core.Finish();
    } catch (const KernelFault& fault) {
      fatal_[U(index)] = fault.fault();
    } catch (...) {
      errors_[U(index)] = std::current_exception();
    }
    if (cores_[U(index)] != nullptr) {
      cores_[U(index)]->ReleaseMemories();
    }
    current_core = nullptr;
    ended_[U(index)] = 1;
  }

  void Settle(int index) {
    if (cores_[U(index)] == nullptr) {  // could not be made; errors_ says why
      return;
    }
    Core& core = *cores_[U(index)];
    if (options_.mode.values) {
      core.gm().Commit();
    }
    if (core.hazards() != nullptr) {
      std::ranges::move(core.hazards()->TakeWrittenGm(), std::back_inserter(new_written_gm_));
    }
  }

  void EndRound() {
    if (std::ranges::count(ended_, 1) != static_cast<int64_t>(ended_.size())) {  // somebody may still ask
      for (const ByteRuns& bytes : std::exchange(new_written_gm_, {})) {
        bytes.ForEachRun([this](uint64_t begin, uint64_t end) { written_gm_.Add(begin, end); });
      }
    }
    for (size_t i = 0; i < outbox_.size(); ++i) {
      for (const CrossCoreEvent& event : outbox_[i]) {
        const std::string wrong = flags_.Deliver(event);
        if (!wrong.empty()) {
          Fault fault = cores_[i]->MakeFault(FaultKind::kFlag, "flagId", wrong);
          fault.instruction = "CrossCoreSetFlag";
          fault.where = event.where;
          cores_[i]->Note(std::move(fault));
        }
      }
      outbox_[i].clear();
    }
  }

  LaunchResult Gather() {
    LaunchResult result;
    result.cores.reserve(cores_.size());
    TellDeadlockOnce(fatal_);
    std::vector<HazardChecker*> checkers;
    for (size_t i = 0; i < cores_.size(); ++i) {
      Core& core = *cores_[i];
      if (core.hazards() != nullptr) {
        std::ranges::move(core.hazards()->TakeFaults(), std::back_inserter(result.faults));
        checkers.push_back(core.hazards());
      }
      std::ranges::move(core.TakeNoted(), std::back_inserter(result.faults));
      if (fatal_[i]) {
        result.faults.push_back(*fatal_[i]);
      }
      if (options_.sync_sites != nullptr) {
        options_.sync_sites->merge(sites_[i]);
      }
      result.cores.push_back({core.identity(), core.statistics()});
    }
    result.faults = WithAlikeAsOne(std::move(result.faults));
    result.completed =
        std::ranges::none_of(fatal_, [](const std::optional<Fault>& fatal) { return fatal.has_value(); });
    if (result.completed) {
      std::ranges::move(UnbalancedFlags(flags_, cores_), std::back_inserter(result.faults));
    }
    std::ranges::move(FindCrossCoreHazards(checkers, kMaxCrossCoreFaults), std::back_inserter(result.faults));
    if (options_.mode.hazards && result.completed) {
      TellUnwrittenGm(result);
    }
    if (options_.mode.time) {
      Time(result);
    }
    result.time_us = LaunchTimeUs(soc_, result.cycles, options_.blocks);
    return result;
  }

  void TellUnwrittenGm(LaunchResult& result) {
    for (const ByteRuns& bytes : new_written_gm_) {
      bytes.ForEachRun([this](uint64_t begin, uint64_t end) { written_gm_.Add(begin, end); });
    }
    for (const GmBuffer& buffer : options_.gm.buffers()) {
      const uint64_t end = buffer.address + buffer.size_bytes;
      const uint64_t first = buffer.initialised ? end : written_gm_.FirstGap(buffer.address, end);
      if (first == end) {
        continue;
      }
      uint64_t missing = 0;
      for (uint64_t at = first; at < end;) {
        const uint64_t next = written_gm_.FirstIn(at, end);
        missing += next - at;
        at = written_gm_.FirstGap(next, end);
      }
      result.notices.push_back(Say("GM buffer ", buffer.name, ": no core has written ", missing, " of its ",
                                   buffer.size_bytes, " bytes, first [", first - buffer.address, ", ",
                                   written_gm_.FirstIn(first, end) - buffer.address, ")"));
    }
  }

  // Fills in everything that has to do with time.
  void Time(LaunchResult& result) {
    LaunchRecording recording{.cores = identities_, .recordings = {}, .buffer_bytes = {}};
    for (const GmBuffer& buffer : options_.gm.buffers()) {
      recording.buffer_bytes.push_back(buffer.size_bytes);
    }
    for (const std::unique_ptr<Core>& core : cores_) {
      recording.recordings.push_back(core->TakeRecording());
    }
    const LaunchTimes times = Replay(recording, soc_);
    for (size_t i = 0; i < times.cores.size(); ++i) {
      CoreStatistics& statistics = result.cores[i].statistics;
      statistics.busy_cycles = times.cores[i].busy_cycles;
      statistics.l2_hit_bytes = times.cores[i].read_bytes.hit;
      statistics.l2_miss_bytes = times.cores[i].read_bytes.miss;
      statistics.l2_slice_cycles = times.cores[i].slice_cycles;
      statistics.end_cycle = times.cores[i].end_cycle;
    }
    result.cycles = result.completed ? times.cycles : 0;
    if (!result.faults.empty()) {
      TellCycles(recording, soc_, result.faults);
    }
    if (options_.recording != nullptr) {
      *options_.recording = std::move(recording);
    }
  }

  const SocConfig& soc_;
  const LaunchOptions& options_;
  const std::function<void()>& kernel_;
  std::vector<CoreIdentity> identities_;
  IntervalSet written_gm_;                // by all cores, up to the last round
  std::vector<ByteRuns> new_written_gm_;  // in this round
  CrossCoreFlags flags_;
  std::shared_ptr<UpdateLayerPool> update_layers_ = std::make_shared<UpdateLayerPool>();
  CoreScheduler* scheduler_ = nullptr;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::vector<CrossCoreEvent>> outbox_;  // by core: set in this round
  std::vector<int> waiting_;                         // by core: the flag it rests for
  std::vector<std::exception_ptr> errors_;
  std::vector<std::optional<Fault>> fatal_;
  std::vector<char> ended_;  // by core: 1 once its body is through
  std::vector<std::set<SyncSite>> sites_;
};

}  // namespace

std::vector<CoreIdentity> CoresOf(const LaunchOptions& options) {
  const bool with_aic = HasAics(options.type);
  const int64_t aivs = AivsPerBlock(options.type);
  std::vector<CoreIdentity> cores;
  for (int64_t block = 0; with_aic && block < options.blocks; ++block) {
    cores.push_back({.kind = CoreKind::kAic, .block = block});
  }
  for (int64_t block = 0; block < options.blocks; ++block) {
    for (int64_t sub = 0; sub < aivs; ++sub) {
      cores.push_back(
          {.kind = CoreKind::kAiv, .block = block, .sub_block = sub, .aivs_per_block = with_aic ? aivs : 0});
    }
  }
  for (size_t i = 0; i < cores.size(); ++i) {
    cores[i].index = static_cast<int>(i);
    cores[i].num_blocks = options.blocks;
    cores[i].launched_as = options.type;
  }
  return cores;
}

int64_t LaunchResult::Instructions() const {
  int64_t total = 0;
  for (const CoreResult& core : cores) {
    total += core.statistics.TotalInstructions();
  }
  return total;
}

LaunchResult Launch(const SocConfig& soc, const LaunchOptions& options, const std::function<void()>& kernel) {
  CheckLaunch(soc, options);
  const auto start = std::chrono::steady_clock::now();
  LaunchResult result = Launcher(soc, options, kernel).Run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  result.host_ms = took.count();
  return result;
}

Core& CurrentCore() {
  if (current_core == nullptr) {
    throw std::logic_error(
        "an Ascend C call outside a launch: run the kernel with tilesim::Launch or ICPU_RUN_KF");
  }
  return *current_core;
}

}  // namespace tilesim
