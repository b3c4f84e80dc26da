// Matmul, as kernels name it, and REGIST_MATMUL_OBJ.
#pragma once

#include <memory>
#include <vector>

#include "kernel_tiling/kernel_tiling.h"  // IWYU pragma: export
#include "lib/matmul/matmul_client.h"     // IWYU pragma: export
#include "lib/matmul/matmul_config.h"     // IWYU pragma: export
#include "lib/matmul/matmul_impl.h"       // IWYU pragma: export
#include "lib/matmul/matmul_types.h"      // IWYU pragma: export

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
#ifdef ASCENDC_CUBE_ONLY
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#else
using Matmul = MatmulClient<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#endif

namespace simulator {

// Calls f(object, tiling) for each object; nullptr where no tiling stands behind it.
template <class F, class Object, class... More>
void ForMatmulObjects(F&& f, Object& object, More&&... more) {
  if constexpr (sizeof...(More) == 0) {
    f(object, static_cast<const TCubeTiling*>(nullptr));
  } else {
    [&](const TCubeTiling* tiling, auto&&... rest) {
      f(object, tiling);
      if constexpr (sizeof...(rest) > 0) {
        ForMatmulObjects(f, rest...);
      }
    }(more...);
  }
}

// On a cube core of a kernel for these alone, or on the vector cores of a mixed one,
template <class... Objects>
void InitMatmulObjects(TPipe* pipe, SourceLine where, Objects&&... objects) {
  int number = 0;
  ForMatmulObjects(
      [&]<class Object>(Object& object, const TCubeTiling* tiling) {
        object.Connect(number++);
        if (tiling != nullptr || Object::kNeedsNoTiling) {
          object.Init(tiling, pipe, where);
        }
      },
      objects...);
}
// where its cube core serves them.
template <class... Objects>
void ServeMatmulObjects(TPipe* pipe, SourceLine where, Objects&&... objects) {
  MatmulServer server(pipe);
  std::vector<std::unique_ptr<MatmulServed>> served;
  int number = 0;
  ForMatmulObjects(
      [&]<class Object>(Object& /*object*/, const TCubeTiling* /*tiling*/) {
        ThisCore().Require(number < MatmulServer::kMostObjects, tilesim::FaultKind::kLimit,
                           "REGIST_MATMUL_OBJ", "names more than ", MatmulServer::kMostObjects,
                           " objects; register fewer");
        for (int sub_block = 0; sub_block < 2; ++sub_block) {
          served.push_back(std::make_unique<typename Object::Served>());
          server.Add(number, sub_block, served.back().get());
        }
        ++number;
      },
      objects...);
  server.Serve(where);
}

}  // namespace simulator
}  // namespace AscendC

namespace matmul {
using AscendC::Matmul;
}  // namespace matmul

// REGIST_MATMUL_OBJ(pipe, workspace, object 0, tiling 0, object 1, tiling 1, ...): each object is made ready
// with its tiling; the tiling of a single one may be left out. In kernels for cube cores alone the vector
// cores return here; in mixed ones the cube core serves the vector cores here, and returns when they are
// through. The registration lasts as long as the scope that it stands in.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  if ASCEND_IS_AIV {                             \
    return;                                      \
  }                                              \
  static_cast<void>(workspace);                  \
  AscendC::simulator::InitMatmulObjects(tpipe, tilesim::SourceLine::Here(), __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                      \
  AscendC::simulator::MatmulMessages tilesim_matmul_messages(workspace, tilesim::SourceLine::Here()); \
  if ASCEND_IS_AIC {                                                                                  \
    AscendC::simulator::ServeMatmulObjects(tpipe, tilesim::SourceLine::Here(), __VA_ARGS__);          \
    return;                                                                                           \
  }                                                                                                   \
  AscendC::simulator::InitMatmulObjects(tpipe, tilesim::SourceLine::Here(), __VA_ARGS__)
#endif
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ
