// The tile program of add: y = x1 + x2, element by element.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/elementwise/matrix_tiles.h"
#include "tiling/elementwise/elementwise_tiling.h"

namespace tilesim {

// T: half, float, int32_t, which the vector unit adds, or bfloat16_t, which it adds in fp32.
template <class T>
class AddKernel {
 public:
  __aicore__ inline void Process(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const ElementwiseTiling& tiling) {
    const MatrixTiles<T> tiles(tiling);
    const AscendC::GlobalTensor<T> first = tiles.Tensor(x1);
    const AscendC::GlobalTensor<T> second = tiles.Tensor(x2);
    const AscendC::GlobalTensor<T> sum = tiles.Tensor(y);
    AscendC::TPipe pipe;
    const auto buffers = static_cast<uint8_t>(tiling.data.bufferNum);
    const auto bytes = static_cast<uint32_t>(tiling.data.bufferBytes);
    pipe.InitBuffer(first_, buffers, bytes);
    pipe.InitBuffer(second_, buffers, bytes);
    pipe.InitBuffer(sum_, buffers, bytes);
    if constexpr (kWidens) {
      const auto wide = static_cast<uint32_t>(TileBytes(tiling.data, static_cast<int64_t>(sizeof(T))) * 2);
      pipe.InitBuffer(wide_first_, wide);
      pipe.InitBuffer(wide_second_, wide);
    }
    tiles.ForEach([&](const MatrixTile& tile) {
      Load(tiles, first_, first, tile);
      Load(tiles, second_, second, tile);
      AddTile(tiles.Count(tile));
      AscendC::LocalTensor<T> done = sum_.template DeQue<T>();
      tiles.Store(sum, done, tile);
      sum_.FreeTensor(done);
    });
  }

 private:
  static constexpr bool kWidens = std::is_same_v<T, bfloat16_t>;
  using InQueue = AscendC::TQue<AscendC::TPosition::VECIN, 2>;

  __aicore__ inline void Load(const MatrixTiles<T>& tiles, InQueue& queue, const AscendC::GlobalTensor<T>& gm,
                              const MatrixTile& tile) {
    AscendC::LocalTensor<T> buffer = queue.template AllocTensor<T>();
    tiles.Load(buffer, gm, tile);
    queue.EnQue(buffer);
  }
  __aicore__ inline void AddTile(int32_t count) {
    AscendC::LocalTensor<T> first = first_.template DeQue<T>();
    AscendC::LocalTensor<T> second = second_.template DeQue<T>();
    AscendC::LocalTensor<T> sum = sum_.template AllocTensor<T>();
    if constexpr (kWidens) {
      const AscendC::LocalTensor<float> a = wide_first_.template Get<float>();
      const AscendC::LocalTensor<float> b = wide_second_.template Get<float>();
      AscendC::Cast(a, first, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
      AscendC::Cast(b, second, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
      AscendC::Add(a, a, b, count);
      AscendC::Cast(sum, a, AscendC::RoundMode::CAST_RINT, static_cast<uint32_t>(count));
    } else {
      AscendC::Add(sum, first, second, count);
    }
    sum_.EnQue(sum);
    first_.FreeTensor(first);
    second_.FreeTensor(second);
  }

  InQueue first_;
  InQueue second_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> sum_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_first_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_second_;
};

}  // namespace tilesim
