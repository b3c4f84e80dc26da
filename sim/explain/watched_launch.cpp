#include "sim/explain/watched_launch.h"

#include "sim/core/replay.h"
#include "sim/explain/core_account.h"

namespace tilesim {

WatchedLaunch WatchLaunch(const SocConfig& soc, const LaunchOptions& options,
                          const std::function<void()>& kernel) {
  WatchedLaunch watched;
  LaunchOptions first = options;
  first.recording = &watched.recording;
  watched.result = Launch(soc, first, kernel);
  watched.gm = options.gm;
  watched.same_again = !options.mode.values;  // without them, what it reads cannot lead it elsewhere
  watched.tell_again = [&soc, options, kernel](Observer& observer) {
    LaunchOptions again = options;
    again.mode = {.values = false, .time = false, .hazards = false, .strict_sync = options.mode.strict_sync};
    again.observer = &observer;
    again.sync_sites = nullptr;
    again.recording = nullptr;
    return Launch(soc, again, kernel).completed;
  };
  return watched;
}

void FillTrace(const WatchedLaunch& launch, const SocConfig& soc, ChromeTrace& trace) {
  const LaunchTimes times = Replay(launch.recording, soc, {}, &trace);
  if (launch.result.completed) {
    const LastCore busiest(launch.recording, soc, times);
    trace.MarkPath(CriticalPath(busiest.runs(), busiest.core(), busiest.times()));
  }
  const bool told = launch.tell_again(trace);
  if (launch.result.completed && told && launch.same_again) {
    trace.RequireWhole();
  }
}

}  // namespace tilesim
