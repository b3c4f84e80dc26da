// Other names of calls: those that the vendor's compiler has for its instructions, and those of the class
// under which operators' kernels reach the control bits and the mask.
#pragma once

#include <cstdint>

#include "sim/ascendc/sync.h"
#include "sim/ascendc/vector_control.h"

namespace AscendC {

// What operators' kernels call of the mask and of CTRL.
struct AscendCUtils {
  // CTRL[48]: 1, both stay.
  static void SetOverflow(uint64_t value, SourceLine where = SourceLine::Here()) {
    SetSaturationFlag<SaturationMode::FLOAT>(value != 1, where);
  }
  template <class T, bool isSetMask = true>
  static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow,
                      SourceLine where = SourceLine::Here()) {
    if constexpr (isSetMask) {
      SetVectorMask<T, MaskMode::NORMAL>(maskHigh, maskLow, where);
    }
  }
  template <class T, bool isSetMask = true>
  static void SetMask(int32_t len, SourceLine where = SourceLine::Here()) {
    if constexpr (isSetMask) {
      SetVectorMask<T, MaskMode::NORMAL>(len, where);
    }
  }
  static void ResetMask(SourceLine where = SourceLine::Here()) { AscendC::ResetMask(where); }
};

}  // namespace AscendC

inline void set_flag(pipe_t src, pipe_t dst, int32_t id,
                     tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::ThisCore().SetFlag(AscendC::simulator::PipeOf(src), AscendC::simulator::PipeOf(dst), id,
                                         where);
}
inline void wait_flag(pipe_t src, pipe_t dst, int32_t id,
                      tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::ThisCore().WaitFlag(AscendC::simulator::PipeOf(src), AscendC::simulator::PipeOf(dst),
                                          id, where);
}
inline void pipe_barrier(pipe_t pipe, tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  if (pipe == PIPE_ALL) {
    AscendC::simulator::ThisCore().BarrierAll(where);
  } else {
    AscendC::simulator::ThisCore().Barrier(AscendC::simulator::PipeOf(pipe), where);
  }
}
inline void set_mask_count(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::SetMaskCount(where);
}
inline void set_mask_norm(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::SetMaskNorm(where);
}
inline void set_vector_mask(uint64_t high, uint64_t low,
                            tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::SetVectorMask<uint16_t, AscendC::MaskMode::NORMAL>(high, low, where);
}
