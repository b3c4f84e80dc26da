#include "tiling/max_pool/max_pool_fields.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using PoolData = MaxPool3DWithArgmaxTilingData;

constexpr std::array kPoolFields = {
    DataField("nc", TILESIM_MEMBER(PoolData, nc)),
    DataField("dx", TILESIM_MEMBER(PoolData, dx)),
    DataField("hx", TILESIM_MEMBER(PoolData, hx)),
    DataField("wx", TILESIM_MEMBER(PoolData, wx)),
    DataField("kd", TILESIM_MEMBER(PoolData, kd)),
    DataField("kh", TILESIM_MEMBER(PoolData, kh)),
    DataField("kw", TILESIM_MEMBER(PoolData, kw)),
    DataField("sd", TILESIM_MEMBER(PoolData, sd)),
    DataField("sh", TILESIM_MEMBER(PoolData, sh)),
    DataField("sw", TILESIM_MEMBER(PoolData, sw)),
    DataField("pf", TILESIM_MEMBER(PoolData, pf)),
    DataField("pb", TILESIM_MEMBER(PoolData, pb)),
    DataField("pl", TILESIM_MEMBER(PoolData, pl)),
    DataField("pr", TILESIM_MEMBER(PoolData, pr)),
    DataField("pt", TILESIM_MEMBER(PoolData, pt)),
    DataField("pd", TILESIM_MEMBER(PoolData, pd)),
    DataField("dy", TILESIM_MEMBER(PoolData, dy)),
    DataField("hy", TILESIM_MEMBER(PoolData, hy)),
    DataField("wy", TILESIM_MEMBER(PoolData, wy)),
    DataField("ncFactor", TILESIM_MEMBER(PoolData, ncFactor)),
    DataField("ncTail", TILESIM_MEMBER(PoolData, ncTail)),
    DataField("ncOuter", TILESIM_MEMBER(PoolData, ncOuter)),
    DataField("dyFactor", TILESIM_MEMBER(PoolData, dyFactor)),
    DataField("dyTail", TILESIM_MEMBER(PoolData, dyTail)),
    DataField("dyOuter", TILESIM_MEMBER(PoolData, dyOuter)),
    DataField("hyFactor", TILESIM_MEMBER(PoolData, hyFactor)),
    DataField("hyTail", TILESIM_MEMBER(PoolData, hyTail)),
    DataField("hyOuter", TILESIM_MEMBER(PoolData, hyOuter)),
    DataField("wyFactor", TILESIM_MEMBER(PoolData, wyFactor)),
    DataField("wyTail", TILESIM_MEMBER(PoolData, wyTail)),
    DataField("wyOuter", TILESIM_MEMBER(PoolData, wyOuter)),
    DataField("blockFactor", TILESIM_MEMBER(PoolData, blockFactor)),
    DataField("blockTail", TILESIM_MEMBER(PoolData, blockTail)),
    DataField("totalIdx", TILESIM_MEMBER(PoolData, totalIdx)),
    DataField("coreNums", TILESIM_MEMBER(PoolData, coreNums)),
    DataField("inputBufferSize", TILESIM_MEMBER(PoolData, inputBufferSize)),
    DataField("outputMaxBufferSize", TILESIM_MEMBER(PoolData, outputMaxBufferSize)),
    DataField("outputIndiceBufferSize", TILESIM_MEMBER(PoolData, outputIndiceBufferSize)),
    DataField("indiceTempBufferSize", TILESIM_MEMBER(PoolData, indiceTempBufferSize)),
    DataField("maskBufferSize", TILESIM_MEMBER(PoolData, maskBufferSize)),
    DataField("dD", TILESIM_MEMBER(PoolData, dD)),
    DataField("dH", TILESIM_MEMBER(PoolData, dH)),
    DataField("dW", TILESIM_MEMBER(PoolData, dW)),
    DataField("partD", TILESIM_MEMBER(PoolData, partD)),
    DataField("partH", TILESIM_MEMBER(PoolData, partH)),
    DataField("partW", TILESIM_MEMBER(PoolData, partW)),
};
static_assert(kPoolFields.size() * 8 == sizeof(PoolData));

}  // namespace

std::span<const TilingField> MaxPoolFields() { return kPoolFields; }

std::vector<TilingField> Differences(const PoolData& left, const PoolData& right) {
  return DifferentFields(kPoolFields, &left, &right);
}

std::span<const TilingField> MaxPoolSplitFields() {
  using Split = MaxPoolSplit;
  static const std::array kSplitFields = {
      SplitWord("strategy", TILESIM_MEMBER(Split, strategy), MaxPoolStrategyNames()),
      SplitWord("lanes", TILESIM_MEMBER(Split, channels_last), kPoolLaneWords),
      SplitWord("nan", TILESIM_MEMBER(Split, ignores_nan), kPoolNanWords),
      SplitWord("argmax", TILESIM_MEMBER(Split, index), kPoolIndexWords),
      SplitNumber("usedCoreNum", TILESIM_MEMBER(Split, used_cores)),
      SplitNumber("batch", TILESIM_MEMBER(Split, batch)),
      SplitNumber("channels", TILESIM_MEMBER(Split, channels)),
      SplitNumber("storeRows", TILESIM_MEMBER(Split, store_rows)),
  };
  return kSplitFields;
}

}  // namespace tilesim
