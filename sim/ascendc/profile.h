// Times and marks for those who look for what takes long. They take an issue each, and traces show them.
#pragma once

#include <cstdint>

#include "sim/ascendc/data_cache.h"
#include "sim/ascendc/print.h"
#include "sim/ascendc/system_calls.h"

namespace AscendC {

// Prints GetSystemCycle by the kernel's number `descId`. Only with ASCENDC_TIME_STAMP_ON.
#ifdef ASCENDC_TIME_STAMP_ON
inline constexpr bool kTimeStampOn = true;
#else
inline constexpr bool kTimeStampOn = false;
#endif
template <bool kOn = kTimeStampOn>
void PrintTimeStamp(uint32_t descId, SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    const int64_t now = GetSystemCycle(where);
    simulator::Print({"descId=%u, rsv=0, timeStamp=%d, pcPtr=%d, entry=0\n", where},
                     {descId, now, GetProgramCounter(where)});
  }
}

// Marks what the profiler is to look at.
inline void MetricsProfStart(SourceLine where = SourceLine::Here()) {
  simulator::ScalarStep("MetricsProfStart", where);
}
inline void MetricsProfStop(SourceLine where = SourceLine::Here()) {
  simulator::ScalarStep("MetricsProfStop", where);
}

namespace simulator {

// The marks 0..9 of TRACE_START and TRACE_STOP.
inline void TraceMark(const char* name, int64_t id, SourceLine where) {
  ThisCore().At(name, tilesim::Pipe::kS, where);
  tilesim::isa::RequireRange(ThisCore(), "apid", id, 0, 9, "it is the mark's number");
  ScalarStep(name, where);
}
inline void TraceMark(const char* name, pipe_t /*pipe*/, int64_t id, SourceLine where) {
  TraceMark(name, id, where);
}

}  // namespace simulator
}  // namespace AscendC

template <bool kOn = AscendC::kTimeStampOn>
void asc_time_stamp(uint32_t id, tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::PrintTimeStamp<kOn>(id, where);
}
inline void asc_prof_start(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::MetricsProfStart(where);
}
inline void asc_prof_stop(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::MetricsProfStop(where);
}

// ([pipe,] apid). Only with ASCENDC_TRACE_ON.
#ifdef ASCENDC_TRACE_ON
#define TRACE_START(...) \
  AscendC::simulator::TraceMark("TRACE_START", __VA_ARGS__, tilesim::SourceLine::Here())
#define TRACE_STOP(...) AscendC::simulator::TraceMark("TRACE_STOP", __VA_ARGS__, tilesim::SourceLine::Here())
#else
#define TRACE_START(...) static_cast<void>(0)
#define TRACE_STOP(...) static_cast<void>(0)
#endif
