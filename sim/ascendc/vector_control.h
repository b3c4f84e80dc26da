// The control bits that change what vector instructions make of results beyond their type.
#pragma once

#include <cstdint>

#include "sim/ascendc/vector_mask.h"

namespace AscendC {

enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };

namespace internal {

template <SaturationMode kMode>
constexpr bool kHasSaturation = kMode == SaturationMode::FLOAT || kMode == SaturationMode::INT;

}  // namespace internal

// FLOAT: on, infinity of fp16 becomes the largest finite value and NaN becomes 0; off, both stay. INT: on,
// sums and products of int16 and int32 give the nearest number there is; off, they wrap around.
template <SaturationMode mode>
void SetSaturationFlag(bool on, SourceLine where = SourceLine::Here()) {
  static_assert(mode != SaturationMode::FLOAT8,
                "Ascend C has SetSaturationFlag<FLOAT8>, this part (arch 2201) does not");
  static_assert(mode != SaturationMode::CAST, "tilesim does not model SetSaturationFlag<CAST> yet");
  static_assert(internal::kHasSaturation<mode>);
  tilesim::Core& core = internal::ThisCore();
  core.At("SetSaturationFlag", tilesim::Pipe::kS, where);
  if constexpr (mode == SaturationMode::FLOAT) {
    core.registers().ieee = !on;
  } else {
    core.registers().vector.saturate_whole_numbers = on;
  }
  internal::SpendOnMask(core, 1);
}
template <SaturationMode mode>
bool GetSaturationFlag(SourceLine where = SourceLine::Here()) {
  static_assert(internal::kHasSaturation<mode>, "see SetSaturationFlag");
  tilesim::Core& core = internal::ThisCore();
  core.At("GetSaturationFlag", tilesim::Pipe::kS, where);
  internal::SpendOnMask(core, 1);
  return mode == SaturationMode::FLOAT ? !core.registers().ieee
                                       : core.registers().vector.saturate_whole_numbers;
}

}  // namespace AscendC
