#include "sim/ascendc/gm_types.h"

#include <atomic>
#include <map>
#include <mutex>

namespace AscendC::simulator {
namespace {

std::atomic<bool> gm_types_asked = false;
std::mutex mutex;

std::map<uint64_t, std::set<std::string_view>>& Kept() {
  static auto& kept = *new std::map<uint64_t, std::set<std::string_view>>;
  return kept;
}

}  // namespace

void NoteGmType(uint64_t address, std::string_view type) {
  if (gm_types_asked.load(std::memory_order_relaxed)) [[unlikely]] {
    const std::lock_guard lock(mutex);
    Kept()[address].insert(type);
  }
}

GmTypesAsked::GmTypesAsked() { gm_types_asked = true; }

GmTypesAsked::~GmTypesAsked() {
  gm_types_asked = false;
  const std::lock_guard lock(mutex);
  Kept().clear();
}

std::set<std::string_view> GmTypesAsked::Of(uint64_t begin, uint64_t end) const {
  const std::lock_guard lock(mutex);
  std::set<std::string_view> types;
  for (auto at = Kept().lower_bound(begin); at != Kept().end() && at->first < end; ++at) {
    types.insert(at->second.begin(), at->second.end());
  }
  return types;
}

}  // namespace AscendC::simulator
