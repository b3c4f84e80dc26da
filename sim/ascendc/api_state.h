// What the API keeps for the core it runs on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/ascendc/buffer_table.h"
#include "sim/core/core.h"
#include "sim/core/current_core.h"

namespace AscendC {
class TPipe;
struct ShapeInfo;
}  // namespace AscendC

namespace AscendC::simulator {

// SetFixpipeNz2ndFlag: the matrices that DataCopy writes row-major out of L0C.
struct Nz2ndFlag {
  uint16_t num = 1;
  uint16_t src_stride = 0;  // 1024 B
  uint16_t dst_stride = 0;  // elements
};

struct ApiState : tilesim::Core::Attachment {
  ApiState();
  ~ApiState() override;

  BufferTable buffers;
  Nz2ndFlag nz2nd;
  TPipe* pipe = nullptr;          // the last TPipe constructed on this core
  std::vector<ShapeInfo> shapes;  // as KeepShape numbers them, from 1
  // What the kernel or its framework told of GM: the library's workspace, and the communication's contexts.
  uint8_t* system_workspace = nullptr;
  std::array<uint8_t*, 2> hccl_contexts{};
  const char* tiling_of_key = nullptr;  // what the kernel registered for the running tiling key
  const char* tiling_of_key_name = nullptr;
  int32_t order_round = 0;  // of WaitPreBlock; 0: not begun

  void AtEnd(tilesim::Core& core) override { buffers.TellLoans(core); }
  std::string OrderingCalls(tilesim::Memory memory, uint64_t begin, uint64_t end, tilesim::Pipe of,
                            tilesim::Pipe by) const override;
};

inline tilesim::Core& ThisCore() {
  tilesim::Core* const core = tilesim::internal::current_core;
  return core != nullptr ? *core : tilesim::CurrentCore();  // which says that there is none
}

inline ApiState& State(tilesim::Core& core) {
  if (core.attachment() == nullptr) [[unlikely]] {
    core.Attach(new ApiState);
  }
  return static_cast<ApiState&>(*core.attachment());
}

}  // namespace AscendC::simulator
