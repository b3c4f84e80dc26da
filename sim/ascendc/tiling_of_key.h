// REGISTER_TILING_FOR_TILINGKEY: a kernel has another struct of tiling data for some of its keys. A build for
// the device is made for each key, as is one with --tiling-key: GET_TILING_DATA gives the key's struct there.
// Another build is the same for all keys: what it gives is a fault where the running key has another struct.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ascendc/registered_tiling.h"
#include "sim/core/source_line.h"

namespace AscendC::simulator {

// Is the condition, in C's operators on TILING_KEY_VAR and whole numbers, true of the key? Throws
// tilesim::UserError where it is not to be read.
bool HoldsForKey(std::string_view condition, uint64_t key);

void NoteTilingForKey(const char* condition, const char* name, const char* mark, tilesim::SourceLine where);
void RequireTilingOfKey(const char* mark, tilesim::SourceLine where);

template <class Struct>
void RegisterTilingForKey(const char* condition, const char* name,
                          tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  NoteTilingForKey(condition, name, &kTilingMark<Struct>, where);
}
template <class Struct>
void RequireTilingOfKey(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  RequireTilingOfKey(&kTilingMark<Struct>, where);
}

}  // namespace AscendC::simulator
