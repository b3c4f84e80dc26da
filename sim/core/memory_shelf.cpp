#include "sim/core/memory_shelf.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tilesim {
namespace {

struct Shelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<CoreMemories>> kept;
};

Shelf& TheShelf() {
  static Shelf shelf;
  return shelf;
}

}  // namespace

std::unique_ptr<CoreMemories> TakeMemories(const SocConfig& soc, CoreKind kind) {
  Shelf& shelf = TheShelf();
  {
    const std::lock_guard lock(shelf.mutex);
    const auto last = std::find_if(shelf.kept.rbegin(), shelf.kept.rend(), [&](const auto& memories) {
      return memories->Fits(soc, kind);
    });  // the last is the warmest in the host's cache
    if (last != shelf.kept.rend()) {
      std::unique_ptr<CoreMemories> found = std::move(*last);
      shelf.kept.erase(std::next(last).base());
      return found;
    }
  }
  return std::make_unique<CoreMemories>(soc, kind);
}

void GiveBack(std::unique_ptr<CoreMemories> memories) {
  if (memories == nullptr) {
    return;
  }
  memories->Clean();
  constexpr size_t kMostKept = 64;  // more than the cores of any launch that has all its cores waiting
  Shelf& shelf = TheShelf();
  const std::lock_guard lock(shelf.mutex);
  if (shelf.kept.size() < kMostKept) {
    shelf.kept.push_back(std::move(memories));
  }
}

}  // namespace tilesim
