#include "sim/host/program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/ascendc/tiling_macros.h"
#include "sim/ascendc/user_workspaces.h"
#include "sim/ascendc/workspace.h"
#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/unwritten_gm.h"
#include "sim/host/crash.h"
#include "sim/host/kernel_registry.h"
#include "sim/host/launch_file.h"
#include "sim/host/process_maps.h"
#include "sim/host/run_by_command.h"
#include "sim/host/tilesim_register.h"

namespace tilesim::host {
namespace {

constexpr int kInvalidParameter = 107000;
constexpr int kAicException = 507015;
constexpr int kAivException = 507035;

bool made = false;

const char* LaunchesFile() { return std::getenv("TILESIM_LAUNCHES"); }

// Whether a command started the program to launch a kernel that it names, which a main of ours takes note of.
bool HasKernelWords() { return std::getenv("TILESIM_KERNEL") != nullptr; }
constexpr std::string_view kHasOwnMain =
    "--kernel: the program has a main of its own, which launches its kernels; leave out --kernel, --arg and "
    "--blocks, and give the program its words behind --";

[[gnu::constructor]] void AtStart() { RunByCommandWhereAsked(); }

void AtEnd() {
  if (HasKernelWords() && !made) {  // it has come to its end without a call that would have refused
    std::fflush(nullptr);
    std::cerr << "tilesim: " << kHasOwnMain << std::endl;
    _exit(2);
  }
  if (!made) {
    return;
  }
  std::cout.flush();
  std::fflush(nullptr);
  const int code = Program::Get().Finish();
  if (code != 0 && !Program::Get().InSharedLibrary()) {
    std::fflush(nullptr);
    _exit(code);
  }
}
// AtEnd runs after nearly all that the program has for its end, for it is made known before that.
[[gnu::constructor(101)]] void TellAtEnd() {
  std::atexit(AtEnd);
  std::at_quick_exit(AtEnd);
}

std::terminate_handler terminate_before = nullptr;

// What a call of the API outside of a kernel throws goes through user code, which takes it nowhere.
void TellUserErrorOr() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) {
      std::rethrow_exception(thrown);
    }
  } catch (const UserError& error) {
    std::cout.flush();
    std::fflush(stdout);
    std::cerr << "tilesim: " << error.what() << std::endl;
    const int code_of_launches = made ? Program::Get().Finish() : 0;
    std::fflush(nullptr);
    _exit(std::max(2, code_of_launches));
  } catch (...) {  // not ours: it ends as it would without us
  }
  terminate_before();
}

// An exception of its own that leaves a kernel is a fault: a device has none. Those of the simulator go on,
// and so does a lack of memory, which is the host's.
template <class Kernel>
void RunOnThisCore(const Kernel& kernel) {
  try {
    kernel();
  } catch (const KernelFault&) {
    throw;
  } catch (const UserError&) {
    throw;
  } catch (const OtherKernelType&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw KernelFault(CurrentCore().MakeFault(FaultKind::kCrash, "",
                                              Say("a C++ exception left the kernel after this call: ",
                                                  error.what(), "; a device has no exceptions")));
  } catch (...) {
    throw KernelFault(CurrentCore().MakeFault(
        FaultKind::kCrash, "",
        "a C++ exception left the kernel after this call; a device has no exceptions"));
  }
}

KernelType TypeOfMix(const Qualifiers& qualifiers) {
  const auto [aics, aivs] = std::pair(qualifiers.aics, qualifiers.aivs);
  if (aics == 1 && aivs >= 0 && aivs <= 2) {
    return aivs == 0 ? KernelType::kMixAic1_0 : aivs == 1 ? KernelType::kMixAic1_1 : KernelType::kMixAic1_2;
  }
  RequireUser(aics == 0 && aivs == 1, "__mix__(", aics, ", ", aivs,
              "): this part has __mix__(1, 0), (0, 1), (1, 1) and (1, 2)");
  return KernelType::kMixAiv1_0;
}

int CodeOf(const LaunchReport& report) {
  if (report.result.faults.empty()) {
    return 0;
  }
  const std::string& core = report.result.faults.front().core;
  const bool cube = core.empty() ? HasAics(report.type) : core.starts_with("AIC");
  return cube ? kAicException : kAivException;
}

}  // namespace

void Register(const KernelEntry& entry) {
  static const bool set = (terminate_before = std::set_terminate(TellUserErrorOr), true);
  static_cast<void>(set);
  AddKernel(entry);
}

void Start(const LaunchSite& site, const LaunchShape& shape, std::vector<PointerArgument> pointers,
           const KernelCall* kernel) {
  const std::shared_ptr<const KernelCall> owned(kernel);
  Program& program = Program::Get();
  const std::lock_guard lock(program.mutex());
  Stream* const stream = program.streams().Find(shape.stream);
  if (stream == nullptr) {
    program.Tell(
        Say(Place(site.where), site.kernel,
            "<<<...>>>: the stream is none that aclrtCreateStream gave, or was destroyed; nothing runs"));
    program.NoteMistake();
    return;
  }
  Program::Order order{.site = site,
                       .shape = shape,
                       .pointers = std::move(pointers),
                       .kernel = [owned] { owned->Run(); },
                       .type = {}};
  // What is written as a kernel's name may be a variable of that name, and another source may say the
  // qualifiers.
  const KernelEntry* const known = EntryOf(site);
  const bool is_unsaid = site.qualifiers.cores == Qualifiers::Cores::kUnsaid;
  if (known != nullptr && known->qualifiers.cores != Qualifiers::Cores::kUnsaid &&
      (is_unsaid || FindKernel(site.function) == known)) {
    order.site.qualifiers = known->qualifiers;
  }
  program.streams().Put(*stream, [&program, order = std::move(order)](Stream& self) mutable {
    order.stream = &self;
    const Program::Ran ran = program.Run(order);
    ++self.launches;
    self.time_us += ran.time_us;
    self.code = self.code == 0 ? ran.code : self.code;
    for (const PointerArgument& pointer : order.pointers) {
      if (const DeviceBuffer* buffer = program.memory().Find(pointer.value)) {
        self.in_use.insert(buffer->address);
      }
    }
  });
}

Program& Program::Get() {
  static Program& program = *new Program;  // never destroyed: what the program does at its end may use it
  return program;
}

Program::Program() : in_library_(IsInSharedLibrary()), process_(getpid()) {
  const char* const line = std::getenv("TILESIM_OPTIONS");
  try {
    // A command gives its own options on in this variable.
    const std::string where = LaunchesAreWatched() ? "" : "TILESIM_OPTIONS: ";
    const std::vector<std::string> words = WordsOf(line == nullptr ? "" : line, where);
    for (const std::string_view option : {"--output", "--format", "--launch"}) {
      const auto is_it = [&](const std::string& word) { return word.substr(0, word.find('=')) == option; };
      RequireUser(std::ranges::none_of(words, is_it), where, option,
                  ": is for a command that runs this program: tilesim run PROGRAM ", option, " ...");
    }
    options_ = ReadProgramOptions(OptionWords(words, ProgramOptionNames(), where), {});
    RequireUser(!HasKernelWords(), kHasOwnMain);
  } catch (const UserError& error) {
    Tell(error.what());
    std::fflush(nullptr);
    _exit(2);
  }
  made = true;
}

const SocConfig& Program::soc() {
  if (!soc_) {
    try {
      soc_ = LoadSoc(options_.soc, options_.set);
      RequireUser(options_.cores <= soc_->aic_cores, "--cores = ", options_.cores, ", ", soc_->name, " has ",
                  soc_->aic_cores);
      soc_->aic_cores = options_.cores == 0 ? soc_->aic_cores : options_.cores;
    } catch (const UserError& error) {
      Tell(error.what());
      std::fflush(nullptr);
      _exit(2);
    }
  }
  return *soc_;
}

void Program::SetOptions(ProgramOptions options) {
  options_ = std::move(options);
  soc_.reset();
}

void Program::Tell(std::string_view text) {
  std::fflush(stdout);
  const std::string line = Say("tilesim: ", text, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Program::TellOnce(const std::string& key, std::string_view text) {
  if (told_.insert(key).second) {
    Tell(text);
  }
}

int Program::Refuse(int code, std::string_view call, std::string_view why) {
  error_text_ = Say(call, ": ", why);
  Tell(Say(call, " gives ", code, ": ", why));
  return code;
}

std::string Program::TakeErrorText() { return std::exchange(error_text_, ""); }

std::string Program::DescribeHost(const void* address) const {
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto above = host_memory_.upper_bound(at);
  const bool known = above != host_memory_.begin() && at - std::prev(above)->first < std::prev(above)->second;
  return known ? "host memory of aclrtMallocHost" : "no device memory";
}

std::string Program::WhyPointersAreWrong(const Order& order, const std::vector<std::string>& names,
                                         std::map<uint64_t, std::string>& buffer_names) {
  std::vector<uint64_t> unknown;
  const bool accepts_unknown = in_library_ && !memory_.Any(BufferSource::kAcl);
  for (const PointerArgument& pointer : order.pointers) {
    const auto number = static_cast<size_t>(pointer.number);
    const std::string name = number < names.size() ? names[number] : Say("argument ", number + 1);
    if (pointer.value == nullptr) {
      continue;
    }
    if (DeviceBuffer* buffer = memory_.Find(pointer.value)) {
      buffer_names.emplace(buffer->address, name);
      buffer->used_as = Say(name, " of ", order.site.kernel);
    } else if (const GmBuffer* freed = memory_.FindFreed(pointer.value)) {
      return Say(name, ": the address is in ", freed->name, ", which was freed before the launch");
    } else if (accepts_unknown) {
      unknown.push_back(reinterpret_cast<uint64_t>(pointer.value));
      buffer_names.emplace(unknown.back(), name);
    } else {
      return Say(name, ": the address is ", DescribeHost(pointer.value),
                 "; a kernel reaches memory of aclrtMalloc, to which aclrtMemcpy copies");
    }
  }
  if (!unknown.empty()) {
    AddUnknownMemory(unknown);
  }
  return "";
}

void Program::AddUnknownMemory(const std::vector<uint64_t>& addresses) {
  TellOnce("unknown memory",
           "addresses that no aclrtMalloc gave are checked against null only; "
           "tilesim_register(address, bytes) makes their size known");
  std::set<uint64_t> sorted(addresses.begin(), addresses.end());
  for (const DeviceBuffer& known : memory_.All()) {
    sorted.insert(known.address);
  }
  for (const uint64_t address : addresses) {
    const auto next = sorted.upper_bound(address);
    const uint64_t mapped = EndOfMapping(address);
    const uint64_t end = next == sorted.end() ? mapped : std::min(mapped, *next);
    if (end > address) {
      memory_.Register(reinterpret_cast<void*>(address), end - address, BufferSource::kUnknown);
    }
  }
}

KernelType Program::TypeByTrial(const Order& order, LaunchRequest request) {
  const std::string key = Say(request.kernel, "#", AscendC::simulator::TilingKey());
  if (const auto known = derived_types_.find(key); known != derived_types_.end()) {
    return known->second;
  }
  // The first block alone, with all the cores that a block may have; what it does to memory is undone.
  const bool undoable = !memory_.Any(BufferSource::kUnknown);
  request.options.type_from = TypeFrom::kNobody;
  request.options.only_first = 1;
  request.options.mode = {.values = undoable, .time = false, .hazards = false};
  request.options.written_gm = nullptr;
  const DeviceMemory::Saved saved = undoable ? memory_.Save() : DeviceMemory::Saved{};
  const auto try_as = [&](KernelType type) {
    request.options.type = type;
    LaunchResult trial = tilesim::Launch(*request.soc, request.options, request.call);
    memory_.Restore(saved);
    return trial;
  };
  const auto instructions = [](const LaunchResult& trial, CoreKind kind) {
    int64_t count = 0;  // that only such cores have
    for (const CoreResult& core : trial.cores) {
      for (int pipe = 0; core.identity.kind == kind && pipe < kNumPipes; ++pipe) {
        count +=
            static_cast<Pipe>(pipe) == Pipe::kS ? 0 : core.statistics.instructions[static_cast<size_t>(pipe)];
      }
    }
    return count;
  };
  const LaunchResult trial = try_as(KernelType::kMixAic1_2);
  if (!trial.cores.empty() && trial.cores.front().identity.type_from != TypeFrom::kNobody) {
    return derived_types_[key] = trial.cores.front().identity.launched_as;  // the kernel says it itself
  }
  bool cube = instructions(trial, CoreKind::kAic) > 0;
  bool vector = instructions(trial, CoreKind::kAiv) > 0;
  // A fault ended it before it came to any: it tells the cores where one kind alone has it. One of the AIC
  // and both AIVs stands under the AIC's name.
  const bool is_cut_short = !cube && !vector && !trial.faults.empty();
  if (is_cut_short) {
    const Fault& first = trial.faults.front();
    cube = first.core.starts_with("AIC") && first.cores == 1;
    vector = first.core.starts_with("AIV");
  }
  if (cube && !vector) {  // cube cores that do less alone do what vector cores tell them to
    vector =
        instructions(try_as(KernelType::kMixAic1_0), CoreKind::kAic) != instructions(trial, CoreKind::kAic);
  }
  const KernelType type = cube && vector ? KernelType::kMixAic1_2
                          : cube         ? KernelType::kMixAic1_0
                                         : KernelType::kMixAiv1_0;
  if (!cube && !vector) {
    TellOnce(
        Say("type ", key),
        Say(Place(order.site.where), request.kernel,
            " does not say which cores it is for, and its first block ",
            is_cut_short ? "ends by a fault before it computes or moves anything" : "has scalar code only",
            ": it is started on vector cores; write __vector__, __cube__ or KERNEL_TASK_TYPE_DEFAULT"));
  }
  if (!is_cut_short) {  // another launch may get further
    derived_types_[key] = type;
  }
  return type;
}

KernelType Program::TypeOf(const Order& order, const LaunchRequest& request) {
  if (order.type) {
    return *order.type;
  }
  switch (order.site.qualifiers.cores) {
    case Qualifiers::Cores::kVector:
      return KernelType::kMixAiv1_0;
    case Qualifiers::Cores::kCube:
      return KernelType::kMixAic1_0;
    case Qualifiers::Cores::kMix:
      return TypeOfMix(order.site.qualifiers);
    case Qualifiers::Cores::kUnsaid:
      break;
  }
  return TypeByTrial(order, request);
}

void Program::Choose(const Order& order, LaunchRequest& request) {
  LaunchOptions& options = request.options;
  options.blocks = order.shape.blocks.value_or(soc().aic_cores);
  options.type = TypeOf(order, request);
  options.type_from =
      order.is_guess || (!order.type && order.site.qualifiers.cores == Qualifiers::Cores::kUnsaid)
          ? TypeFrom::kNobody
          : TypeFrom::kLauncher;
  const bool vector_only = !HasAics(options.type);
  const int64_t cores = soc().aic_cores * (vector_only ? soc().aiv_per_aic : 1);
  if (!order.shape.blocks) {
    options.blocks = cores;
  }
  RequireUser(order.site.qualifiers.schedmode != 1 || options.blocks <= cores, "launch: ", options.blocks,
              " blocks of __schedmode__(1), which start together; ", soc().name, " has ", cores,
              " such cores");
  // Flags between cores need all of them at once; more blocks are in waves, and have none.
  if (!order.type && options.blocks > cores && options.type == KernelType::kMixAiv1_0) {
    options.type = KernelType::kAivOnly;
  } else if (!order.type && options.blocks > cores && options.type == KernelType::kMixAic1_0) {
    options.type = KernelType::kAicOnly;
  }
}

LaunchResult Program::TakeLast() {
  if (last_refused_) {
    --mistakes_;
    throw UserError(*std::exchange(last_refused_, {}));
  }
  if (!last_.faults.empty()) {
    faults_.TakeBackLast();
    RenewTextBeforeCrash();
  }
  return last_;
}

Program::Ran Program::Run(const Order& order) {
  last_refused_.reset();
  std::cout.flush();
  std::fflush(stdout);
  const LaunchSite& site = order.site;
  LaunchRequest request{.number = launches_,
                        .kernel = KernelNameOf(site),
                        .where = site.where,
                        .soc = &soc(),
                        .options = {},
                        .wrong = {},
                        .call = {},
                        .judge = {}};
  std::vector<std::string> names;
  SourceLine kernel_at = site.where;
  if (const KernelEntry* entry = EntryOf(site)) {
    kernel_at = entry->where.line == 0 ? kernel_at : entry->where;
    for (const KernelParameter& parameter : entry->parameters) {
      names.emplace_back(parameter.name);
    }
  } else {
    std::istringstream parameters(site.parameters);
    for (std::string name; std::getline(parameters >> std::ws, name, ',');) {
      names.push_back(name);
    }
  }
  memory_.DropUnknown();
  std::map<uint64_t, std::string> buffer_names;
  const std::string wrong = WhyPointersAreWrong(order, names, buffer_names);
  if (!wrong.empty()) {
    Fault fault;
    fault.kind = FaultKind::kBounds;
    fault.instruction = site.kernel;
    fault.where = site.where;
    fault.what = wrong;
    request.wrong.push_back(std::move(fault));
  }
  uint8_t* workspace = order.workspace;
  std::set<uint64_t> results;
  for (const PointerArgument& pointer : order.pointers) {
    if (pointer.number == site.qualifiers.workspace) {
      workspace = const_cast<uint8_t*>(static_cast<const uint8_t*>(pointer.value));
    } else if (const DeviceBuffer* buffer = memory_.Find(pointer.value);
               buffer != nullptr && !pointer.is_workspace) {
      results.insert(buffer->address);
    }
  }
  // A buffer that a kernel itself makes the library's workspace, or takes its own workspace from, is no
  // result, either.
  std::mutex results_mutex;  // cores end on several threads
  const auto leave_workspace_out = [&](const void* of_kernel) {
    if (const DeviceBuffer* buffer = memory_.Find(of_kernel); buffer != nullptr) {
      const std::lock_guard lock(results_mutex);
      results.erase(buffer->address);
    }
  };
  request.call = [name = request.kernel, kernel_at, workspace, kernel = order.kernel, &leave_workspace_out] {
    const KernelScope scope(name.c_str(), kernel_at);
    if (workspace != nullptr) {
      AscendC::SetSysWorkspaceForce(workspace);
    }
    RunOnThisCore(kernel);
    leave_workspace_out(AscendC::GetSysWorkSpacePtr());
    for (const void* const of_user : AscendC::simulator::TakeUserWorkspaces()) {
      leave_workspace_out(of_user);
    }
  };
  request.options.mode = options_.mode;
  request.options.threads = options_.threads;
  request.options.watchdog = options_.watchdog;
  request.options.gm = memory_.Space(buffer_names);
  IntervalSet written = memory_.Written();
  request.options.written_gm = &written;
  request.options.results = &results;
  if (options_.watchdog == 0) {
    SetStallLimit(0);
  }
  GmTouched touched;
  if (order.stream != nullptr && options_.mode.hazards) {  // a stream to be made may meet it, too
    request.options.touched_gm = &touched;
    request.judge = [&](LaunchResult& result) {
      std::vector<Fault> met =
          stream_hazards_.Add(*order.stream, streams_.host_order(),
                              {.number = request.number + 1, .kernel = request.kernel, .where = site.where},
                              std::move(touched), request.options.gm);
      std::ranges::move(met, std::back_inserter(result.faults));
    };
  }
  std::optional<CrashScope> crash;
  if (LaunchesAreWatched()) {
    crash.emplace(
        [&request](const CoreIdentity& core, const Fault& fault) { HandOverCrash(request, core, fault); });
  }
  Ran ran;
  try {
    RequireUser(order.shape.ub_bytes <= static_cast<uint64_t>(soc().ub_bytes),
                "launch: ", order.shape.ub_bytes, " bytes of UB asked for between <<< and >>>, ", soc().name,
                " has ", soc().ub_bytes);
    if (request.wrong.empty()) {
      Choose(order, request);
    } else {
      request.options.blocks = order.shape.blocks.value_or(1);
      request.options.type =
          site.qualifiers.cores == Qualifiers::Cores::kCube ? KernelType::kAicOnly : KernelType::kAivOnly;
    }
    ForgetPrinted();
    ran.report = RunLaunch(request);
  } catch (const UserError& error) {
    Tell(Say(Place(site.where), site.kernel, ": ", error.what()));
    error_text_ = error.what();
    ++mistakes_;
    last_refused_ = error.what();
    return {.code = kInvalidParameter, .refused = true, .report = {}};
  }
  ++launches_;
  LaunchReport& report = *ran.report;
  TellTilingKey(site);
  std::fwrite(report.result.printed.data(), 1, report.result.printed.size(), stdout);
  ForgetPrinted();
  if (options_.mode.hazards) {
    memory_.TakeWritten(written);
  } else if (request.wrong.empty()) {
    memory_.FillAll();
  }
  TellNotices(request, report.result);
  cycles_ += report.result.cycles;
  ran.code = CodeOf(report);
  ran.time_us = report.result.time_us;
  last_ = report.result;
  Keep(request, last_.faults);
  return ran;
}

// The command tells of the buffers that a launch has not written: a copy of them to the host need not tell it
// again.
void Program::LeaveOutTold(const LaunchRequest& request, const LaunchResult& result) {
  if (!ResultsAreWatched()) {
    return;
  }
  for (const GmBuffer& buffer : request.options.gm.buffers()) {
    const bool is_told = std::ranges::any_of(result.notices, [&](const std::string& notice) {
      return IsUnwrittenGmNoticeOf(notice, buffer.name);
    });
    if (is_told) {
      if (DeviceBuffer* const told = memory_.Find(reinterpret_cast<const void*>(buffer.address))) {
        told->told_unwritten = true;
      }
    }
  }
}

void Program::TellNotices(const LaunchRequest& request, const LaunchResult& result) {
  if (LaunchesFile() != nullptr) {  // who reads that file tells
    LeaveOutTold(request, result);
    return;
  }
  for (const std::string& notice : result.notices) {
    if (!IsUnwrittenGmNotice(notice)) {  // those the copy to the host tells, where somebody wants the bytes
      TellOnce(Say("notice ", request.kernel, notice),
               Say(Place(request.where), "launch ", request.number + 1, ", ", request.kernel, ": ", notice));
    }
  }
}

void Program::TellTilingKey(const LaunchSite& site) {
  const AscendC::simulator::AskedTilingKeys asked = AscendC::simulator::TakeAskedTilingKeys();
  const uint64_t key = AscendC::simulator::TilingKey();
  if (asked.keys.empty() || asked.any_is_set) {
    return;
  }
  std::string keys;
  for (const uint64_t one : asked.keys) {
    keys += Say(keys.empty() ? "" : ", ", one);
  }
  TellOnce(Say("tiling key ", key, site.kernel),
           Say(Place(site.where), site.kernel, ": the tiling key is ", key, ", the kernel asks for ", keys,
               "; choose one by --tiling-key N, or in the host code by ICPU_SET_TILING_KEY(N)"));
}

void Program::Keep(const LaunchRequest& request, const std::vector<Fault>& faults) {
  if (!faults.empty()) {
    error_text_ = faults.front().Text();
    faults_.Keep(request, faults);
    RenewTextBeforeCrash();
  }
}

void Program::RenewTextBeforeCrash() {
  if (LaunchesFile() != nullptr) {  // who reads that file tells
    return;
  }
  texts_before_crash_.push_back(faults_.Text());
  SetTextBeforeCrash(texts_before_crash_.back().c_str());
  if (texts_before_crash_.size() > 2) {
    texts_before_crash_.pop_front();
  }
}

void Program::TellWaiting() {
  size_t waiting = 0;
  streams_.ForEach([&](const Stream& stream) { waiting += stream.waiting.size(); });
  if (waiting != 0) {
    Tell(Say("what was put on a stream last, ", waiting,
             " launches, copies or events, never ran: the stream waits "
             "for an event that nobody has recorded"));
  }
}

int Program::Finish() {
  if (finished_ || getpid() != process_) {
    return 0;
  }
  finished_ = true;
  if (LaunchesFile() != nullptr) {  // who reads that file tells
    return mistakes_ != 0 ? 2 : 0;
  }
  const std::string faults = faults_.Text();
  std::fflush(stdout);
  std::fwrite(faults.data(), 1, faults.size(), stderr);
  TellWaiting();
  if (launches_ != 0 && !options_.quiet) {
    Tell(Say(Counted(launches_, "launch", "launches"), ", ",
             options_.mode.time ? Counted(cycles_, "cycle") : "no cycles", " on ", soc().name, ", ",
             Counted(faults_.count(), "fault")));
  }
  return faults_.count() != 0 ? 3 : mistakes_ != 0 ? 2 : 0;
}

}  // namespace tilesim::host

void tilesim_register(void* address, size_t bytes) {
  tilesim::host::Program& program = tilesim::host::Program::Get();
  const std::lock_guard lock(program.mutex());
  program.memory().Register(address, bytes, tilesim::host::BufferSource::kRegistered);
}
