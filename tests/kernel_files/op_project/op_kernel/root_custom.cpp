// y = sqrt(x): the kernel of an operator project. Its build gives the types by macros and the tiling data's
// struct from the host's declaration:
//   -include op_host/root_custom_tiling.h -DDTYPE_X=half -DDTYPE_Y=half -DORIG_DTYPE_X=DT_FLOAT16
//   -DFORMAT_X=FORMAT_ND
//   --kernel root_custom --blocks 4 --arg x=arange:fp16:4096 --arg y=out:fp16:4096 --arg
//   workspace=workspace:64
//   --arg tiling=struct:{"tileLength":256,"shape":{"blocks":4,"length":4096}}
#include "kernel_operator.h"

using namespace AscendC;

template <typename X, typename Y>
class KernelRoot {
 public:
  __aicore__ inline KernelRoot() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RootCustomTilingData& tiling) {
    blockLength_ = tiling.shape.length / GetBlockNum();
    tileLength_ = tiling.tileLength;
    xGm_.SetGlobalBuffer((__gm__ X*)x + blockLength_ * GetBlockIdx(), blockLength_);
    yGm_.SetGlobalBuffer((__gm__ Y*)y + blockLength_ * GetBlockIdx(), blockLength_);
    pipe_.InitBuffer(in_, 2, tileLength_ * sizeof(X));
    pipe_.InitBuffer(out_, 2, tileLength_ * sizeof(Y));
  }
  __aicore__ inline void Process() {
    for (uint64_t at = 0; at < blockLength_; at += tileLength_) {
      LocalTensor<X> x = in_.template AllocTensor<X>();
      DataCopy(x, xGm_[at], tileLength_);
      in_.EnQue(x);
      x = in_.template DeQue<X>();
      LocalTensor<Y> y = out_.template AllocTensor<Y>();
      Sqrt(y, x, tileLength_);
      in_.FreeTensor(x);
      out_.EnQue(y);
      y = out_.template DeQue<Y>();
      DataCopy(yGm_[at], y, tileLength_);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  GlobalTensor<X> xGm_;
  GlobalTensor<Y> yGm_;
  uint64_t blockLength_ = 0;
  uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void root_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(tilingData, tiling);
#if ORIG_DTYPE_X == DT_FLOAT16 && FORMAT_X == FORMAT_ND
  KernelRoot<DTYPE_X, DTYPE_Y> op;
#elif ORIG_DTYPE_X == DT_FLOAT && FORMAT_X == FORMAT_ND
  KernelRoot<float, float> op;
#else
#error "the operator has halves and floats, and no format"
#endif
  if (tilingData.shape.blocks != GetBlockNum()) {
    return;
  }
  op.Init(x, y, tilingData);
  op.Process();
}
