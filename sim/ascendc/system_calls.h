// What a kernel asks of its core and its part, and what it sets there beside masks and modes of instructions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/data_cache.h"
#include "sim/ascendc/system.h"
#include "sim/ascendc/vector_control.h"
#include "sim/ascendc/vector_mask.h"

namespace AscendC {

// AIVs of the block on an AIV (1 where only AIVs were started), 1 on an AIC.
inline int64_t GetSubBlockNum() { return GetTaskRatio(); }
constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
// The number of the part's architecture: 0x220.
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
// Programs have no addresses here: 4 times the number of instructions that the core has issued.
inline int64_t GetProgramCounter(SourceLine where = SourceLine::Here()) {
  simulator::ScalarStep("GetProgramCounter", where);
  return 4 * simulator::ThisCore().statistics().TotalInstructions();
}
// Steps of 20 ns since the launch, by the core's own clock: as if other cores took nothing of GM and were
// never waited for (what is measured between two calls is right where neither happens). Each call goes
// through all that the core has done. Where time is off it counts instructions.
inline int64_t GetSystemCycle(SourceLine where = SourceLine::Here()) {
  simulator::ScalarStep("GetSystemCycle", where);
  const tilesim::Core& core = simulator::ThisCore();
  return static_cast<int64_t>(static_cast<double>(core.CyclesAlone()) * 50.0 / core.soc().clock_mhz);
}

// Stops the core with a fault.
[[noreturn]] inline void Trap(SourceLine where = SourceLine::Here()) {
  simulator::ThisCore().At("Trap", tilesim::Pipe::kS, where);
  simulator::ThisCore().Fail(tilesim::FaultKind::kMisuse, "", "the kernel stopped this core");
}

// Calls fun(args...) on cores of that kind only.
template <EngineType engine, auto fun, class... Args>
void Async(Args... args) {
  if (static_cast<int32_t>(simulator::ThisCore().identity().kind) == static_cast<int32_t>(engine)) {
    fun(args...);
  }
}

// One of four guards of UB: accesses of the kinds named to data blocks (startAddr, endAddr] (32 bytes each,
// the first excluded, the last included) are faults while it is enabled.
struct CheckLocalMemoryIAParam {
  CheckLocalMemoryIAParam() = default;
  CheckLocalMemoryIAParam(uint8_t enableBitIn, uint32_t startAddrIn, uint32_t endAddrIn, bool isScalarReadIn,
                          bool isScalarWriteIn, bool isVectorReadIn, bool isVectorWriteIn, bool isMteReadIn,
                          bool isMteWriteIn, bool isEnableIn)
      : enableBit(enableBitIn),
        startAddr(startAddrIn),
        endAddr(endAddrIn),
        isScalarRead(isScalarReadIn),
        isScalarWrite(isScalarWriteIn),
        isVectorRead(isVectorReadIn),
        isVectorWrite(isVectorWriteIn),
        isMteRead(isMteReadIn),
        isMteWrite(isMteWriteIn),
        isEnable(isEnableIn) {}

  uint8_t enableBit = 0;   // which guard, 0..3
  uint32_t startAddr = 0;  // data blocks, 0..65535
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
};
inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam& param, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorRegistersCore("CheckLocalMemoryIA", where)) {
    tilesim::isa::RequireRange(*core, "enableBit", param.enableBit, 0, 3, "there are four guards");
    tilesim::isa::RequireRange(*core, "startAddr", param.startAddr, 0, 65535, "it is in units of 32 bytes");
    tilesim::isa::RequireRange(*core, "endAddr", param.endAddr, 0, 65535, "it is in units of 32 bytes");
    simulator::ScalarStep("CheckLocalMemoryIA", where);
    core->SetGuard(param.enableBit, {.on = param.isEnable,
                                     .begin = (uint64_t{param.startAddr} + 1) * 32,
                                     .end = (uint64_t{param.endAddr} + 1) * 32,
                                     .scalar = {param.isScalarRead, param.isScalarWrite},
                                     .vector = {param.isVectorRead, param.isVectorWrite},
                                     .moves = {param.isMteRead, param.isMteWrite}});
  }
}

}  // namespace AscendC

// The device compiler's own word for it.
[[noreturn]] inline void trap(tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::Trap(where);
}
