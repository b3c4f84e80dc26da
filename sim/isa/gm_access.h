// What moves to and from GM share: the atomic register. Knows no layout.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cost.h"

namespace tilesim::isa {

// Refuses a type of atomic updates that there is not.
void RequireAtomicType(Core& core);
// Refuses a move of `dtype` that the atomic register cannot serve.
void RequireAtomicType(Core& core, AtomicType type);

// The region of a move's GM operand, made an atomic update where the register says so.
Region AsStoredToGm(Core& core, Region region);

// Writes contiguous bytes to GM, or updates GM with them.
void StoreToGm(Core& core, uint64_t address, const void* src, int64_t size_bytes);

// Lines of the scalar unit's cache.
inline constexpr uint64_t kCacheLineBytes = 64;                       // documented
inline constexpr uint64_t kCacheLines = 32 * 1024 / kCacheLineBytes;  // documented: 32 KiB a core
// The scalar unit reads these bytes of GM: through its cache, which must hold what is there.
void ReadThroughScalarCache(Core& core, uint64_t address, uint64_t size_bytes);
// Refuses a move of bytes of GM that the scalar unit has written and its cache still holds.
void RequireNotInScalarCache(Core& core, const Region& region);

}  // namespace tilesim::isa
