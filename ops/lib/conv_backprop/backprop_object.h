// What the objects Conv3DBackpropFilter and Conv3DBackpropInput have in common. Each is made of
//
//   BackpropObject      the order of calls (call_order.h) and the frame of Iterate, GetTensorC and End
//   its own header      what the setters take, and how a block leaves (conv3d_bp_*_api.h, input_writer.h)
//   its product         a block as a sum over K (filter_product.h, input_product.h), from
//     tiles in L1         which of them stand there (filter_l1_tiles.h, input_l1_tiles.h)
//     operands            from GM to L1 and to L0 (filter_operands.h; input_gradient.h, input_weights.h)
//     CubeBlock           L0A, L0B, L0C and the flags around them (cube_block.h, cube_operands.h)
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/conv_backprop/call_order.h"

namespace ConvBackpropApi {

// Iterate, End and the frame of GetTensorC. `Object` derives from it and has StartShape(), which checks what
// was set and starts `ctx.walk` and `ctx.product`. `Context` has isFirstIter_, `order` (CallOrder), `tiling`,
// `walk` (its Next() goes to the next block), `product` (Init, Compute, End and its CubeBlock) and `pipe`.
// Knows no shapes and no operands.
template <class Object, class Context>
class BackpropObject {
 public:
  Context ctx;

  // Computes the next block of baseM x baseN; false when the single shape is finished.
  template <bool sync = true>
  __aicore__ inline bool Iterate(bool enPartialSum = false) {
    ascendc_assert(!enPartialSum, "Iterate: enPartialSum is reserved and must be false");
    if (ctx.isFirstIter_) {
      ctx.order.IterateFirst();
      static_cast<Object*>(this)->StartShape();
    } else {
      ctx.order.IterateNext();
      if (!ctx.walk.Next()) {
        ctx.order.Iterated(false);
        return false;
      }
    }
    ctx.product.Compute(ctx.walk);
    ctx.order.Iterated(true);
    return true;
  }

  // Releases buffers and events.
  __aicore__ inline void End() {
    ctx.order.End();
    ctx.product.End();
    ctx.pipe.Destroy();
    if (ctx.tiling->hf32Flag != 0) {
      AscendC::SetHF32Mode(false);
    }
  }

 protected:
  // Init, once the object has accepted the tiling.
  template <class Tiling>
  __aicore__ inline void Begin(const Tiling& tiling) {
    ctx.tiling = &tiling;
    ctx.product.Init(ctx.pipe, tiling);
    if (tiling.hf32Flag != 0) {
      AscendC::SetHF32Mode(true);
    }
  }

  // GetTensorC: has `write(c)` bring the block to GM, where it is added in DstT or stored.
  template <class DstT, class Write>
  __aicore__ inline void Store(uint8_t enAtomic, bool enSequentialWrite, Write&& write) {
    ctx.order.GetTensorC();
    ascendc_assert(!enSequentialWrite, "GetTensorC: enSequentialWrite is reserved and must be false");
    ascendc_assert(enAtomic <= 1, "GetTensorC: enAtomic is 0 (store) or 1 (atomic add)");
    AscendC::LocalTensor<float> c = ctx.product.cube().Take();
    if (enAtomic == 1) {
      AscendC::SetAtomicAdd<DstT>();
    }
    write(c);
    if (enAtomic == 1) {
      AscendC::SetAtomicNone();
    }
    ctx.product.cube().Free(c);
    ctx.isFirstIter_ = false;
  }
};

}  // namespace ConvBackpropApi
