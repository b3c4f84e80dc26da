#include "sim/host/launch.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "sim/host/launch_file.h"

namespace tilesim::host {
namespace {

// Where each launch is appended, and how much of it: TILESIM_LAUNCHES=FILE:DEPTH, which the commands on files
// set for the program that they run.
struct Watch {
  std::string file;
  WatchDepth depth = WatchDepth::kResult;
};

std::optional<Watch> ReadWatch() {
  const char* const variable = std::getenv("TILESIM_LAUNCHES");
  if (variable == nullptr || *variable == '\0') {
    return std::nullopt;
  }
  const std::string_view text = variable;
  const size_t colon = text.rfind(':');
  for (const WatchDepth depth : {WatchDepth::kResult, WatchDepth::kRecording, WatchDepth::kInstructions}) {
    if (colon != std::string_view::npos && text.substr(colon + 1) == Name(depth)) {
      return Watch{.file = std::string(text.substr(0, colon)), .depth = depth};
    }
  }
  throw UserError(
      Say("TILESIM_LAUNCHES = '", text,
          "': must be FILE:result, FILE:recording or FILE:instructions; `tilesim run` and its kin set it"));
}

const std::optional<Watch>& WatchInForce() {
  static const std::optional<Watch> watch = ReadWatch();
  return watch;
}

KernelType TypeOf(const LaunchRequest& request, const LaunchResult& result) {
  return result.cores.empty() ? request.options.type : result.cores.front().identity.launched_as;
}

}  // namespace

bool LaunchesAreWatched() { return WatchInForce().has_value(); }

bool ResultsAreWatched() { return LaunchesAreWatched() && WatchInForce()->depth == WatchDepth::kResult; }

void HandOverCrash(const LaunchRequest& request, const CoreIdentity& core, const Fault& crash) {
  LaunchResult result;
  result.cores = {{.identity = core, .statistics = {}}};
  result.faults = {crash};
  result.completed = false;
  AppendLaunch(WatchInForce().value().file,
               {.kernel = request.kernel,
                .type = core.launched_as,
                .blocks = core.num_blocks,
                .hazards_checked = request.options.mode.hazards},
               result, request.options.gm, nullptr, nullptr);
}

LaunchReport RunLaunch(const LaunchRequest& request) {
  const std::optional<Watch>& watch = WatchInForce();
  LaunchOptions options = request.options;
  LaunchRecording recording;
  const bool records = watch && watch->depth >= WatchDepth::kRecording && options.mode.time;
  if (records) {
    options.recording = &recording;
  }
  std::unique_ptr<ToldInstructions> told;
  if (watch && watch->depth == WatchDepth::kInstructions) {
    constexpr int64_t kMostCoresOfBlock = 3;
    told = std::make_unique<ToldInstructions>(static_cast<size_t>(options.blocks * kMostCoresOfBlock));
    options.observer = told.get();
  }
  LaunchReport report;
  if (request.wrong.empty()) {
    report.result = Launch(*request.soc, options, request.call);
    if (request.judge) {
      request.judge(report.result);
    }
  } else {
    report.result.faults = request.wrong;
    report.result.completed = false;
  }
  report.type = TypeOf(request, report.result);
  if (told != nullptr) {
    told->SetCores(report.result.cores.size());
  }
  if (watch) {
    AppendLaunch(watch->file,
                 {.kernel = request.kernel,
                  .type = report.type,
                  .blocks = options.blocks,
                  .hazards_checked = options.mode.hazards},
                 report.result, options.gm, records ? &recording : nullptr, told.get());
  }
  return report;
}

}  // namespace tilesim::host
