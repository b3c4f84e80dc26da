// Forwards to the whole kernel-facing API: kernels include it by habit. Of the matmul object API nothing is
// offered: what uses it is refused by its name.
#pragma once

#include "sim/ascendc/kernel_operator.h"  // IWYU pragma: export

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR };

namespace AscendC {

template <TPosition position, CubeFormat format, class T, auto... more>
struct MatmulType;
template <class... Types>
class Matmul {
  static_assert(
      internal::kHere<Types...>,
      "tilesim does not have the Matmul object (lib/matmul_intf.h): write the product with DataCopy, "
      "LoadData, Mmad and Fixpipe");
};
template <class... Types>
using MatmulImpl = Matmul<Types...>;

}  // namespace AscendC

namespace matmul {
using AscendC::Matmul;
using AscendC::MatmulImpl;
using AscendC::MatmulType;
}  // namespace matmul
#ifndef REGIST_MATMUL_OBJ
#define REGIST_MATMUL_OBJ(...) \
  static_assert(               \
      false, "tilesim does not have the Matmul object (lib/matmul_intf.h) that REGIST_MATMUL_OBJ registers")
#endif
