#include "sim/isa/gm_access.h"

#include "formats/error.h"
#include "sim/core/gm.h"
#include "sim/core/gm_window.h"
#include "sim/core/scalar_cache.h"

namespace tilesim::isa {

void RequireAtomicType(Core& core) {
  const AtomicType atomic = core.registers().atomic_dtype;
  core.Require(
      core.registers().atomic == AtomicOp::kNone || (atomic != DType::kInt64 && atomic != DType::kUint8),
      FaultKind::kMisuse, "dst", "there are no atomic updates of type ", atomic.name(),
      " on this part; allowed: int8, int16, fp16, bf16, fp32, int32");
}

void RequireAtomicType(Core& core, AtomicType type) {
  RequireAtomicType(core);
  const AtomicType atomic = core.registers().atomic_dtype;
  core.Require(core.registers().atomic == AtomicOp::kNone || atomic == type, FaultKind::kMisuse, "dst", "is ",
               type.name(), " but the atomic operation was set for ", atomic.name(), "; set it for ",
               type.name(), " or call SetAtomicNone first");
}

Region AsStoredToGm(Core& core, Region region) {
  const CoreRegisters& registers = core.registers();
  if (registers.atomic != AtomicOp::kNone) {
    region.use = Use::kAtomic;
    region.align_bytes = static_cast<uint32_t>(registers.atomic_dtype.size_bytes());
  }
  return region;
}

void StoreToGm(Core& core, uint64_t address, const void* src, int64_t size_bytes) {
  const CoreRegisters& registers = core.registers();
  const auto size = static_cast<size_t>(size_bytes);
  if (registers.atomic == AtomicOp::kNone) {
    core.gm().Write(address, src, size);
  } else {
    core.gm().Atomic(registers.atomic, registers.atomic_dtype, address, src,
                     size / registers.atomic_dtype.size_bytes());
  }
}

void ReadThroughScalarCache(Core& core, uint64_t address, uint64_t size_bytes) {
  ScalarCache& cache = core.scalar_cache();
  if (cache.stale.Meets(address, address + size_bytes)) [[unlikely]] {
    core.Fail(FaultKind::kHazard, "src",
              Say(core.gm_space().PlaceOf(address, address + size_bytes), " were written by a move (",
                  cache.stale_by.file, ":", cache.stale_by.line,
                  ") after GetValue had brought their line into the scalar unit's cache, which still holds "
                  "it as it was; "
                  "call DataCacheCleanAndInvalid between that move and this read"));
  }
  cache.read.Add(address / kCacheLineBytes * kCacheLineBytes,
                 (address + size_bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes);
}

void RequireNotInScalarCache(Core& core, const Region& region) {
  for (const ScalarCache::Written& written : core.scalar_cache().written) {
    region.ForEachRun([&](uint64_t begin, uint64_t end) {
      if (written.begin < end && begin < written.end) [[unlikely]] {
        core.Fail(FaultKind::kHazard, region.operand,
                  Say(core.gm_space().PlaceOf(written.begin, written.end), " were written by SetValue (",
                      written.where.file, ":", written.where.line,
                      ") and are still in the cache of the scalar unit; call DataCacheCleanAndInvalid before "
                      "the move"));
      }
    });
  }
}

}  // namespace tilesim::isa
