#include "tiling/max_pool/max_pool_grad_fields.h"

#include <array>
#include <cstddef>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using Data = MaxPool3DGradWithArgmaxTilingData;

constexpr TilingField Field(std::string_view name, size_t offset) { return {"data", name, offset, 8}; }

constexpr std::array kFields = {
    Field("ncDim", offsetof(Data, ncDim)),
    Field("diDim", offsetof(Data, diDim)),
    Field("hiDim", offsetof(Data, hiDim)),
    Field("wiDim", offsetof(Data, wiDim)),
    Field("doDim", offsetof(Data, doDim)),
    Field("hoDim", offsetof(Data, hoDim)),
    Field("woDim", offsetof(Data, woDim)),
    Field("kd", offsetof(Data, kd)),
    Field("kh", offsetof(Data, kh)),
    Field("kw", offsetof(Data, kw)),
    Field("sd", offsetof(Data, sd)),
    Field("sh", offsetof(Data, sh)),
    Field("sw", offsetof(Data, sw)),
    Field("padDTop", offsetof(Data, padDTop)),
    Field("padHTop", offsetof(Data, padHTop)),
    Field("padWTop", offsetof(Data, padWTop)),
    Field("padDBottom", offsetof(Data, padDBottom)),
    Field("padHBottom", offsetof(Data, padHBottom)),
    Field("padWBottom", offsetof(Data, padWBottom)),
    Field("baseNc", offsetof(Data, baseNc)),
    Field("baseDo", offsetof(Data, baseDo)),
    Field("baseHo", offsetof(Data, baseHo)),
    Field("baseWo", offsetof(Data, baseWo)),
    Field("ncTail", offsetof(Data, ncTail)),
    Field("doTail", offsetof(Data, doTail)),
    Field("hoTail", offsetof(Data, hoTail)),
    Field("woTail", offsetof(Data, woTail)),
    Field("ncCnt", offsetof(Data, ncCnt)),
    Field("doCnt", offsetof(Data, doCnt)),
    Field("hoCnt", offsetof(Data, hoCnt)),
    Field("woCnt", offsetof(Data, woCnt)),
    Field("totalCnt", offsetof(Data, totalCnt)),
    Field("usedCoreNum", offsetof(Data, usedCoreNum)),
    Field("totalUBSize", offsetof(Data, totalUBSize)),
    Field("singleCoreNc", offsetof(Data, singleCoreNc)),
    Field("singleCoreDo", offsetof(Data, singleCoreDo)),
    Field("singleCoreHo", offsetof(Data, singleCoreHo)),
    Field("singleCoreWo", offsetof(Data, singleCoreWo)),
    Field("ncRound", offsetof(Data, ncRound)),
    Field("ncRoundTail", offsetof(Data, ncRoundTail)),
    Field("totalRound", offsetof(Data, totalRound)),
    Field("preCoreNum", offsetof(Data, preCoreNum)),
};
static_assert(kFields.size() * 8 == sizeof(Data));

constexpr std::array<PoolGradSplitField, 15> kSplitFields = {{
    {"usedCoreNum", &PoolGradSplit::used_cores},
    {"dilationD", &PoolGradSplit::dilation_d},
    {"dilationH", &PoolGradSplit::dilation_h},
    {"dilationW", &PoolGradSplit::dilation_w},
    {"channels", &PoolGradSplit::channels},
    {"cutD", &PoolGradSplit::cut_d},
    {"cutH", &PoolGradSplit::cut_h},
    {"cutW", &PoolGradSplit::cut_w},
    {"partDo", &PoolGradSplit::part_do},
    {"partHo", &PoolGradSplit::part_ho},
    {"partWo", &PoolGradSplit::part_wo},
    {"outPoints", &PoolGradSplit::out_points},
    {"xRows", &PoolGradSplit::x_rows},
    {"xTaps", &PoolGradSplit::x_taps},
    {"tapTable", &PoolGradSplit::tap_table},
}};

constexpr std::array<PoolGradSplitWord, 4> kSplitWords = {{
    {"lanes", &PoolGradSplit::channels_last, kPoolLaneWords},
    {"nan", &PoolGradSplit::ignores_nan, kPoolNanWords},
    {"argmax", &PoolGradSplit::argmax_order, kPoolIndexWords},
    {"argmaxFrom", &PoolGradSplit::recomputes, kPoolSourceWords},
}};

}  // namespace

std::span<const TilingField> PoolGradFields() { return kFields; }

std::vector<TilingField> Differences(const Data& left, const Data& right) {
  std::vector<TilingField> different;
  for (const TilingField& field : kFields) {
    if (ReadField(&left, field) != ReadField(&right, field)) {
      different.push_back(field);
    }
  }
  return different;
}

std::span<const PoolGradSplitField> PoolGradSplitFields() { return kSplitFields; }

std::span<const PoolGradSplitWord> PoolGradSplitWords() { return kSplitWords; }

}  // namespace tilesim
