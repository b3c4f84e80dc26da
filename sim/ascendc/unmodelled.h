// Calls that this part has and the simulator does not: a kernel that uses one does not compile, and the
// compiler says which.
#pragma once

#include "sim/ascendc/absent.h"
#include "sim/ascendc/cube.h"
#include "sim/ascendc/load_data.h"
#include "sim/ascendc/soft_sync.h"
#include "sim/ascendc/tensor.h"

namespace AscendC {

enum class AippInputFormat : uint8_t { YUV420SP_U8 = 0, XRGB8888_U8 = 1, RGB888_U8 = 4, YUV400_U8 = 9 };

// Products with two of four weights.
template <class T = int32_t, class U = int8_t>
void MmadWithSparse(const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<U>&, const MmadParams&) {
  static_assert(simulator::kHere<T, U>,
                "tilesim does not model MmadWithSparse yet; use Mmad on whole weights");
}
template <class T = int8_t, class U = uint8_t>
void LoadDataWithSparse(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&,
                        const LoadData2dParams&) {
  static_assert(simulator::kHere<T, U>,
                "tilesim does not model LoadDataWithSparse yet; use LoadData on whole weights");
}

// Images on their way into L1 (AIPP).
template <class T, class U, template <class> class Params>
void SetAippFunctions(const GlobalTensor<T>&, AippInputFormat, Params<U>) {
  static_assert(simulator::kHere<T, U>,
                "tilesim does not model SetAippFunctions yet; prepare the image before");
}
template <class T, class U, template <class> class Params>
void SetAippFunctions(const GlobalTensor<T>&, const GlobalTensor<T>&, AippInputFormat, Params<U>) {
  static_assert(simulator::kHere<T, U>,
                "tilesim does not model SetAippFunctions yet; prepare the image before");
}
template <class T>
struct AippParams {
  static_assert(simulator::kHere<T>, "tilesim does not model AippParams yet; prepare the image before");
};
struct LoadImageToLocalParams {
  template <class... Arguments>
  LoadImageToLocalParams(const Arguments&...) {
    static_assert(simulator::kHere<Arguments...>,
                  "tilesim does not model LoadImageToLocalParams yet; prepare the image before");
  }
};
template <class T, class Params>
void LoadImageToLocal(const LocalTensor<T>&, const Params&) {
  static_assert(simulator::kHere<T, Params>,
                "tilesim does not model LoadImageToLocal yet; prepare the image before");
}

// Groups of cube cores that serve messages of vector cores.
template <class Message>
class CubeResGroupHandle {
  static_assert(simulator::kHere<Message>,
                "tilesim does not model CubeResGroupHandle yet; use CrossCoreSetFlag");
};
template <int groupID, class MatmulApi, template <class, class> class CallBack, class Message>
void CreateCubeResGroup(KfcWorkspace&, uint8_t, uint8_t, uint8_t, GM_ADDR) {
  static_assert(simulator::kHere<Message>,
                "tilesim does not model CreateCubeResGroup yet; use CrossCoreSetFlag");
}

}  // namespace AscendC
