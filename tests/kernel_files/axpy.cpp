// A kernel file without main: z = a * x + y. The tiling data comes through GM as the struct that is declared here,
// a by value; key 2 adds it where key 1 multiplies.
//   --kernel axpy --blocks 4 --arg x=arange:fp32:4096 --arg y=ones:fp32:4096 --arg z=out:fp32:4096
//   --arg workspace=workspace:64 --arg tiling=struct:{"count":4096,"tile":{"length":256,"buffers":2},"a":3,"spare":[7,8]}
#include "kernel_operator.h"

struct TileTiling {
  uint16_t length;
  uint16_t buffers;
};
struct AxpyTiling {
  uint64_t count;
  TileTiling tile;
  float a;
  uint32_t spare[2];
};

extern "C" __global__ __aicore__ void axpy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(AxpyTiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  ascendc_assert(tilingData.spare[1] == 8, "spare[1] is %u", tilingData.spare[1]);
  if (workspace == nullptr || AscendC::GetUserWorkspace(workspace) == nullptr) {
    return;
  }
  const uint32_t length = tilingData.tile.length;
  const uint64_t share = tilingData.count / AscendC::GetBlockNum();
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, tilingData.tile.buffers, 2 * length * sizeof(float));
  pipe.InitBuffer(out, tilingData.tile.buffers, length * sizeof(float));
  AscendC::GlobalTensor<float> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float*)x + share * AscendC::GetBlockIdx(), share);
  yGm.SetGlobalBuffer((__gm__ float*)y + share * AscendC::GetBlockIdx(), share);
  zGm.SetGlobalBuffer((__gm__ float*)z + share * AscendC::GetBlockIdx(), share);
  for (uint64_t at = 0; at < share; at += length) {
    auto both = in.AllocTensor<float>();
    AscendC::DataCopy(both, xGm[at], length);
    AscendC::DataCopy(both[length], yGm[at], length);
    in.EnQue(both);
    both = in.DeQue<float>();
    auto sum = out.AllocTensor<float>();
    if (TILING_KEY_IS(2)) {
      AscendC::Adds(sum, both, tilingData.a, length);
    } else {
      AscendC::Muls(sum, both, tilingData.a, length);
    }
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(sum, sum, both[length], length);
    in.FreeTensor(both);
    out.EnQue(sum);
    sum = out.DeQue<float>();
    AscendC::DataCopy(zGm[at], sum, length);
    out.FreeTensor(sum);
  }
}
