// A kernel and its launch function in a shared library, as Python scripts load it.
#include "kernel_operator.h"
#include "sim/host/kernel_launch.h"
#include "tilesim_register.h"

namespace {

__global__ __vector__ void twice(__gm__ float* x, __gm__ float* z) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 256);
  AscendC::LocalTensor<float> local = buffer.Get<float>();
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(x);
  to.SetGlobalBuffer(z);
  AscendC::DataCopy(local, from, 64);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Add(local, local, local, 64);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(to, local, 64);
}

}  // namespace

extern "C" void run_twice(float* x, float* z) {
  tilesim::host::Launch({"twice", tilesim::host::Qualifiers::Vector(), {__FILE__, __LINE__}}, twice)
      .With(1, 0, nullptr)(x, z);
}
