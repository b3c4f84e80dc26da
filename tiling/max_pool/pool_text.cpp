#include "tiling/max_pool/pool_text.h"

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr auto kPoolFields = FieldsOf<MaxPool3DWithArgmaxTilingData, uint64_t>(
    "data",
    "nc dx hx wx kd kh kw sd sh sw pf pb pl pr pt pd dy hy wy ncFactor ncTail ncOuter dyFactor dyTail "
    "dyOuter hyFactor hyTail hyOuter wyFactor wyTail wyOuter blockFactor blockTail totalIdx coreNums "
    "inputBufferSize outputMaxBufferSize outputIndiceBufferSize indiceTempBufferSize maskBufferSize "
    "dD dH dW partD partH partW");

constexpr auto kGradFields = FieldsOf<MaxPool3DGradWithArgmaxTilingData, uint64_t>(
    "data",
    "ncDim diDim hiDim wiDim doDim hoDim woDim kd kh kw sd sh sw padDTop padHTop padWTop padDBottom "
    "padHBottom padWBottom baseNc baseDo baseHo baseWo ncTail doTail hoTail woTail ncCnt doCnt hoCnt "
    "woCnt totalCnt usedCoreNum totalUBSize singleCoreNc singleCoreDo singleCoreHo singleCoreWo "
    "ncRound ncRoundTail totalRound preCoreNum");

// What text says in words, each list in the order of the numbers that it stands for.
constexpr std::array<std::string_view, 2> kLaneWords = {"nc", "c"};  // of all n, or within one n
constexpr std::array<std::string_view, 2> kNanWords = {"propagate", "ignore"};
constexpr std::array<std::string_view, 2> kSourceWords = {"given", "x"};  // of an argmax

constexpr std::string_view kPooling = "pooling";  // the section of tilings in two phases

}  // namespace

template <>
std::span<const TilingField> FieldsIn<MaxPool3DWithArgmaxTilingData>() {
  return kPoolFields;
}
template <>
std::span<const TilingField> FieldsIn<MaxPool3DGradWithArgmaxTilingData>() {
  return kGradFields;
}

template <>
std::span<const TilingField> FieldsIn<MaxPoolSplit>() {
  using Split = MaxPoolSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), kMaxPoolStrategyNames),
      SplitWord("lanes", TILESIM_MEMBER(Split, channels_last), kLaneWords),
      SplitWord("nan", TILESIM_MEMBER(Split, ignores_nan), kNanWords),
      SplitWord("argmax", TILESIM_MEMBER(Split, index), kPoolIndexNames),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores)),
      SplitNumber("batch", TILESIM_MEMBER(Split, batch)),
      SplitNumber("channels", TILESIM_MEMBER(Split, channels)),
      SplitNumber("storeRows", TILESIM_MEMBER(Split, store_rows)),
  };
  return kSplitFields;
}

template <>
std::span<const TilingField> FieldsIn<PoolGradSplit>() {
  using Split = PoolGradSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), kPoolGradStrategyNames),
      SplitWord("lanes", TILESIM_MEMBER(Split, channels_last), kLaneWords),
      SplitWord("nan", TILESIM_MEMBER(Split, ignores_nan), kNanWords),
      SplitWord("argmax", TILESIM_MEMBER(Split, argmax_order), kPoolIndexNames),
      SplitWord("argmaxFrom", TILESIM_MEMBER(Split, recomputes), kSourceWords),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores)),
      SplitNumber("dilationD", TILESIM_MEMBER(Split, dilation_d)),
      SplitNumber("dilationH", TILESIM_MEMBER(Split, dilation_h)),
      SplitNumber("dilationW", TILESIM_MEMBER(Split, dilation_w)),
      SplitNumber("channels", TILESIM_MEMBER(Split, channels)),
      SplitNumber("cutD", TILESIM_MEMBER(Split, cut_d)),
      SplitNumber("cutH", TILESIM_MEMBER(Split, cut_h)),
      SplitNumber("cutW", TILESIM_MEMBER(Split, cut_w)),
      SplitNumber("partDo", TILESIM_MEMBER(Split, part_do)),
      SplitNumber("partHo", TILESIM_MEMBER(Split, part_ho)),
      SplitNumber("partWo", TILESIM_MEMBER(Split, part_wo)),
      SplitNumber("outPoints", TILESIM_MEMBER(Split, out_points)),
      SplitNumber("xRows", TILESIM_MEMBER(Split, x_rows)),
      SplitNumber("xTaps", TILESIM_MEMBER(Split, x_taps)),
      SplitNumber("tapTable", TILESIM_MEMBER(Split, tap_table)),
  };
  return kSplitFields;
}

std::string JsonOf(const MaxPoolGradTiling& tiling) {
  std::string text = JsonOfDataAndSplit(tiling);
  if (tiling.pooling) {
    text.pop_back();
    text += Say(",\"", kPooling, "\":", JsonOf(*tiling.pooling), "}");
  }
  return text;
}

MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where) {
  MaxPoolGradTiling result;
  MaxPoolTiling pooling;
  bool two_phases = false;
  const TilingPartToRead parts[] = {
      {FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), &result.data},
      {FieldsIn<PoolGradSplit>(), &result.split},
      {FieldsIn<MaxPool3DWithArgmaxTilingData>(), &pooling.data, &two_phases, kPooling},
      {FieldsIn<MaxPoolSplit>(), &pooling.split, &two_phases, kPooling}};
  ReadTiling(text, where, parts);
  if (two_phases) {
    result.pooling = pooling;
  }
  return result;
}

std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling) {
  const auto gradient = ToBytes(tiling.data);
  std::vector<std::byte> bytes(gradient.begin(), gradient.end());
  if (tiling.pooling) {
    const auto pooling = ToBytes(tiling.pooling->data);
    bytes.insert(bytes.end(), pooling.begin(), pooling.end());
  }
  return bytes;
}

}  // namespace tilesim
