#include "sim/core/free_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace tilesim {
namespace {

// The number of a file that holds nothing else; none where it says "max", or is not there.
std::optional<uint64_t> NumberIn(const char* path) {
  uint64_t number = 0;
  std::ifstream file(path);
  return file >> number ? std::optional(number) : std::nullopt;
}

uint64_t Difference(uint64_t most, uint64_t taken) { return most > taken ? most - taken : 0; }

std::optional<uint64_t> AvailableOfSystem() {
  std::ifstream file("/proc/meminfo");  // "MemAvailable:   20123456 kB"
  std::string name;
  uint64_t kib = 0;
  for (std::string line; file >> name >> kib; std::getline(file, line)) {
    if (name == "MemAvailable:") {
      return kib * 1024;
    }
  }
  return std::nullopt;
}

}  // namespace

uint64_t FreeMemoryBytes() {
  uint64_t bytes = AvailableOfSystem().value_or(UINT64_MAX);
  rlimit limit{};
  const std::optional<uint64_t> pages = NumberIn("/proc/self/statm");  // of the process, first of the line
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && pages) {
    bytes =
        std::min(bytes, Difference(limit.rlim_cur, *pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))));
  }
  const std::optional<uint64_t> most = NumberIn("/sys/fs/cgroup/memory.max");
  const std::optional<uint64_t> taken = NumberIn("/sys/fs/cgroup/memory.current");
  return most && taken ? std::min(bytes, Difference(*most, *taken)) : bytes;
}

}  // namespace tilesim
