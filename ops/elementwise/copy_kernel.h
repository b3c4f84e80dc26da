// The tile program of copy: GM to UB to GM.
#pragma once

#include "kernel_operator.h"
#include "lib/elementwise/matrix_tiles.h"
#include "tiling/elementwise/elementwise_tiling.h"

namespace tilesim {

// T: any type as wide as the elements.
template <class T>
class CopyKernel {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, const ElementwiseTiling& tiling) {
    const MatrixTiles<T> tiles(tiling);
    const AscendC::GlobalTensor<T> src = tiles.Tensor(x);
    const AscendC::GlobalTensor<T> dst = tiles.Tensor(y);
    AscendC::TPipe pipe;
    pipe.InitBuffer(queue_, static_cast<uint8_t>(tiling.data.bufferNum),
                    static_cast<uint32_t>(tiling.data.bufferBytes));
    tiles.ForEach([&](const MatrixTile& tile) {
      AscendC::LocalTensor<T> loaded = queue_.template AllocTensor<T>();
      tiles.Load(loaded, src, tile);
      queue_.EnQue(loaded);
      AscendC::LocalTensor<T> ready = queue_.template DeQue<T>();
      tiles.Store(dst, ready, tile);
      queue_.FreeTensor(ready);
    });
  }

 private:
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue_;
};

}  // namespace tilesim
