#include "tiling/matmul_api/matmul_api_tiling.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "formats/error.h"

namespace matmul_tiling {
namespace {

void Tell(std::string_view sentence) {
  std::fprintf(stderr, "matmul tiling: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}
// -1, and the words on stderr.
int32_t Refuse(const auto&... words) {
  Tell(tilesim::Say(words...));
  return -1;
}
tilesim::SocConfig WithMemories(const PlatformInfo& platform) {
  tilesim::SocConfig soc = platform_ascendc::PlatformAscendC().soc();
  soc.l1_bytes = static_cast<int64_t>(platform.l1Size);
  soc.l0c_bytes = static_cast<int64_t>(platform.l0CSize);
  soc.ub_bytes = static_cast<int64_t>(platform.ubSize);
  soc.l0a_bytes = static_cast<int64_t>(platform.l0ASize);
  soc.l0b_bytes = static_cast<int64_t>(platform.l0BSize);
  return soc;
}

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase() : soc_(platform_ascendc::PlatformAscendC().soc()) {}
MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : soc_(ascendcPlatform.soc()) {}
MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : soc_(WithMemories(platform)) {}

int32_t MatmulApiTilingBase::CheckAll(std::string_view setter, std::initializer_list<Size> sizes,
                                      int64_t least) {
  int32_t result = 0;
  for (const Size& size : sizes) {
    if (size.size != -1 && size.size < least) {
      result = Refuse(setter, ": ", size.name, " is ", size.size, ", must be at least ", least,
                      ", or -1, which leaves it to the planner");
    }
  }
  return result;
}
int32_t MatmulApiTilingBase::SetLayout(std::string_view setter, const Layout& axes, Layout& layout) {
  for (const int32_t axis : axes) {
    if (axis < 0) {
      return Refuse(setter, ": an axis has ", axis, " elements, none has fewer than 0");
    }
  }
  return Take(layout, axes);
}
int32_t MatmulApiTilingBase::SetSizes(std::string_view setter, tilesim::MatmulApiExtents& extents,
                                      const Size& m, const Size& n, const Size& k) {
  return CheckAll(setter, {m, n, k}) != 0 ? -1 : Take(extents, {m.size, n.size, k.size});
}

// Scales are applied on the way out of L0C: no size depends on it.
int32_t MatmulApiTilingBase::SetDequantType(DequantType dequantType) {
  return dequantType == DequantType::SCALAR || dequantType == DequantType::TENSOR
             ? 0
             : Refuse("SetDequantType: found ", static_cast<int>(dequantType), ", must be SCALAR or TENSOR");
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
  if (CheckAll("SetOrgShape", {{"M", orgMIn}, {"N", orgNIn}, {"Ka", orgKaIn}, {"Kb", orgKbIn}}) != 0) {
    return -1;
  }
  request_.whole = {orgMIn, orgNIn, orgKaIn};
  request_.whole_kb = orgKbIn;
  return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t btSize) {
  if (CheckAll("SetBufferSpace",
               {{"l1Size", l1Size}, {"l0CSize", l0CSize}, {"ubSize", ubSize}, {"btSize", btSize}}, 0) != 0) {
    return -1;
  }
  request_.l1_bytes = l1Size;
  request_.l0c_bytes = l0CSize;
  request_.ub_bytes = ubSize;
  request_.bt_bytes = btSize;
  return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType madType) {
  if (madType == MatrixMadType::MXMODE) {
    return Refuse("SetMadType: this part (arch 2201) has no MXMODE; NORMAL and HF32 fit");
  }
  return Take(request_.hf32, madType == MatrixMadType::HF32);
}

int32_t MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
  if (configParams.mmConfigType != 0 && configParams.mmConfigType != 1) {
    return Refuse("SetMatmulConfigParams: mmConfigType is ", configParams.mmConfigType,
                  ", must be 0 (Norm) or 1 (MDL)");
  }
  if (configParams.enableL1CacheUB || configParams.enVecND2NZ) {
    return Refuse(
        "SetMatmulConfigParams: this part (arch 2201) has no L1CacheUB and no VecND2NZ; false fits");
  }
  if (configParams.scheduleType == ScheduleType::OUTER_PRODUCT) {
    return Refuse("SetMatmulConfigParams: tilesim does not model OUTER_PRODUCT; INNER_PRODUCT fits");
  }
  return configParams.traverse == MatrixTraverse::NOSET ? 0 : SetTraverse(configParams.traverse);
}

int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n,
                                                   int32_t k) {
  if (batchA < 1 || batchB < 1 || std::max(batchA, batchB) % std::min(batchA, batchB) != 0) {
    return Refuse("SetBatchInfoForNormal: ", batchA, " and ", batchB,
                  " batches; of the two one is a multiple of the other, both at least 1");
  }
  if (m < 1 || n < 1 || k < 1) {
    return Refuse("SetBatchInfoForNormal: m, n and k are ", m, ", ", n, " and ", k,
                  ", each must be at least 1");
  }
  request_.shape = {m, n, k};
  request_.a_layout = {batchA, m, 1, 1, k};
  request_.b_layout = {batchB, n, 1, 1, k};
  request_.c_layout = {std::max(batchA, batchB), m, 1, 1, n};
  return 0;
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
  return batch < 1 ? Refuse("SetBatchNum: found ", batch, ", must be at least 1")
                   : Take(request_.batches, batch);
}

int64_t MatmulApiTilingBase::Plan() {
  tilesim::MatmulApiPlan plan = tilesim::PlanMatmulApi(request_, soc_);
  reasons_ = std::move(plan.reasons);
  if (!reasons_.empty()) {
    for (const std::string& sentence : tilesim::SentencesOf(reasons_)) {
      Tell(sentence);
    }
    return -1;
  }
  plan_ = std::move(plan);
  return 0;
}

int32_t MatmulApiTilingBase::RequirePlan(std::string_view getter) const {
  return plan_.tiling.usedCoreNum != 0 ? 0 : Refuse(getter, ": there is no tiling yet; call GetTiling first");
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  const int64_t result = Plan();
  if (result == 0) {
    tiling.LoadFromBuffer(&plan_.tiling, sizeof plan_.tiling);
  }
  return result;
}
int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) {
  const int64_t result = Plan();
  if (result == 0) {
    tiling = plan_.tiling;
  }
  return result;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
  return dim < 1 ? Refuse("SetDim: found ", dim, " cores, must be at least 1") : Take(request().cores, dim);
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t minM,
                                              int32_t minN, int32_t minK) {
  if (CheckAll(
          "SetSingleRange",
          {{"maxM", maxM}, {"maxN", maxN}, {"maxK", maxK}, {"minM", minM}, {"minN", minN}, {"minK", minK}}) !=
      0) {
    return -1;
  }
  request().most_single = {maxM, maxN, maxK};
  request().least_single = {minM, minN, minK};
  return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const {
  if (RequirePlan("GetCoreNum") != 0) {
    return -1;
  }
  dim = plan().tiling.usedCoreNum;
  mDim = plan().m_dim;
  nDim = plan().n_dim;
  return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) const {
  if (RequirePlan("GetSingleShape") != 0) {
    return -1;
  }
  shapeM = plan().tiling.singleCoreM;
  shapeN = plan().tiling.singleCoreN;
  shapeK = plan().tiling.singleCoreK;
  return 0;
}

// All batches are one core's.
int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                                      int32_t& batchCoreN) const {
  if (RequirePlan("GetCoreNum") != 0) {
    return -1;
  }
  dim = mDim = nDim = batchCoreM = batchCoreN = 1;
  return 0;
}

}  // namespace matmul_tiling

int32_t MatmulGetTmpBufSizeV2(const AscendC::tiling::TCubeTiling& tiling,
                              matmul_tiling::SysTilingTempBufSize& bufSize) {
  if (tiling.shareL1Size <= 0 || tiling.shareL0CSize <= 0) {
    return matmul_tiling::Refuse("GetTmpBufSize: the tiling has no sizes; GetTiling fills them");
  }
  bufSize = {.ubSize = tiling.shareUbSize, .l1Size = tiling.shareL1Size, .l0cSize = tiling.shareL0CSize};
  return 0;
}
int32_t MatmulGetTmpBufSize(const optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize) {
  AscendC::tiling::TCubeTiling plain;
  tiling.SaveToBuffer(&plain, sizeof plain);
  return MatmulGetTmpBufSizeV2(plain, bufSize);
}
