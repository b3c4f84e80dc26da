#include "sim/host/launch.h"

#include <utility>

namespace tilesim::host {

LaunchReport RunLaunch(const LaunchRequest& request) {
  LaunchReport report{.type = request.options.type, .result = {}};
  if (!request.wrong.empty()) {
    report.result.faults = request.wrong;
    report.result.completed = false;
    return report;
  }
  report.result = Launch(*request.soc, request.options, request.call);
  if (!report.result.cores.empty()) {
    report.type = report.result.cores.front().identity.launched_as;
  }
  return report;
}

}  // namespace tilesim::host
