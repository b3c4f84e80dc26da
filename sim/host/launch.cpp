#include "sim/host/launch.h"

#include <utility>

namespace tilesim::host {

LaunchReport RunLaunch(const LaunchRequest& request) {
  LaunchReport report{.type = request.options.type,
                      .result = Launch(*request.soc, request.options, request.call)};
  if (!report.result.cores.empty()) {
    report.type = report.result.cores.front().identity.launched_as;
  }
  return report;
}

}  // namespace tilesim::host
