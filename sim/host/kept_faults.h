#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/fault.h"
#include "sim/core/source_line.h"
#include "sim/host/launch.h"

namespace tilesim::host {

// "k.asc:12: "; empty where the place is not known.
std::string Place(const SourceLine& where);

// The faults of a program's launches until they are told at its end; those of equal launches are told once.
class KeptFaults {
 public:
  // `faults`: at least one.
  void Keep(const LaunchRequest& request, const std::vector<Fault>& faults);
  // The faults of the launch that was kept last are told by somebody else.
  void TakeBackLast();

  [[nodiscard]] int64_t count() const { return count_; }
  // As they are told, a line each, at most 20 of a launch.
  [[nodiscard]] std::string Text() const;

 private:
  struct Group {
    std::string kernel;
    SourceLine where;
    std::vector<Fault> faults;
    int64_t first = 0;  // launch
    int64_t times = 0;
  };
  std::deque<Group> groups_;
  std::map<std::string, size_t> group_of_;  // by kernel and faults, without their cycles
  std::optional<size_t> last_;
  int64_t count_ = 0;
};

}  // namespace tilesim::host
