// The caches of the scalar unit, and accesses that pass them by.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"
#include "sim/isa/scalar_access.h"
#include "sim/isa/scalar_system.h"

namespace AscendC {
namespace simulator {

// A call of pipe S that traces show and nothing else depends on.
inline void ScalarStep(const char* name, SourceLine where) {
  ThisCore().Issue(tilesim::isa::ScalarStep{.name = name, .where = where}, where);
}

}  // namespace simulator

// Writes it back and forgets it: the line of 64 bytes at the tensor's start, or all of it. What SetValue
// wrote to GM may be moved only after that.
template <class T, CacheLine line, DcciDst dst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
  static_assert(dst != DcciDst::CACHELINE_ATOMIC,
                "Ascend C has CACHELINE_ATOMIC, this part (arch 2201) does not");
  simulator::ThisCore().Issue(tilesim::isa::ScalarCacheClean{.address = tensor.address(),
                                                             .all = line == CacheLine::ENTIRE_DATA_CACHE},
                              where);
}

// Of UB, which has no cache here: nothing is to be written back.
template <class T, CacheLine line, DcciDst dst>
void DataCacheCleanAndInvalid(const LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
  static_assert(dst != DcciDst::CACHELINE_ATOMIC,
                "Ascend C has CACHELINE_ATOMIC, this part (arch 2201) does not");
  simulator::ThisCore().At("DataCacheCleanAndInvalid", tilesim::Pipe::kS, where);
  simulator::OffsetOf(simulator::ThisCore(), tensor, "dst");
  simulator::ScalarStep("DataCacheCleanAndInvalid", where);
}

// Asks for the line of GM that is `offset` bytes behind the start of `src`; has no effect on results.
template <class T>
void DataCachePreload(const GlobalTensor<uint64_t>& src, const T offset,
                      SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<T, int16_t> || std::is_same_v<T, int64_t>, "the offset is int16_t or int64_t");
  simulator::ThisCore().Issue(
      tilesim::isa::CachePreload{.address = src.address() + static_cast<uint64_t>(int64_t{offset})}, where);
}
// Asks for instructions, in units of 2 KiB, less than the cache holds (AIC 32 KiB, AIV 16 KiB). The model has
// every instruction at hand, so the cache is never busy.
inline void ICachePreLoad(const int64_t preFetchLen, SourceLine where = SourceLine::Here()) {
  simulator::ThisCore().Issue(tilesim::isa::InstructionPreload{.units = preFetchLen}, where);
}
inline int64_t GetICachePreloadStatus(SourceLine where = SourceLine::Here()) {
  simulator::ScalarStep("GetICachePreloadStatus", where);
  return 0;
}

// One element of GM, past the cache of the scalar unit.
template <class T>
T ReadGmByPassDCache(__gm__ T* addr, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_integral_v<T>, "whole numbers of 8 to 64 bits");
  uint64_t bits = 0;
  simulator::ThisCore().Issue(
      tilesim::isa::UncachedRead{
          .address = reinterpret_cast<uint64_t>(addr), .element_bytes = sizeof(T), .bits = &bits},
      where);
  return static_cast<T>(bits);
}
template <class T>
void WriteGmByPassDCache(__gm__ T* addr, std::type_identity_t<T> value,
                         SourceLine where = SourceLine::Here()) {
  static_assert(std::is_integral_v<T>, "whole numbers of 8 to 64 bits");
  simulator::ThisCore().Issue(tilesim::isa::UncachedWrite{.address = reinterpret_cast<uint64_t>(addr),
                                                          .element_bytes = sizeof(T),
                                                          .bits = static_cast<uint64_t>(value)},
                              where);
}

}  // namespace AscendC
