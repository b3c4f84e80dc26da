#include <array>
#include <string_view>

#include "tiling/conv_backprop/gradient_knowledge.h"

namespace tilesim {
namespace {

using InputField = KnowledgeField<InputProblem, InputTiling>;

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
KnowledgeValue Never(const InputProblem& /*problem*/, const InputTiling& /*tiling*/) { return false; }

constexpr InputField DxField(std::string_view name) {
  return {.name = name, .section = "conv3DDxTiling", .field = name};
}
constexpr InputField Computed(std::string_view name, InputField::Value value) {
  return {.name = name, .value = value};
}
constexpr InputField Unused(std::string_view name) { return {.name = name}; }
constexpr InputField UnusedFlag(std::string_view name) { return Computed(name, Never); }

constexpr std::array kInputKnowledge = {
    DxField("al0Pbuffer"),
    DxField("bl0Pbuffer"),
    DxField("cl0Pbuffer"),
    DxField("al1Pbuffer"),
    DxField("bl1Pbuffer"),
    DxField("iterateOrder"),
    DxField("c0"),
    Computed("c0BitsA", C0Bits),
    Computed("c0BitsB", C0Bits),
    Computed("enlarge", Enlarge),
    DxField("initOutputFlag"),
    Unused("isBiasFullLoad"),
    Unused("enableVecTrans"),
    Unused("enableFullLoad"),
    Unused("quantMode"),
    Computed("cinG", CinOfGroups),
    Computed("coutG", CoutOfGroups),
    DxField("cout1"),
    DxField("cin1"),
    DxField("cout1G"),
    DxField("cin1G"),
    DxField("backpropPadTail"),
    DxField("backpropPadUp"),
    DxField("backpropPadDown"),
    DxField("backpropPadLeft"),
    DxField("backpropPadRight"),
    DxField("singleCoreGroup"),
    DxField("singleCoreCout"),
    DxField("singleCoreCin"),
    DxField("singleCoreDin"),
    DxField("baseM"),
    DxField("baseK"),
    DxField("baseN"),
    DxField("stepKa"),
    DxField("stepKb"),
    Computed("singleIterateDk", Dk),
    DxField("singleCoreBatch"),
    DxField("singleCoreM"),
    Unused("enRelu"),
    InputField{.name = "coreNum", .section = "split", .field = "usedCoreNum"},
    Unused("kSCoutFullLoad"),
    Unused("kSUseWorkSpace"),
    Unused("loadB2Condition"),
    Unused("loadB1Condition"),
    Unused("kernelSplitMode"),
    UnusedFlag("enableC04Flag"),
    UnusedFlag("enableFullLoadTiling"),
    UnusedFlag("enableVecTransFlag"),
    UnusedFlag("enableSplitKernelFlag"),
    Unused("tilingHkWkMode"),
    Unused("usrSpaceSizeForKernelSplit"),
    Unused("kSegment"),
    Unused("kSegmentTail"),
    Unused("kValueSegment"),
    UnusedFlag("enableSplitK"),
    UnusedFlag("useUbAccumForSplitK"),
    Unused("reservedParam1"),
    Unused("reservedParam2"),
    Unused("reservedParam3"),
    Unused("reservedParam4"),
    Unused("reservedParam5"),
    Unused("reservedParam6"),
    Unused("reservedParam7"),
    Unused("reservedParam8"),
};
static_assert(kInputKnowledge.size() == 64);

}  // namespace

std::span<const InputField> InputKnowledge() { return kInputKnowledge; }

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
