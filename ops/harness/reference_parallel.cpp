#include "ops/harness/reference_parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilesim {

void ReferenceParallel(int64_t count, int threads, const std::function<void(int64_t)>& body) {
  const int64_t all = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const int64_t used = std::min(threads > 0 ? threads : all, count);
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t index = next++; index < count; index = next++) {
      body(index);
    }
  };
  std::vector<std::thread> others;
  for (int64_t i = 1; i < used; ++i) {
    others.emplace_back(work);
  }
  work();
  for (std::thread& other : others) {
    other.join();
  }
}

}  // namespace tilesim
