// y = 2 x + 1 without TPipe: tensors at fixed places of UB, two of each in turn, and flags set by hand. x and
// y: `count` halves in GM, a multiple of 2048 for each block.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void static_pipeline(GM_ADDR x, GM_ADDR y, uint32_t count) {
  constexpr uint32_t kTile = 2048;
  AscendC::InitSocState();
  AscendC::LocalMemAllocator<AscendC::Hardware::UB> ub;
  AscendC::LocalTensor<half> in[2], out[2];
  for (uint32_t i = 0; i < 2; ++i) {
    in[i] = ub.Alloc<half, kTile>();
    out[i] = ub.Alloc<half, kTile>();
  }
#ifdef PUT_ONE_OVER_ANOTHER
  out[1] = AscendC::LocalTensor<half>(AscendC::TPosition::VECCALC, kTile * sizeof(half), kTile);
#endif
  const uint32_t share = count / AscendC::GetBlockNum();
  AscendC::GlobalTensor<half> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + AscendC::GetBlockIdx() * share, share);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + AscendC::GetBlockIdx() * share, share);
  for (int32_t id = 0; id < 2; ++id) {  // both of each kind are free
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(id);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(id);
  }
  for (uint32_t tile = 0; tile < share / kTile; ++tile) {
    const int32_t id = tile % 2;
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(id);
    AscendC::DataCopy(in[id], from[tile * kTile], kTile);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(id);

    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(id);
#ifndef FORGET_TO_WAIT_FOR_THE_STORE
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(id);
#endif
    AscendC::Muls(out[id], in[id], half(2.0f), kTile);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(out[id], out[id], half(1.0f), kTile);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(id);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(id);

    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(id);
    AscendC::DataCopy(to[tile * kTile], out[id], kTile);
#ifndef FORGET_TO_WAIT_FOR_THE_STORE
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(id);
#endif
  }
  for (int32_t id = 0; id < 2; ++id) {
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(id);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(id);
  }
}
