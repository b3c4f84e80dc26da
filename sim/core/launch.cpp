#include "sim/core/launch.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "formats/error.h"
#include "sim/core/core_messages.h"
#include "sim/core/cross_core.h"
#include "sim/core/cross_core_faults.h"
#include "sim/core/current_core.h"
#include "sim/core/fault_times.h"
#include "sim/core/free_memory.h"
#include "sim/core/gm_poll.h"
#include "sim/core/gm_window.h"
#include "sim/core/hazard.h"
#include "sim/core/interval_set.h"
#include "sim/core/line_end.h"
#include "sim/core/lone_cores.h"
#include "sim/core/replay.h"
#include "sim/core/scalar_cache.h"
#include "sim/core/scheduler.h"
#include "sim/core/unwritten_gm.h"

namespace tilesim {

constinit thread_local Core* internal::current_core = nullptr;

namespace {

using internal::current_core;

constexpr size_t kMaxCrossCoreFaults = 16;
constexpr int64_t kMostBlocks = 65535;

// Blocks that run at one time.
int64_t MostAtOnce(const SocConfig& soc, KernelType type) {
  return HasAics(type) ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic;
}

int64_t StartedBlocks(const LaunchOptions& options) {
  return options.only_first > 0 ? std::min(options.only_first, options.blocks) : options.blocks;
}

void CheckLaunch(const SocConfig& soc, const LaunchOptions& options) {
  const bool vector_only = !HasAics(options.type);
  RequireUser(options.blocks >= 1, "launch: ", options.blocks, " blocks; give 1 or more");
  const int64_t most = HasCrossCoreFlags(options.type) ? MostAtOnce(soc, options.type) : kMostBlocks;
  if (most == kMostBlocks) {
    RequireUser(options.blocks <= most, "launch: ", options.blocks, " blocks, allowed 1..", most);
  }
  RequireUser(StartedBlocks(options) <= most, "launch: ", options.blocks, " blocks, ", soc.name, " has ",
              most, vector_only ? " AIVs" : " AICs",
              "; cores that meet at a flag must all be there, so use 1..", most);
  const int64_t aivs = AivsPerBlock(options.type);
  RequireUser(aivs <= soc.aiv_per_aic, "launch: ", aivs, " AIVs a block, ", soc.name, " has ",
              soc.aiv_per_aic, " beside each AIC; use another kernel type");
}

// One run of a kernel: the cores, and how they meet.
class Launcher : public CrossCorePort {
 public:
  Launcher(const SocConfig& soc, const LaunchOptions& options, const std::function<void()>& kernel)
      : soc_(soc),
        options_(options),
        kernel_(kernel),
        identities_(CoresOf(options)),
        flags_(identities_),
        messages_(identities_),
        words_(options.mode.values) {
    const size_t n = identities_.size();
    cores_.resize(n);
    outbox_.resize(n);
    told_.resize(n);
    posted_.resize(n);
    answered_.resize(n);
    waits_.resize(n);
    waiting_.resize(n, -1);
    polls_.resize(n, nullptr);
    answers_.resize(n);
    awaited_.resize(n);
    errors_.resize(n);
    other_types_.resize(n);
    fatal_.resize(n);
    ended_.resize(n);
    sites_.resize(n);
    if (options_.written_gm != nullptr) {
      written_gm_ = *options_.written_gm;
    }
  }

  LaunchResult Run() {
    const int threads = options_.threads > 0
                            ? options_.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    CoreScheduler scheduler(static_cast<int>(identities_.size()), threads,
                            {.body = [this](int core) { Body(core); },
                             .settle = [this](int core) { Settle(core); },
                             .end_round = [this] { EndRound(); },
                             .can_resume = [this](int core) { return CanResume(core); },
                             .give_up = [](int) {}});
    scheduler_ = &scheduler;
    scheduler.Run();
    for (const std::exception_ptr& error : errors_) {
      if (error) {
        std::rethrow_exception(error);
      }
    }
    for (const std::optional<OtherKernelType>& other : other_types_) {
      if (other) {
        throw *other;
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

  void Tell(const CrossCoreEvent& event, const std::vector<GmWord>& words) override {
    told_[U(event.core_index)].emplace_back(event, words);
  }

  void Post(CoreMessage message) override {
    posted_[U(message.event.core_index)].push_back(std::move(message));
  }
  void Answer(const CoreAnswer& answer) override { answered_[U(answer.event.core_index)].push_back(answer); }
  CoreMail NextMessage(int core) override {
    CoreMail mail{.stuck = true};
    const auto take = [&](auto&& has_ended) {
      const bool has_mail = messages_.HasMail(core, has_ended);
      if (has_mail) {
        mail = messages_.Take(core, has_ended);
      }
      return has_mail;
    };
    if (!take([](int) { return false; })) {  // who ends in this round is not known before its end
      RestUntil(core, [&] { return take([this](int other) { return ended_[U(other)] != 0; }); });
    }
    return mail;
  }
  std::optional<CrossCoreEvent> AwaitAnswer(int core, uint32_t number) override {
    if (!messages_.HasAnswer(core, number)) {
      RestUntil(core, [&] { return messages_.HasAnswer(core, number); });
    }
    return messages_.TakeAnswer(core, number);
  }

  // What others write while they run is looked at between rounds only, so it does not matter when they do.
  GmAnswer Poll(int core, const GmPoll& poll) override {
    polls_[U(core)] = &poll;
    scheduler_->Rest(core);
    polls_[U(core)] = nullptr;
    if (!answers_[U(core)].holds) {
      awaited_[U(core)] = CoresNumbered(poll.Missing(answers_[U(core)].seen), identities_[U(core)].kind);
    }
    return std::move(answers_[U(core)]);
  }

  // Only where all cores run at once, so that each has its thread and its memories at most for a while.
  void LetOthersRun(int core) override {
    if (identities_.size() > 1 && options_.blocks <= MostAtOnce(soc_, options_.type)) {
      RestUntil(core, [] { return true; });
    }
  }

 private:
  // What a core finds out between rounds does not depend on when others run in this one.
  void RestUntil(int core, std::function<bool()> holds) {
    waits_[U(core)] = std::move(holds);
    scheduler_->Rest(core);
    waits_[U(core)] = nullptr;
  }

  bool CanResume(int core) {
    if (waits_[U(core)]) {
      return waits_[U(core)]();
    }
    if (polls_[U(core)] == nullptr) {
      return flags_.Ready(core, waiting_[U(core)]);
    }
    answers_[U(core)] = words_.Answer(*polls_[U(core)]);
    return answers_[U(core)].holds;
  }

  static size_t U(int core) { return static_cast<size_t>(core); }

  std::unique_ptr<Core> MakeCore(const CoreIdentity& identity) {
    auto core = std::make_unique<Core>(soc_, options_.gm, written_gm_, identity, options_.mode);
    core->SetObserver(options_.observer);
    core->SetCrossCore(this);
    core->SetScalarWrites(&scalar_writes_);
    core->SetWatchdog(options_.watchdog);
    core->SetMostRecordedBytes(most_recorded_bytes_);
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
    } catch (const OtherKernelType& other) {
      other_types_[U(index)] = other;
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

  void CollectScalarWrites() {
    scalar_writes_.clear();
    for (size_t i = 0; i < cores_.size(); ++i) {
      Core* const core = cores_[i].get();
      if (core != nullptr && !core->scalar_cache().written.empty()) {
        scalar_writes_.push_back({.core_index = static_cast<int>(i),
                                  .core = core->identity().Name(),
                                  .bytes = core->scalar_cache().written});
      }
    }
  }

  void EndRound() {
    CollectScalarWrites();
    if (std::ranges::count(ended_, 1) != static_cast<int64_t>(ended_.size())) {  // somebody may still ask
      SettleWrittenGm();
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
      for (const auto& [event, words] : std::exchange(told_[i], {})) {
        words_.Deliver(event, words);
      }
      for (CoreMessage& message : std::exchange(posted_[i], {})) {
        messages_.Deliver(std::move(message));
      }
      for (const CoreAnswer& answer : std::exchange(answered_[i], {})) {
        messages_.Deliver(answer);
      }
    }
  }

  // The cores of a kind with these numbers among them.
  std::vector<int> CoresNumbered(const std::vector<size_t>& numbers, CoreKind kind) const {
    const auto first = std::ranges::find(identities_, kind, &CoreIdentity::kind) - identities_.begin();
    std::vector<int> cores;
    for (const size_t number : numbers) {
      const size_t core = static_cast<size_t>(first) + number;
      if (core < identities_.size() && identities_[core].kind == kind) {
        cores.push_back(static_cast<int>(core));
      }
    }
    return cores;
  }

  // Where a core waits for ever for others that have returned from the kernel, its fault says so.
  void TellWhoHasLeft() {
    for (size_t i = 0; i < fatal_.size(); ++i) {
      if (!fatal_[i] || fatal_[i]->kind != FaultKind::kDeadlock) {
        continue;
      }
      const bool by_flag = fatal_[i]->operand == "flagId";
      std::vector<int> left =
          by_flag ? flags_.Missing(static_cast<int>(i), waiting_[i]) : std::exchange(awaited_[i], {});
      std::erase_if(left, [&](int core) { return fatal_[U(core)].has_value() || errors_[U(core)]; });
      std::string names;
      for (const int core : left) {
        names += Say(names.empty() ? "" : ", ", identities_[U(core)].Name());
      }
      const char* const has = left.size() == 1 ? " has" : " have";
      if (!left.empty() && !by_flag) {
        fatal_[i]->what =
            Say(names, has, " returned from the kernel without another call of it, so this core ",
                fatal_[i]->what);
      } else if (!left.empty()) {
        fatal_[i]->what =
            Say("cross-core flag ", waiting_[i], " is never raised: ", names, has,
                " returned from the kernel without setting it, so this core would wait for ever; "
                "every core of the group must come here as often");
      }
    }
  }

  LaunchResult Gather() {
    LaunchResult result;
    result.cores.reserve(cores_.size());
    TellWhoHasLeft();
    TellDeadlockOnce(fatal_);
    std::vector<HazardChecker*> checkers;
    for (size_t i = 0; i < cores_.size(); ++i) {
      Core& core = *cores_[i];
      if (core.hazards() != nullptr) {
        std::ranges::move(core.hazards()->TakeFaults(), std::back_inserter(result.faults));
        checkers.push_back(core.hazards());
      }
      std::ranges::move(core.TakeNoted(), std::back_inserter(result.faults));
      for (std::string& notice : core.TakeNotices()) {
        if (std::ranges::find(result.notices, notice) == result.notices.end()) {
          result.notices.push_back(std::move(notice));
        }
      }
      result.printed += core.TakePrinted();
      result.printed += MissingLineEnd(result.printed);
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
      TellUncleanedGm(result);
    }
    std::ranges::move(FindCrossCoreHazards(checkers, kMaxCrossCoreFaults), std::back_inserter(result.faults));
    if (options_.mode.hazards) {
      if (options_.touched_gm != nullptr) {
        FillTouched(checkers, *options_.touched_gm);
      }
      SettleWrittenGm();
      if (result.completed) {
        TellUnwrittenGm(result);
      }
      if (options_.written_gm != nullptr) {
        *options_.written_gm = written_gm_;
      }
    }
    if (options_.mode.time) {
      Time(result);
    }
    result.time_us =
        LaunchTimeUs(soc_, result.cycles, std::min(options_.blocks, MostAtOnce(soc_, options_.type)));
    return result;
  }

  static void FillTouched(const std::vector<HazardChecker*>& cores, GmTouched& touched) {
    for (HazardChecker* core : cores) {
      for (size_t buffer = 0; buffer < core->num_buffers(); ++buffer) {
        core->Track(buffer);
      }
      for (const GmAccess& access : core->gm_accesses()) {
        IntervalSet& of = access.use == Use::kRead     ? touched.read
                          : access.use == Use::kAtomic ? touched.updated
                                                       : touched.written;
        access.bytes.ForEachRun([&of](uint64_t begin, uint64_t end) { of.Add(begin, end); });
      }
    }
  }

  void SettleWrittenGm() {
    for (const ByteRuns& bytes : std::exchange(new_written_gm_, {})) {
      bytes.ForEachRun([this](uint64_t begin, uint64_t end) { written_gm_.Add(begin, end); });
    }
  }

  bool IsResult(const GmBuffer& buffer) const {
    return options_.results == nullptr || options_.results->contains(buffer.address);
  }

  // What SetValue has left in the scalar units' caches: the first bytes of each line of the source, and of
  // the first core that came to it.
  void TellUncleanedGm(LaunchResult& result) {
    std::set<std::pair<std::string_view, int>> told;  // file and line
    for (const std::unique_ptr<Core>& core : cores_) {
      for (const ScalarCache::Written& written : core->scalar_cache().written) {
        const GmBuffer* const buffer = options_.gm.Find(written.begin);
        if ((buffer == nullptr || IsResult(*buffer)) &&
            told.insert({written.where.file, written.where.line}).second) {
          result.notices.push_back(Say(
              "SetValue (", written.where.file, ":", written.where.line, ") on ", core->identity().Name(),
              ": at the kernel's end the scalar unit's cache still holds ",
              options_.gm.PlaceOf(written.begin, written.end),
              ", which may never reach GM; call DataCacheCleanAndInvalid behind the last SetValue of each "
              "line of 64 bytes, or once with CacheLine::ENTIRE_DATA_CACHE"));
        }
      }
    }
  }

  void TellUnwrittenGm(LaunchResult& result) {
    for (const GmBuffer& buffer : options_.gm.buffers()) {
      if (buffer.initialised || !IsResult(buffer)) {
        continue;
      }
      uint64_t missing = 0;
      uint64_t first = 0;  // of the first run, behind the buffer's start
      uint64_t first_end = 0;
      ForEachUnwritten(buffer.unwritten, written_gm_, buffer.address, buffer.address + buffer.size_bytes,
                       [&](uint64_t begin, uint64_t end) {
                         first = missing == 0 ? begin - buffer.address : first;
                         first_end = missing == 0 ? end - buffer.address : first_end;
                         missing += end - begin;
                       });
      if (missing != 0) {
        result.notices.push_back(UnwrittenGmNotice(buffer, missing, first, first_end));
      }
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
      // The first to be told is the first that happened, which others may come from.
      std::ranges::stable_sort(result.faults, {}, [](const Fault& fault) {
        return fault.cycle < 0 ? std::numeric_limits<int64_t>::max() : fault.cycle;
      });
    }
    if (options_.recording != nullptr) {
      *options_.recording = std::move(recording);
    }
  }

  const SocConfig& soc_;
  const LaunchOptions& options_;
  const std::function<void()>& kernel_;
  std::vector<CoreIdentity> identities_;
  // A core's part of what all may take.
  const uint64_t most_recorded_bytes_ = FreeMemoryBytes() / 2 / identities_.size();
  IntervalSet written_gm_;                // by all cores, up to the last round
  std::vector<ByteRuns> new_written_gm_;  // in this round
  CrossCoreFlags flags_;
  CoreMessages messages_;
  GmWords words_;
  std::shared_ptr<UpdateLayerPool> update_layers_ = std::make_shared<UpdateLayerPool>();
  CoreScheduler* scheduler_ = nullptr;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::vector<CrossCoreEvent>> outbox_;  // by core: set in this round
  std::vector<std::vector<std::pair<CrossCoreEvent, std::vector<GmWord>>>> told_;  // likewise: by GM
  std::vector<std::vector<CoreMessage>> posted_;  // likewise: to the AIC of its block
  std::vector<std::vector<CoreAnswer>> answered_;
  std::vector<std::function<bool()>> waits_;  // by core: what it rests for; none: a flag, or words of GM
  std::vector<ScalarWrites> scalar_writes_;   // at the end of the last round, of cores that have some
  std::vector<int> waiting_;                  // by core: the flag it rests for
  std::vector<const GmPoll*> polls_;          // or the words of GM; null: it does not
  std::vector<GmAnswer> answers_;
  std::vector<std::vector<int>> awaited_;  // by core: those whose words never came, where it waits for ever
  std::vector<std::exception_ptr> errors_;
  std::vector<std::optional<OtherKernelType>> other_types_;
  std::vector<std::optional<Fault>> fatal_;
  std::vector<char> ended_;  // by core: 1 once its body is through
  std::vector<std::set<SyncSite>> sites_;
};

// Again where the kernel says another type; for the tiling key in force once more after that for all. A guess
// that has no place for so many blocks stands for itself only if the kernel says nothing.
LaunchResult RunAsItSays(const SocConfig& soc, LaunchOptions options, const std::function<void()>& kernel) {
  constexpr int kMostTypes = 3;
  const LaunchOptions as_told = options;
  const bool is_unfit = options.type_from == TypeFrom::kNobody && HasCrossCoreFlags(options.type) &&
                        StartedBlocks(options) > MostAtOnce(soc, options.type);
  options.type = is_unfit ? KernelType::kAivOnly : options.type;
  for (int types = 1;; ++types) {
    CheckLaunch(soc, options);
    try {
      LaunchResult result = Launcher(soc, options, kernel).Run();
      if (is_unfit && result.cores.front().identity.type_from == TypeFrom::kNobody) {
        CheckLaunch(soc, as_told);
      }
      return result;
    } catch (const OtherKernelType& other) {
      RequireUser(types < kMostTypes, "launch: the kernel says ", kMostTypes,
                  " types (KERNEL_TASK_TYPE), one after another; let it say one");
      options.type = other.type;
      options.type_from = other.from;
    }
  }
}

}  // namespace

std::vector<CoreIdentity> CoresOf(const LaunchOptions& options) {
  const bool with_aic = HasAics(options.type);
  const int64_t aivs = AivsPerBlock(options.type);
  const int64_t started = StartedBlocks(options);
  std::vector<CoreIdentity> cores;
  for (int64_t block = 0; with_aic && block < started; ++block) {
    cores.push_back({.kind = CoreKind::kAic, .block = block});
  }
  for (int64_t block = 0; block < started; ++block) {
    for (int64_t sub = 0; sub < aivs; ++sub) {
      cores.push_back(
          {.kind = CoreKind::kAiv, .block = block, .sub_block = sub, .aivs_per_block = with_aic ? aivs : 0});
    }
  }
  for (size_t i = 0; i < cores.size(); ++i) {
    cores[i].index = static_cast<int>(i);
    cores[i].num_blocks = options.blocks;
    cores[i].launched_as = options.type;
    cores[i].type_from = options.type_from;
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
  const auto start = std::chrono::steady_clock::now();
  LaunchResult result = RunAsItSays(soc, options, kernel);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  result.host_ms = took.count();
  return result;
}

Core& CurrentCore() {
  if (current_core == nullptr) {
    throw UserError(
        "an Ascend C call outside of a launch: a kernel is not called like a function, but started by "
        "kernel<<<blocks, nullptr, stream>>>(...), ICPU_RUN_KF or tilesim::Launch");
  }
  return *current_core;
}

}  // namespace tilesim
