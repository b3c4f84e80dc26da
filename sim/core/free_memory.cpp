#include "sim/core/free_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace tilesim {
namespace {

std::optional<uint64_t> ReadAvailableOfSystem() {
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

// As it was at most a hundredth of a second ago: short launches ask far more often than it changes.
std::optional<uint64_t> AvailableOfSystem() {
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static std::optional<Clock::time_point> read_at;
  static std::optional<uint64_t> available;
  const std::scoped_lock lock(mutex);
  const Clock::time_point now = Clock::now();
  if (!read_at || now - *read_at > std::chrono::milliseconds(10)) {
    available = ReadAvailableOfSystem();
    read_at = now;
  }
  return available;
}

}  // namespace

uint64_t FreeMemoryBytes() {
  uint64_t bytes = AvailableOfSystem().value_or(UINT64_MAX);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    uint64_t pages = 0;
    std::ifstream sizes("/proc/self/statm");  // of the process first
    if (sizes >> pages) {
      const uint64_t taken = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
      bytes = std::min<uint64_t>(bytes, limit.rlim_cur > taken ? limit.rlim_cur - taken : 0);
    }
  }
  return bytes;
}

}  // namespace tilesim
