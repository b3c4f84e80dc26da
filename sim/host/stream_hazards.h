// Launches of different streams that nothing orders, and that touch the same bytes of GM.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/fault.h"
#include "sim/core/gm.h"
#include "sim/core/launch.h"
#include "sim/core/source_line.h"
#include "sim/host/streams.h"

namespace tilesim::host {

// A launch as faults name it.
struct LaunchName {
  int64_t number = 0;  // of the program's launches, from 1
  std::string kernel;
  SourceLine where;
};

// Keeps the launches of which the host does not know that they are over, the last thousand of them.
class StreamHazards {
 public:
  // A launch is done, as number `stream.launches + 1` of its stream. Gives a fault for each launch of another
  // stream that it meets; the same two launching lines are told once.
  std::vector<Fault> Add(const Stream& stream, const StreamOrder& host, const LaunchName& name,
                         GmTouched touched, const GmSpace& gm);

 private:
  struct Done {
    uint64_t stream;
    int64_t number;  // of the stream's launches, from 1
    LaunchName name;
    GmTouched touched;
  };
  std::deque<Done> done_;
  std::set<std::pair<std::string, std::string>> told_;
};

}  // namespace tilesim::host
