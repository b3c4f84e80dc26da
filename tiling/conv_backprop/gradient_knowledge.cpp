#include "tiling/conv_backprop/gradient_knowledge.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "formats/units.h"

namespace tilesim {
namespace {

// Makers of the rows below, each of a row for every name that it is given.
template <class Problem, class Tiling>
struct KeysOf {
  using Field = KnowledgeField<Problem, Tiling>;

  // Fields of a section of the tiling's text, of the same names.
  template <class... Names>
  static constexpr std::array<Field, sizeof...(Names)> Section(std::string_view section, Names... names) {
    return {Field{.name = names, .section = section, .field = names}...};
  }
  static constexpr std::array<Field, 1> Renamed(std::string_view name, std::string_view section,
                                                std::string_view field) {
    return {Field{.name = name, .section = section, .field = field}};
  }
  template <class... Names>
  static constexpr std::array<Field, sizeof...(Names)> Computed(typename Field::Value value, Names... names) {
    return {Field{.name = names, .value = value}...};
  }
  // Features that tilings here never use: numbers, which are 0, and flags, which are false.
  template <class... Names>
  static constexpr std::array<Field, sizeof...(Names)> Unused(Names... names) {
    return {Field{.name = names}...};
  }
  template <class... Names>
  static constexpr std::array<Field, sizeof...(Names)> UnusedFlags(Names... names) {
    return Computed(Never, names...);
  }

 private:
  static KnowledgeValue Never(const Problem& /*problem*/, const Tiling& /*tiling*/) { return false; }
};
using FilterKeys = KeysOf<FilterProblem, FilterTiling>;
using InputKeys = KeysOf<InputProblem, InputTiling>;

// All the rows, one list behind the other.
template <class Field, size_t... N>
constexpr std::array<Field, (N + ...)> JoinedKeys(const std::array<Field, N>&... rows) {
  std::array<Field, (N + ...)> all;
  auto end = all.begin();
  ((end = std::ranges::copy(rows, end).out), ...);
  return all;
}

KnowledgeValue Al1Bound(const FilterProblem& /*problem*/, const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return static_cast<int64_t>(uint64_t{t.stepM} * t.baseM * t.stepKa * t.baseK);
}
KnowledgeValue SplitWo(const FilterProblem& problem, const FilterTiling& /*tiling*/) { return problem.wo; }
KnowledgeValue BatchDout(const FilterProblem& problem, const FilterTiling& tiling) {
  return CeilDiv(problem.batch * problem.dout, tiling.split.batch_dim);
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

constexpr auto kFilterKnowledge = JoinedKeys(
    FilterKeys::Section("dwTiling", "cin1G", "cout1G"), FilterKeys::Renamed("realGroup", "dwTiling", "group"),
    FilterKeys::Section("dwTiling", "channelSize", "al0Pbuffer", "bl0Pbuffer", "cl0Pbuffer", "al1Pbuffer",
                        "bl1Pbuffer", "baseM", "baseK", "baseN", "m0", "k0", "n0", "stepKa", "stepKb",
                        "iterateOrder", "bl1Bound"),
    FilterKeys::Computed(Al1Bound, "al1Bound"),
    FilterKeys::Section("dwTiling", "singleCoreDk", "singleCoreGroup", "singleCoreCout", "singleCoreHo"),
    FilterKeys::Computed(SplitWo, "splitWo"),
    FilterKeys::Section("dwTiling", "singleCoreBatch", "singleCoreCin"),
    FilterKeys::Computed(BatchDout, "singleCoreBatchDout"), FilterKeys::Unused("streamkType"),
    FilterKeys::Section("split", "usedCoreNum"),
    FilterKeys::Section("basicBlockTiling", "singleCoreM", "singleCoreN", "singleCoreK"),
    FilterKeys::UnusedFlags("isSplitKernelHW"), FilterKeys::Computed(Enlarged, "groupEnlarge"),
    FilterKeys::Computed(BindDirection, "coreBindDirection"),
    FilterKeys::Unused("reservedParam1", "reservedParam2", "reservedParam3", "reservedParam4",
                       "reservedParam5", "reservedParam6", "reservedParam7", "reservedParam8"));
static_assert(kFilterKnowledge.size() == 44);

constexpr auto kInputKnowledge =
    JoinedKeys(InputKeys::Section("conv3DDxTiling", "al0Pbuffer", "bl0Pbuffer", "cl0Pbuffer", "al1Pbuffer",
                                  "bl1Pbuffer", "iterateOrder", "c0"),
               InputKeys::Computed(C0Bits, "c0BitsA", "c0BitsB"), InputKeys::Computed(Enlarge, "enlarge"),
               InputKeys::Section("conv3DDxTiling", "initOutputFlag"),
               InputKeys::Unused("isBiasFullLoad", "enableVecTrans", "enableFullLoad", "quantMode"),
               InputKeys::Computed(CinOfGroups, "cinG"), InputKeys::Computed(CoutOfGroups, "coutG"),
               InputKeys::Section("conv3DDxTiling", "cout1", "cin1", "cout1G", "cin1G", "backpropPadTail",
                                  "backpropPadUp", "backpropPadDown", "backpropPadLeft", "backpropPadRight",
                                  "singleCoreGroup", "singleCoreCout", "singleCoreCin", "singleCoreDin",
                                  "baseM", "baseK", "baseN", "stepKa", "stepKb"),
               InputKeys::Computed(Dk, "singleIterateDk"),
               InputKeys::Section("conv3DDxTiling", "singleCoreBatch", "singleCoreM"),
               InputKeys::Unused("enRelu"), InputKeys::Renamed("coreNum", "split", "usedCoreNum"),
               InputKeys::Unused("kSCoutFullLoad", "kSUseWorkSpace", "loadB2Condition", "loadB1Condition",
                                 "kernelSplitMode"),
               InputKeys::UnusedFlags("enableC04Flag", "enableFullLoadTiling", "enableVecTransFlag",
                                      "enableSplitKernelFlag"),
               InputKeys::Unused("tilingHkWkMode", "usrSpaceSizeForKernelSplit", "kSegment", "kSegmentTail",
                                 "kValueSegment"),
               InputKeys::UnusedFlags("enableSplitK", "useUbAccumForSplitK"),
               InputKeys::Unused("reservedParam1", "reservedParam2", "reservedParam3", "reservedParam4",
                                 "reservedParam5", "reservedParam6", "reservedParam7", "reservedParam8"));
static_assert(kInputKnowledge.size() == 64);

}  // namespace

std::span<const FilterKeys::Field> FilterKnowledge() { return kFilterKnowledge; }

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

std::span<const InputKeys::Field> InputKnowledge() { return kInputKnowledge; }

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
