#include "sim/ascendc/tiling_macros.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/gm.h"

namespace AscendC::internal {
namespace {
std::atomic<uint64_t> tiling_key = 0;
std::mutex asked_mutex;
AskedTilingKeys asked;
}  // namespace

uint64_t TilingKey() { return tiling_key; }
void SetTilingKey(uint64_t key) { tiling_key = key; }

AskedTilingKeys TakeAskedTilingKeys() {
  const std::lock_guard lock(asked_mutex);
  return std::exchange(asked, {});
}
void NoteAskedTilingKey(uint64_t key) {
  const std::lock_guard lock(asked_mutex);
  asked.keys.insert(key);
  asked.any_is_set = asked.any_is_set || key == tiling_key;
}

void CopyTilingData(void* to, const volatile void* from, size_t bytes, tilesim::SourceLine where) {
  if (tilesim::Core* const core = tilesim::internal::current_core) {
    core->At("GET_TILING_DATA", tilesim::Pipe::kS, where);
    core->Require(from != nullptr, tilesim::FaultKind::kMisuse, "tiling",
                  "is null; hand the kernel the address of its tiling data");
    const auto begin = reinterpret_cast<uint64_t>(from);
    if (const tilesim::GmBuffer* const buffer = core->gm_space().Find(begin)) {
      const uint64_t end = buffer->address + buffer->size_bytes;
      core->Require(bytes <= end - begin, tilesim::FaultKind::kBounds, "tiling", "the struct has ", bytes,
                    " bytes, and GM buffer ", buffer->name, " ends ", end - begin,
                    " bytes behind the address");
    }
  }
  std::memcpy(to, const_cast<const void*>(from), bytes);
}

}  // namespace AscendC::internal
