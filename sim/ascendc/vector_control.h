// The control bits that change what vector instructions make of results beyond their type.
#pragma once

#include <cstdint>

#include "sim/ascendc/vector_mask.h"

namespace AscendC {

enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };

// FLOAT: on, infinity of fp16 becomes the largest finite value and NaN becomes 0; off, both stay. INT: on,
// sums and products of int16 and int32 give the nearest number there is; off, they wrap around. CAST: on,
// Cast to an integer gives the nearest number there is; off, the low bits.
template <SaturationMode mode>
void SetSaturationFlag(bool on, SourceLine where = SourceLine::Here()) {
  static_assert(mode != SaturationMode::FLOAT8,
                "Ascend C has SetSaturationFlag<FLOAT8>, this part (arch 2201) does not");
  tilesim::Core& core = simulator::ThisCore();
  core.At("SetSaturationFlag", tilesim::Pipe::kS, where);
  if constexpr (mode == SaturationMode::FLOAT) {
    core.registers().ieee = !on;
  } else if constexpr (mode == SaturationMode::CAST) {
    core.registers().vector.wrap_casts = !on;
  } else {
    core.registers().vector.saturate_whole_numbers = on;
  }
  simulator::SpendOnMask(core, 1);
}
template <SaturationMode mode>
bool GetSaturationFlag(SourceLine where = SourceLine::Here()) {
  static_assert(mode != SaturationMode::FLOAT8, "see SetSaturationFlag");
  tilesim::Core& core = simulator::ThisCore();
  core.At("GetSaturationFlag", tilesim::Pipe::kS, where);
  simulator::SpendOnMask(core, 1);
  return mode == SaturationMode::FLOAT  ? !core.registers().ieee
         : mode == SaturationMode::CAST ? !core.registers().vector.wrap_casts
                                        : core.registers().vector.saturate_whole_numbers;
}

// CTRL[59] as it is: true, Cast to an integer keeps the low bits.
template <bool castMode>
void SetCastOverflowMode(SourceLine where = SourceLine::Here()) {
  SetSaturationFlag<SaturationMode::CAST>(!castMode, where);
}

// CTRL[50]. The vendor's documents do not say what it does; no modelled instruction reads it.
inline void SetLreluMode(bool lreluMode, SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  core.At("SetLreluMode", tilesim::Pipe::kS, where);
  core.registers().vector.lrelu_mode = lreluMode;
  simulator::SpendOnMask(core, 1);
}

// CTRL[48], the only bit that this part lets a kernel write so: 0, infinity of fp16 and bf16 becomes the
// largest finite value and NaN becomes 0; 1, both stay.
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value, SourceLine where = SourceLine::Here()) {
  static_assert(startBit == 48 && endBit == 48, "SetCtrlSpr: this part (arch 2201) has bit 48 only");
  tilesim::Core& core = simulator::ThisCore();
  core.At("SetCtrlSpr", tilesim::Pipe::kS, where);
  tilesim::isa::RequireRange(core, "value", value, 0, 1, "it is one bit");
  SetSaturationFlag<SaturationMode::FLOAT>(value == 0, where);
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr(SourceLine where = SourceLine::Here()) {
  static_assert(startBit == 48 && endBit == 48, "GetCtrlSpr: this part (arch 2201) has bit 48 only");
  return GetSaturationFlag<SaturationMode::FLOAT>(where) ? 0 : 1;
}

}  // namespace AscendC
