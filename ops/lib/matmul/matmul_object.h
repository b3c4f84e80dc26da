// Matmul, as kernels name it, and REGIST_MATMUL_OBJ.
#pragma once

#include "kernel_tiling/kernel_tiling.h"  // IWYU pragma: export
#include "lib/matmul/matmul_config.h"     // IWYU pragma: export
#include "lib/matmul/matmul_impl.h"       // IWYU pragma: export
#include "lib/matmul/matmul_types.h"      // IWYU pragma: export

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

namespace internal {

// Each object, with the tiling behind it if there is one.
template <class Object>
void InitMatmulObjects(TPipe*, Object& object) {
  object.SetSubBlockIdx(0);
}
template <class Object, class Tiling, class... More>
void InitMatmulObjects(TPipe* pipe, Object& object, Tiling* tiling, More&&... more) {
  object.SetSubBlockIdx(0);
  object.Init(tiling, pipe);
  if constexpr (sizeof...(More) > 0) {
    InitMatmulObjects(pipe, more...);
  }
}

}  // namespace internal
}  // namespace AscendC

namespace matmul {
using AscendC::Matmul;
}  // namespace matmul

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  if ASCEND_IS_AIV {                             \
    return;                                      \
  }                                              \
  static_cast<void>(workspace);                  \
  AscendC::internal::InitMatmulObjects(tpipe, __VA_ARGS__)
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ
