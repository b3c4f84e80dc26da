#include "tiling/conv_backprop/gradient_knowledge.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include "formats/units.h"
#include "tiling/tiling_field.h"

namespace tilesim {
namespace {

using FilterField = KnowledgeField<FilterProblem, FilterTiling>;
using InputField = KnowledgeField<InputProblem, InputTiling>;

// A row for each word of the names; of a section without a field it is the field of that name.
template <class Field>
std::vector<Field> EachKey(std::initializer_list<Field> rows) {
  std::vector<Field> keys;
  for (const Field& row : rows) {
    for (size_t i = 0; !WordAt(row.name, i).empty(); ++i) {
      Field& key = keys.emplace_back(row);
      key.name = WordAt(row.name, i);
      key.field = row.section.empty() || !row.field.empty() ? row.field : key.name;
    }
  }
  return keys;
}

KnowledgeValue Al1Bound(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return static_cast<int64_t>(uint64_t{t.stepM} * t.baseM * t.stepKa * t.baseK);
}
KnowledgeValue SplitWo(const FilterProblem& problem, const FilterTiling& /*tiling*/) { return problem.wo; }
KnowledgeValue BatchDout(const FilterProblem& problem, const FilterTiling& tiling) {
  return CeilDiv(problem.batch * problem.dout, tiling.split.batch_dim);
}
template <class Problem, class Tiling>
KnowledgeValue Never(const Problem& /*problem*/, const Tiling& /*tiling*/) {
  return false;
}
KnowledgeValue Enlarged(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  return tiling.split.merged_groups > 1;
}
KnowledgeValue BindDirection(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  return tiling.split.column_first ? 0 : 1;
}

KnowledgeValue Enlarge(const InputProblem& /*problem*/, const InputTiling& tiling) {
  return tiling.split.merged_groups;
}
KnowledgeValue CinOfGroups(const InputProblem& problem, const InputTiling& tiling) {
  return problem.cin / problem.groups * tiling.split.merged_groups;
}
KnowledgeValue CoutOfGroups(const InputProblem& problem, const InputTiling& tiling) {
  return problem.cout / problem.groups * tiling.split.merged_groups;
}
KnowledgeValue C0Bits(const InputProblem& /*problem*/, const InputTiling& tiling) {
  return tiling.data.conv3DDxTiling.c0Bits;
}
KnowledgeValue Dk(const InputProblem& problem, const InputTiling& /*tiling*/) { return problem.dk; }

}  // namespace

std::span<const FilterField> FilterKnowledge() {
  static const std::vector<FilterField> kKeys = EachKey<FilterField>({
      {"cin1G cout1G", "dwTiling"},
      {"realGroup", "dwTiling", "group"},
      {"channelSize al0Pbuffer bl0Pbuffer cl0Pbuffer al1Pbuffer bl1Pbuffer baseM baseK baseN m0 "
       "k0 n0 stepKa stepKb iterateOrder bl1Bound",
       "dwTiling"},
      {"al1Bound", "", "", Al1Bound},
      {"singleCoreDk singleCoreGroup singleCoreCout singleCoreHo", "dwTiling"},
      {"splitWo", "", "", SplitWo},
      {"singleCoreBatch singleCoreCin", "dwTiling"},
      {"singleCoreBatchDout", "", "", BatchDout},
      {"streamkType"},
      {"usedCoreNum", "split", "usedCoreNum"},
      {"singleCoreM singleCoreN singleCoreK", "basicBlockTiling"},
      {"isSplitKernelHW", "", "", Never},
      {"groupEnlarge", "", "", Enlarged},
      {"coreBindDirection", "", "", BindDirection},
      {"reservedParam1 reservedParam2 reservedParam3 reservedParam4 reservedParam5 "
       "reservedParam6 reservedParam7 reservedParam8"},
  });
  return kKeys;
}

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

std::span<const InputField> InputKnowledge() {
  static const std::vector<InputField> kKeys = EachKey<InputField>({
      {"al0Pbuffer bl0Pbuffer cl0Pbuffer al1Pbuffer bl1Pbuffer iterateOrder c0", "conv3DDxTiling"},
      {"c0BitsA", "", "", C0Bits},
      {"c0BitsB", "", "", C0Bits},
      {"enlarge", "", "", Enlarge},
      {"initOutputFlag", "conv3DDxTiling"},
      {"isBiasFullLoad enableVecTrans enableFullLoad quantMode"},
      {"cinG", "", "", CinOfGroups},
      {"coutG", "", "", CoutOfGroups},
      {"cout1 cin1 cout1G cin1G backpropPadTail backpropPadUp backpropPadDown backpropPadLeft "
       "backpropPadRight singleCoreGroup singleCoreCout singleCoreCin singleCoreDin baseM baseK "
       "baseN stepKa stepKb",
       "conv3DDxTiling"},
      {"singleIterateDk", "", "", Dk},
      {"singleCoreBatch singleCoreM", "conv3DDxTiling"},
      {"enRelu"},
      {"coreNum", "split", "usedCoreNum"},
      {"kSCoutFullLoad kSUseWorkSpace loadB2Condition loadB1Condition kernelSplitMode"},
      {"enableC04Flag enableFullLoadTiling enableVecTransFlag enableSplitKernelFlag", "", "", Never},
      {"tilingHkWkMode usrSpaceSizeForKernelSplit kSegment kSegmentTail kValueSegment"},
      {"enableSplitK useUbAccumForSplitK", "", "", Never},
      {"reservedParam1 reservedParam2 reservedParam3 reservedParam4 reservedParam5 "
       "reservedParam6 reservedParam7 reservedParam8"},
  });
  return kKeys;
}

KnowledgeRows InputInfo(const InputProblem& p) {
  const auto bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const BackpropPads pads_d = BackpropPadsOf(AxisD(p));
  const BackpropPads pads_h = BackpropPadsOf(AxisH(p));
  const BackpropPads pads_w = BackpropPadsOf(AxisW(p));
  return {{"batch_n", p.batch},
          {"groups", p.groups},
          {"dedx_d", p.di},
          {"dedx_cin", p.cin},
          {"dedx_h", p.hi},
          {"dedx_w", p.wi},
          {"dedy_d", p.dout},
          {"dedy_cout", p.cout},
          {"dedy_h", p.ho},
          {"dedy_w", p.wo},
          {"kernel_d", p.dk},
          {"kernel_h", p.hk},
          {"kernel_w", p.wk},
          {"stride_d", p.stride_d},
          {"stride_h", p.stride_h},
          {"stride_w", p.stride_w},
          {"pad_h", p.pad_front},
          {"pad_t", p.pad_back},
          {"pad_u", p.pad_up},
          {"pad_d", p.pad_down},
          {"pad_l", p.pad_left},
          {"pad_r", p.pad_right},
          {"dilation_d", p.dilation_d},
          {"dilation_h", p.dilation_h},
          {"dilation_w", p.dilation_w},
          {"backprop_pad_h", pads_d.before},
          {"backprop_pad_t", pads_d.after},
          {"backprop_pad_u", pads_h.before},
          {"backprop_pad_d", pads_h.after},
          {"backprop_pad_l", pads_w.before},
          {"backprop_pad_r", pads_w.after},
          {"hf32_flag", p.hf32 ? 1 : 0},
          {"a_dtype_bytes", bytes},
          {"b_dtype_bytes", bytes},
          {"c_dtype_bytes", bytes},
          {"outBackpropFormat", kVendorNdc1hwc0},
          {"filterFormat", kVendorFractalZ3d},
          {"yFormat", kVendorNdc1hwc0}};
}

}  // namespace tilesim
