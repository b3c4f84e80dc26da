#include "sim/ascendc/tiling_macros.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "formats/error.h"
#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/gm.h"
#include "sim/core/hazard.h"

namespace AscendC::simulator {
namespace {
std::atomic<uint64_t> tiling_key = 0;
std::atomic<bool> is_compiled_for_key = false;
std::mutex asked_mutex;
AskedTilingKeys asked;

// Some bytes may be written by nobody: those between the fields of a struct, and the one of a struct without
// fields.
bool HoldsNothing(tilesim::Core& core, uint64_t begin, uint64_t end) {
  bool none_is_written = false;
  if (end - begin == 1) {
    return false;
  }
  if (tilesim::HazardChecker* const hazards = core.hazards()) {
    hazards->ForEachUndefined(tilesim::Memory::kGm, begin, end, [&](uint64_t from, uint64_t to) {
      none_is_written = none_is_written || (from == begin && to == end);
    });
  }
  return none_is_written;
}

}  // namespace

uint64_t TilingKey() { return tiling_key; }
void SetTilingKey(uint64_t key) {
  tilesim::RequireUser(!is_compiled_for_key || key == tiling_key, "tiling key ", key,
                       ": the program was compiled for key ", TilingKey(),
                       " by --tiling-key; compile it for this one, or without that option");
  tiling_key = key;
}
bool CompileForTilingKey(uint64_t key) {
  if (is_compiled_for_key && tiling_key != key) {  // before main
    std::fprintf(
        stderr,
        "tilesim: the sources of the program were compiled for tiling keys %llu and %llu; compile all "
        "for one: --tiling-key\n",
        static_cast<unsigned long long>(tiling_key), static_cast<unsigned long long>(key));
    std::_Exit(2);
  }
  tiling_key = key;
  is_compiled_for_key = true;
  return true;
}

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
      core->Require(buffer->initialised || !HoldsNothing(*core, begin, begin + bytes),
                    tilesim::FaultKind::kUninitialised, "tiling", "is read from GM buffer ", buffer->name,
                    ", of which nothing has written these ", bytes,
                    " bytes; copy the tiling data there before the launch");
    }
  }
  std::memcpy(to, const_cast<const void*>(from), bytes);
}

}  // namespace AscendC::simulator
