#include <atomic>

#include "sim/ascendc/tiling_macros.h"

namespace AscendC::internal {
namespace {
std::atomic<uint64_t> tiling_key = 0;
}  // namespace

uint64_t TilingKey() { return tiling_key; }
void SetTilingKey(uint64_t key) { tiling_key = key; }

}  // namespace AscendC::internal
