// What there is once in a user's program: the part it runs on, its options, the device's memory and streams,
// the launches so far, and what is told at its end.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kfc_workspace.h"
#include "sim/core/launch.h"
#include "sim/host/device_memory.h"
#include "sim/host/kept_faults.h"
#include "sim/host/kernel_launch.h"
#include "sim/host/launch.h"
#include "sim/host/program_options.h"
#include "sim/host/stream_hazards.h"
#include "sim/host/streams.h"
#include "sim/soc/soc_config.h"

namespace tilesim::host {

class Program {
 public:
  // Made at its first use, with the options of the environment; exits with 2 where these are wrong.
  static Program& Get();

  // Guards all that follows. Not held while somebody else's code but a kernel runs.
  std::recursive_mutex& mutex() { return mutex_; }

  const SocConfig& soc();
  const ProgramOptions& options() const { return options_; }
  // Before anything ran.
  void SetOptions(ProgramOptions options);
  void SetSoc(const SocConfig& soc) { soc_ = soc; }

  DeviceMemory& memory() { return memory_; }
  Streams& streams() { return streams_; }

  // Runs a launch now, tells what it printed and keeps its faults. What is wrong with the launch itself is
  // told at once. Gives the code that the stream has from now on: 0, or one of 507015, 507035, 107000.
  struct Ran {
    int code = 0;
    double time_us = 0;
    bool refused = false;
    std::optional<LaunchReport> report;  // none: it was refused
  };
  struct Order {
    LaunchSite site;
    LaunchShape shape;
    std::vector<PointerArgument> pointers;
    std::function<void()> kernel;
    std::optional<KernelType> type;  // in place of what the qualifiers say
    bool is_guess = false;           // that type may be changed by what the kernel says
    uint8_t* workspace = nullptr;    // the system's, for the kernel
    const Stream* stream = nullptr;  // that it runs on; null: the host waits for it
  };
  Ran Run(const Order& order);

  // One line on stderr.
  void Tell(std::string_view text);
  // The same, once for each key.
  void TellOnce(const std::string& key, std::string_view text);
  // A call of the runtime refuses: a line on stderr, and the text of aclGetRecentErrMsg. Gives the code.
  int Refuse(int code, std::string_view call, std::string_view why);
  // The user's mistake: the exit code is 2 unless a kernel had a fault.
  void NoteMistake() { ++mistakes_; }
  std::string TakeErrorText();

  // The runtime is part of a shared library, not of the program.
  [[nodiscard]] bool InSharedLibrary() const { return in_library_; }
  [[nodiscard]] int64_t launches() const { return launches_; }
  [[nodiscard]] int64_t num_faults() const { return faults_.count(); }
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  // The last launch; TakeLast: its faults, or that it was refused (a UserError then), are the caller's to
  // tell.
  const LaunchResult& last() const { return last_; }
  LaunchResult TakeLast();
  // Host memory of aclrtMallocHost, by address.
  std::map<uint64_t, uint64_t>& host_memory() { return host_memory_; }
  // Host memory, as far as it is known as that: "aclrtMallocHost memory".
  std::string DescribeHost(const void* address) const;

  // Contexts, and how often the device was set.
  struct Acl {
    bool initialised = false;
    bool finalised = false;
    int device_uses = 0;
    std::list<Context> contexts;
    Context* of_device = nullptr;
    int64_t deterministic = 0;
  };
  Acl& acl() { return acl_; }

  // Says so where streams still wait.
  void TellWaiting();
  // Prints what there is to tell at the end, once. Gives the exit code that it asks for; 0: the program's
  // own.
  int Finish();

 private:
  Program();

  // Chooses type and blocks.
  void Choose(const Order& order, LaunchRequest& request);
  KernelType TypeOf(const Order& order, const LaunchRequest& request);
  KernelType TypeByTrial(const Order& order, LaunchRequest request);
  std::string WhyPointersAreWrong(const Order& order, const std::vector<std::string>& names,
                                  std::map<uint64_t, std::string>& buffer_names);
  void AddUnknownMemory(const std::vector<uint64_t>& addresses);
  // What need not be wrong with a launch, once for each kernel.
  void TellNotices(const LaunchRequest& request, const LaunchResult& result);
  void LeaveOutTold(const LaunchRequest& request, const LaunchResult& result);
  // Says so where the kernel asked for other tiling keys than the one in force.
  void TellTilingKey(const LaunchSite& site);
  void Keep(const LaunchRequest& request, const std::vector<Fault>& faults);
  void RenewTextBeforeCrash();

  std::recursive_mutex mutex_;
  ProgramOptions options_;
  std::optional<SocConfig> soc_;
  DeviceMemory memory_;
  Streams streams_;
  StreamHazards stream_hazards_;
  Acl acl_;
  std::map<std::string, KernelType, std::less<>> derived_types_;  // by kernel and tiling key
  std::map<uint64_t, uint64_t> host_memory_;
  KeptFaults faults_;
  std::deque<std::string> texts_before_crash_;  // the last one; the one before may be in use by a crash
  std::set<std::string> told_;
  std::string error_text_;
  LaunchResult last_;
  std::optional<std::string> last_refused_;
  int64_t launches_ = 0;
  int64_t cycles_ = 0;
  int64_t mistakes_ = 0;
  bool finished_ = false;
  bool in_library_ = false;
  int process_ = 0;
};

}  // namespace tilesim::host
