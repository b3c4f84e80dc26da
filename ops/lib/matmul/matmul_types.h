// What the Matmul object is told by types: where its operands are and how they lie, policies and callbacks.
// Names, values and orders of arguments are those of the public interface.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "sim/ascendc/cube_format.h"

enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

inline constexpr int32_t DEFAULT_C0_SIZE = 32;  // bytes of a data block, as kernels with this object name it

enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum IterateMode : uint8_t {
  ITERATE_MODE_NORMAL = 0b00000001,
  ITERATE_MODE_ALL = 0b00000010,
  ITERATE_MODE_BATCH = 0b00000100,
  ITERATE_MODE_N_BATCH = 0b00001000,
  ITERATE_MODE_DEFAULT = 0b11111111
};
enum class BatchMode {
  NONE = 0,
  BATCH_LESS_THAN_L1,
  BATCH_LARGE_THAN_L1,
  SINGLE_LARGE_THAN_L1,
};
enum class BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DEFAULT };

template <TPosition POSITION, CubeFormat FORMAT, class TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = POSITION;
  static constexpr CubeFormat format = FORMAT;
  using T = TYPE;
  static constexpr bool isTrans = ISTRANS;
  static constexpr LayoutMode layout = LAYOUT;
  static constexpr bool ibShare = IBSHARE;
  static constexpr TPosition srcPos = SRCPOS;
};

// Functions of the kernel in place of moves of the object; nullptr: the object's own.
template <void (*DataCopyOut)(const __gm__ void* gm, const LocalTensor<int8_t>& co1,
                              const void* dataCopyOutParams, const uint64_t tilingPtr,
                              const uint64_t dataPtr) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t>& aMatrix, const __gm__ void* gm, int row, int col,
                         int useM, int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t>& bMatrix, const __gm__ void* gm, int row, int col,
                         int useK, int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
  static constexpr auto DataCopyOutPtr = DataCopyOut;
  static constexpr auto CopyA1Ptr = CopyA1;
  static constexpr auto CopyB1Ptr = CopyB1;
};

// Who decides which blocks there are and what stays in L1.
template <const auto& MM_CFG, class IMPL, class A_TYPE, class B_TYPE, class C_TYPE>
struct MatmulPolicy {};
template <const auto& MM_CFG, class IMPL, class A_TYPE, class B_TYPE, class C_TYPE>
struct TrianUpperMatmulPolicy {};
template <const auto& MM_CFG, class IMPL, class A_TYPE, class B_TYPE, class C_TYPE>
struct TrianLowerMatmulPolicy {};
template <const auto& MM_CFG, class IMPL, class A_TYPE, class B_TYPE, class C_TYPE>
struct NBuffer33MatmulPolicy {};

// What a DataCopyOut callback is told of its block: strips of 16 columns, each of `burstLen` data blocks of
// L0C, as FixpipeParams has them, and the distance of rows (ND: elements) or strips (NZ: data blocks) of C.
struct DataCopyOutParams {
  uint8_t quantMode = 0;
  uint16_t cBurstNum = 0;
  uint16_t burstLen = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t oriNSize = 0;
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  int32_t curM = 0;
  int32_t curN = 0;
  uint64_t cbufWorkspaceAddr = 0;
};

namespace simulator {

// Which blocks are left out: a block of rows [m_begin, m_end) and columns [n_begin, n_end) of this core's
// part.
template <template <const auto&, class, class, class, class> class Policy>
struct PolicyOf {
  static constexpr bool kModelled = false;
  static constexpr bool kOfLargeLoads = false;
  static constexpr bool LeavesOut(int64_t, int64_t, int64_t, int64_t) { return false; }
};
template <>
struct PolicyOf<MatmulPolicy> {
  static constexpr bool kModelled = true;
  static constexpr bool kOfLargeLoads = false;
  static constexpr bool LeavesOut(int64_t, int64_t, int64_t, int64_t) { return false; }
};
// What stays in L1 is the tiling's here, too: the values are the policy's, the time is that of MatmulPolicy.
template <>
struct PolicyOf<NBuffer33MatmulPolicy> : PolicyOf<MatmulPolicy> {
  static constexpr bool kOfLargeLoads = true;
};
template <>
struct PolicyOf<TrianUpperMatmulPolicy> : PolicyOf<MatmulPolicy> {
  static constexpr bool LeavesOut(int64_t m_begin, int64_t, int64_t, int64_t n_end) {
    return m_begin >= n_end;
  }
};
template <>
struct PolicyOf<TrianLowerMatmulPolicy> : PolicyOf<MatmulPolicy> {
  static constexpr bool LeavesOut(int64_t, int64_t m_end, int64_t n_begin, int64_t) {
    return n_begin >= m_end;
  }
};

}  // namespace simulator

#define MATMUL_POLICY_TEMPLATE_OF(NAME)              \
  template <const auto&, class, class, class, class> \
  class NAME
#define MATMUL_POLICY_DEFAULT_OF(DEFAULT)            \
  template <const auto&, class, class, class, class> \
  class MATMUL_POLICY = DEFAULT

}  // namespace AscendC

namespace matmul {
using AscendC::BatchMode, AscendC::BatchOutMode, AscendC::DataCopyOutParams, AscendC::IterateMode,
    AscendC::IterateOrder, AscendC::MatmulCallBackFunc, AscendC::MatmulType, AscendC::ScheduleType;
}  // namespace matmul
