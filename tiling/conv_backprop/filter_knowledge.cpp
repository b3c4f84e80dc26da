#include <array>
#include <string_view>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_knowledge.h"

namespace tilesim {
namespace {

using FilterField = KnowledgeField<FilterProblem, FilterTiling>;

KnowledgeValue Al1Bound(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return static_cast<int64_t>(uint64_t{t.stepM} * t.baseM * t.stepKa * t.baseK);
}
KnowledgeValue SplitWo(const FilterProblem& problem, const FilterTiling& /*tiling*/) { return problem.wo; }
KnowledgeValue BatchDout(const FilterProblem& problem, const FilterTiling& tiling) {
  return CeilDiv(problem.batch * problem.dout, tiling.split.batch_dim);
}
KnowledgeValue Never(const FilterProblem& /*problem*/, const FilterTiling& /*tiling*/) { return false; }
KnowledgeValue Enlarged(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  return tiling.split.merged_groups > 1;
}
KnowledgeValue BindDirection(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  return tiling.split.column_first ? 0 : 1;
}

constexpr FilterField Dw(std::string_view name, std::string_view field) {
  return {.name = name, .section = "dwTiling", .field = field};
}
constexpr FilterField Dw(std::string_view name) { return Dw(name, name); }
constexpr FilterField Block(std::string_view name) {
  return {.name = name, .section = "basicBlockTiling", .field = name};
}
constexpr FilterField Computed(std::string_view name, FilterField::Value value) {
  return {.name = name, .value = value};
}
constexpr FilterField Unused(std::string_view name) { return {.name = name}; }

constexpr std::array kFilterKnowledge = {
    Dw("cin1G"),
    Dw("cout1G"),
    Dw("realGroup", "group"),
    Dw("channelSize"),
    Dw("al0Pbuffer"),
    Dw("bl0Pbuffer"),
    Dw("cl0Pbuffer"),
    Dw("al1Pbuffer"),
    Dw("bl1Pbuffer"),
    Dw("baseM"),
    Dw("baseK"),
    Dw("baseN"),
    Dw("m0"),
    Dw("k0"),
    Dw("n0"),
    Dw("stepKa"),
    Dw("stepKb"),
    Dw("iterateOrder"),
    Dw("bl1Bound"),
    Computed("al1Bound", Al1Bound),
    Dw("singleCoreDk"),
    Dw("singleCoreGroup"),
    Dw("singleCoreCout"),
    Dw("singleCoreHo"),
    Computed("splitWo", SplitWo),
    Dw("singleCoreBatch"),
    Dw("singleCoreCin"),
    Computed("singleCoreBatchDout", BatchDout),
    Unused("streamkType"),
    FilterField{.name = "usedCoreNum", .section = "split", .field = "usedCoreNum"},
    Block("singleCoreM"),
    Block("singleCoreN"),
    Block("singleCoreK"),
    Computed("isSplitKernelHW", Never),
    Computed("groupEnlarge", Enlarged),
    Computed("coreBindDirection", BindDirection),
    Unused("reservedParam1"),
    Unused("reservedParam2"),
    Unused("reservedParam3"),
    Unused("reservedParam4"),
    Unused("reservedParam5"),
    Unused("reservedParam6"),
    Unused("reservedParam7"),
    Unused("reservedParam8"),
};
static_assert(kFilterKnowledge.size() == 44);

}  // namespace

std::span<const FilterField> FilterKnowledge() { return kFilterKnowledge; }

KnowledgeRows FilterInfo(const FilterProblem& p) {
  const auto bytes = static_cast<int64_t>(SizeOf(p.dtype));
  constexpr int64_t kOutputBytes = 4;  // the gradient is fp32 always
  return {{"batch", p.batch},
          {"groups", p.groups},
          {"co", p.cout},
          {"ci", p.cin},
          {"dout", p.dout},
          {"wo", p.wo},
          {"ho", p.ho},
          {"wi", p.wi},
          {"hi", p.hi},
          {"di", p.di},
          {"kw", p.wk},
          {"kh", p.hk},
          {"kd", p.dk},
          {"stride_w", p.stride_w},
          {"stride_h", p.stride_h},
          {"stride_d", p.stride_d},
          {"pad_l", p.pad_left},
          {"pad_r", p.pad_right},
          {"pad_u", p.pad_up},
          {"pad_d", p.pad_down},
          {"pad_f", p.pad_front},
          {"pad_b", p.pad_back},
          {"dilation_w", p.dilation_w},
          {"dilation_h", p.dilation_h},
          {"dilation_d", p.dilation_d},
          {"hf32Flag", p.hf32 ? 1 : 0},
          {"a_dtype", VendorCode(p.dtype)},
          {"b_dtype", VendorCode(p.dtype)},
          {"c_dtype", VendorCode(DType::kFp32)},
          {"a_dtype_bytes", bytes},
          {"b_dtype_bytes", bytes},
          {"c_dtype_bytes", kOutputBytes},
          {"fmapFormat", kVendorNdc1hwc0},
          {"dedyFormat", kVendorNdc1hwc0},
          {"filterFormat", kVendorFractalZ3d}};
}

}  // namespace tilesim
