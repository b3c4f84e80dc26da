#pragma once
// The documented tiling classes of the Matmul object: setters, then GetTiling. MatmulApiTiling plans the
// product of one core, MultiCoreMatmulTiling one that cores share, BatchMatmulTiling the products of one
// IterateBatch.
//
// Extents and sizes are elements, memories bytes; -1 leaves a size to the planner. Setters return 0, or -1
// for what is wrong by itself; GetTiling returns 0 and a complete tiling, or -1 and leaves `tiling` as it
// was. What a return value does not say, reasons() does, and stderr, a line a rule. Answers are legal tilings
// of this part that promise most; the device's own may be others.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "sim/soc/soc_config.h"
#include "tiling/matmul_api/cube_tilingdata.h"
#include "tiling/matmul_api/matmul_request.h"
#include "tiling/matmul_api/matmul_words.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

// Memory sizes in bytes filled in by hand; a PlatformAscendC is the better way. Defaults: 910B.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 524288;
  uint64_t l0CSize = 131072;
  uint64_t ubSize = 196608;
  uint64_t l0ASize = 65536;
  uint64_t l0BSize = 65536;
};

struct MatmulConfigParams {
  int32_t mmConfigType = 1;  // 0: Norm, 1: MDL
  bool enableL1CacheUB = false;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  MatrixTraverse traverse = MatrixTraverse::NOSET;
  bool enVecND2NZ = false;
};

// Bytes of the memories that a tiling takes on one core.
struct SysTilingTempBufSize {
  int32_t ubSize = 0;
  int32_t l1Size = 0;
  int32_t l0cSize = 0;
};

class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();  // of the part that the program runs on
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase() = default;

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    return Take(request_.a, {true, pos, type, dataType, isTrans});
  }
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    return Take(request_.b, {true, pos, type, dataType, isTrans});
  }
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    return Take(request_.c, {true, pos, type, dataType, false});
  }
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    return Take(request_.bias, {true, pos, type, dataType, false});
  }
  int32_t SetDequantType(DequantType dequantType);

  int32_t SetShape(int32_t m, int32_t n, int32_t k) {
    return SetSizes("SetShape", request_.shape, {"m", m}, {"n", n}, {"k", k});
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
  int32_t EnableBias(bool isBiasIn = false) { return Take(request_.has_bias, isBiasIn); }
  int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1) {
    return SetSizes("SetFixSplit", request_.base, {"baseM", baseMIn}, {"baseN", baseNIn}, {"baseK", baseKIn});
  }
  int32_t SetTraverse(MatrixTraverse traverse) { return Take(request_.traverse, traverse); }
  int32_t SetMadType(MatrixMadType madType);
  int32_t SetSparse(bool isSparseIn = false) { return Take(request_.sparse, isSparseIn); }
  // Both are without effect, as they are in the vendor's class: SetFixSplit fixes a block, and two copies are
  // taken where they fit.
  int32_t SetSplitRange(int32_t /*maxBaseM*/ = -1, int32_t /*maxBaseN*/ = -1, int32_t /*maxBaseK*/ = -1,
                        int32_t /*minBaseM*/ = -1, int32_t /*minBaseN*/ = -1, int32_t /*minBaseK*/ = -1) {
    return 0;
  }
  int32_t SetDoubleBuffer(bool /*a*/, bool /*b*/, bool /*c*/, bool /*bias*/, bool /*transND2NZ*/ = true,
                          bool /*transNZ2ND*/ = true) {
    return 0;
  }
  int32_t SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                                ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                                MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                                bool enVecND2NZIn = false) {
    return SetMatmulConfigParams(
        {mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn});
  }
  int32_t SetMatmulConfigParams(const MatmulConfigParams& configParams);
  // Other parts have banks in L1: without effect on this one.
  int32_t EnableL1BankConflictOptimise() { return 0; }

  // The axes of batches, in the order in which they lie in memory for layout BSNGD.
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return SetLayout("SetALayout", {b, s, n, g, d}, request_.a_layout);
  }
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return SetLayout("SetBLayout", {b, s, n, g, d}, request_.b_layout);
  }
  int32_t SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2) {
    return SetLayout("SetCLayout", {b, s1, n, g, s2}, request_.c_layout);
  }
  // Batches one behind the other, of A (m, k) and of B (k, n); the product is told by it, too.
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
  int32_t SetBatchNum(int32_t batch);

  virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
  virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

  // Of the last tiling.
  int32_t GetBaseM() const { return plan_.tiling.baseM; }
  int32_t GetBaseN() const { return plan_.tiling.baseN; }
  int32_t GetBaseK() const { return plan_.tiling.baseK; }
  // Why there was none. Ours: the vendor's class has no such call.
  [[nodiscard]] const tilesim::Rejections& reasons() const { return reasons_; }

 protected:
  [[nodiscard]] tilesim::MatmulApiRequest& request() { return request_; }
  [[nodiscard]] const tilesim::MatmulApiPlan& plan() const { return plan_; }
  // 0, or -1 where there is no tiling yet.
  int32_t RequirePlan(std::string_view getter) const;
  struct Size {
    std::string_view name;
    int64_t size;
  };
  // 0 where each size is -1 or at least `least`, else -1, and a line on stderr for each that is not.
  static int32_t CheckAll(std::string_view setter, std::initializer_list<Size> sizes, int64_t least = 1);
  // The same, and else `extents` become these.
  static int32_t SetSizes(std::string_view setter, tilesim::MatmulApiExtents& extents, const Size& m,
                          const Size& n, const Size& k);

  // The same of axes.
  using Layout = std::array<int32_t, 5>;
  static int32_t SetLayout(std::string_view setter, const Layout& axes, Layout& layout);
  // 0, and `field` becomes `value`.
  template <class T>
  static int32_t Take(T& field, const std::type_identity_t<T>& value) {
    field = value;
    return 0;
  }

 private:
  int64_t Plan();

  tilesim::SocConfig soc_;
  tilesim::MatmulApiRequest request_;
  tilesim::MatmulApiPlan plan_;  // the last one that there was
  tilesim::Rejections reasons_;
};

class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  // Cores that may take part: AICs of a kernel for them alone, AIVs of a mixed one.
  int32_t SetDim(int32_t dim);
  int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1) {
    return SetSizes("SetSingleShape", request().single, {"singleM", singleMIn}, {"singleN", singleNIn},
                    {"singleK", singleKIn});
  }
  int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                         int32_t minN = -1, int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    return SetSizes("SetAlignSplit", request().align_single, {"alignM", alignM}, {"alignN", alignN},
                    {"alignK", alignK});
  }
  // Cores may then share K: the kernel clears C before, and adds to it.
  int32_t EnableMultiCoreSplitK(bool flag) { return Take(request().splits_k, flag); }
  int32_t SetSplitK(bool flag) { return EnableMultiCoreSplitK(flag); }

  // Of the last tiling: the cores that take part, and into how many parts M and N are cut.
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const;
  int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) const;
};

class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                     int32_t& batchCoreN) const;
};

}  // namespace matmul_tiling

// What a tiling takes on one core; 0, or -1 where it is none. All of them give the same figures.
int32_t MatmulGetTmpBufSize(const optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(const AscendC::tiling::TCubeTiling& tiling,
                              matmul_tiling::SysTilingTempBufSize& bufSize);
#define TILESIM_TMP_BUF_SIZE(NAME, TILING, OF_MATMUL)                                       \
  inline int32_t NAME(const TILING& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) { \
    return OF_MATMUL(tiling, bufSize);                                                      \
  }
TILESIM_TMP_BUF_SIZE(MultiCoreMatmulGetTmpBufSize, optiling::TCubeTiling, MatmulGetTmpBufSize)
TILESIM_TMP_BUF_SIZE(BatchMatmulGetTmpBufSize, optiling::TCubeTiling, MatmulGetTmpBufSize)
TILESIM_TMP_BUF_SIZE(MultiCoreMatmulGetTmpBufSizeV2, AscendC::tiling::TCubeTiling, MatmulGetTmpBufSizeV2)
TILESIM_TMP_BUF_SIZE(BatchMatmulGetTmpBufSizeV2, AscendC::tiling::TCubeTiling, MatmulGetTmpBufSizeV2)
#undef TILESIM_TMP_BUF_SIZE
