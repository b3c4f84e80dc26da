// The kernel of a project of the older kind: compiled apart from its host, main.cpp.
#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;

class KernelMul {
 public:
  __aicore__ inline KernelMul() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t totalLength, uint32_t tileNum) {
    ASSERT(AscendC::GetBlockNum() != 0 && "no blocks");
    this->blockLength = totalLength / AscendC::GetBlockNum();
    this->tileLength = this->blockLength / tileNum / BUFFER_NUM;
    this->tileNum = tileNum;
    xGm.SetGlobalBuffer((__gm__ half*)x + this->blockLength * AscendC::GetBlockIdx(), this->blockLength);
    yGm.SetGlobalBuffer((__gm__ half*)y + this->blockLength * AscendC::GetBlockIdx(), this->blockLength);
    zGm.SetGlobalBuffer((__gm__ half*)z + this->blockLength * AscendC::GetBlockIdx(), this->blockLength);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, this->tileLength * sizeof(half));
    pipe.InitBuffer(inQueueY, BUFFER_NUM, this->tileLength * sizeof(half));
    pipe.InitBuffer(outQueueZ, BUFFER_NUM, this->tileLength * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (int32_t i = 0; i < static_cast<int32_t>(this->tileNum) * BUFFER_NUM; i++) {
      AscendC::LocalTensor<half> x = inQueueX.AllocTensor<half>();
      AscendC::LocalTensor<half> y = inQueueY.AllocTensor<half>();
      AscendC::DataCopy(x, xGm[i * this->tileLength], this->tileLength);
      AscendC::DataCopy(y, yGm[i * this->tileLength], this->tileLength);
      inQueueX.EnQue(x);
      inQueueY.EnQue(y);
      x = inQueueX.DeQue<half>();
      y = inQueueY.DeQue<half>();
      AscendC::LocalTensor<half> z = outQueueZ.AllocTensor<half>();
      AscendC::Mul(z, x, y, this->tileLength);
      outQueueZ.EnQue<half>(z);
      inQueueX.FreeTensor(x);
      inQueueY.FreeTensor(y);
      z = outQueueZ.DeQue<half>();
      AscendC::DataCopy(zGm[i * this->tileLength], z, this->tileLength);
      outQueueZ.FreeTensor(z);
    }
  }

 private:
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> inQueueX, inQueueY;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> outQueueZ;
  AscendC::GlobalTensor<half> xGm, yGm, zGm;
  uint32_t blockLength, tileNum, tileLength;
};

struct MulCustomTilingData {
  uint32_t totalLength;
  uint32_t tileNum;
};

extern "C" __global__ __aicore__ void mul_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(MulCustomTilingData, tilingData, tiling);
  KernelMul op;
  op.Init(x, y, z, tilingData.totalLength, tilingData.tileNum);
  op.Process();
}

#ifndef ASCENDC_CPU_DEBUG
// what a host that is compiled by another compiler calls
void mul_custom_do(uint32_t blockDim, void* l2ctrl, void* stream, uint8_t* x, uint8_t* y, uint8_t* z,
                   uint8_t* workspace, uint8_t* tiling) {
  mul_custom<<<blockDim, l2ctrl, stream>>>(x, y, z, workspace, tiling);
}
#endif
