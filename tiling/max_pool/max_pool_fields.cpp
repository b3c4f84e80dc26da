#include "tiling/max_pool/max_pool_fields.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using PoolData = MaxPool3DWithArgmaxTilingData;

constexpr TilingField Of(std::string_view name, MemberBytes bytes) {
  return {.section = "data", .name = name, .offset_bytes = bytes.offset, .width_bytes = bytes.width};
}

constexpr std::array kPoolFields = {
    Of("nc", TILESIM_MEMBER(PoolData, nc)),
    Of("dx", TILESIM_MEMBER(PoolData, dx)),
    Of("hx", TILESIM_MEMBER(PoolData, hx)),
    Of("wx", TILESIM_MEMBER(PoolData, wx)),
    Of("kd", TILESIM_MEMBER(PoolData, kd)),
    Of("kh", TILESIM_MEMBER(PoolData, kh)),
    Of("kw", TILESIM_MEMBER(PoolData, kw)),
    Of("sd", TILESIM_MEMBER(PoolData, sd)),
    Of("sh", TILESIM_MEMBER(PoolData, sh)),
    Of("sw", TILESIM_MEMBER(PoolData, sw)),
    Of("pf", TILESIM_MEMBER(PoolData, pf)),
    Of("pb", TILESIM_MEMBER(PoolData, pb)),
    Of("pl", TILESIM_MEMBER(PoolData, pl)),
    Of("pr", TILESIM_MEMBER(PoolData, pr)),
    Of("pt", TILESIM_MEMBER(PoolData, pt)),
    Of("pd", TILESIM_MEMBER(PoolData, pd)),
    Of("dy", TILESIM_MEMBER(PoolData, dy)),
    Of("hy", TILESIM_MEMBER(PoolData, hy)),
    Of("wy", TILESIM_MEMBER(PoolData, wy)),
    Of("ncFactor", TILESIM_MEMBER(PoolData, ncFactor)),
    Of("ncTail", TILESIM_MEMBER(PoolData, ncTail)),
    Of("ncOuter", TILESIM_MEMBER(PoolData, ncOuter)),
    Of("dyFactor", TILESIM_MEMBER(PoolData, dyFactor)),
    Of("dyTail", TILESIM_MEMBER(PoolData, dyTail)),
    Of("dyOuter", TILESIM_MEMBER(PoolData, dyOuter)),
    Of("hyFactor", TILESIM_MEMBER(PoolData, hyFactor)),
    Of("hyTail", TILESIM_MEMBER(PoolData, hyTail)),
    Of("hyOuter", TILESIM_MEMBER(PoolData, hyOuter)),
    Of("wyFactor", TILESIM_MEMBER(PoolData, wyFactor)),
    Of("wyTail", TILESIM_MEMBER(PoolData, wyTail)),
    Of("wyOuter", TILESIM_MEMBER(PoolData, wyOuter)),
    Of("blockFactor", TILESIM_MEMBER(PoolData, blockFactor)),
    Of("blockTail", TILESIM_MEMBER(PoolData, blockTail)),
    Of("totalIdx", TILESIM_MEMBER(PoolData, totalIdx)),
    Of("coreNums", TILESIM_MEMBER(PoolData, coreNums)),
    Of("inputBufferSize", TILESIM_MEMBER(PoolData, inputBufferSize)),
    Of("outputMaxBufferSize", TILESIM_MEMBER(PoolData, outputMaxBufferSize)),
    Of("outputIndiceBufferSize", TILESIM_MEMBER(PoolData, outputIndiceBufferSize)),
    Of("indiceTempBufferSize", TILESIM_MEMBER(PoolData, indiceTempBufferSize)),
    Of("maskBufferSize", TILESIM_MEMBER(PoolData, maskBufferSize)),
    Of("dD", TILESIM_MEMBER(PoolData, dD)),
    Of("dH", TILESIM_MEMBER(PoolData, dH)),
    Of("dW", TILESIM_MEMBER(PoolData, dW)),
    Of("partD", TILESIM_MEMBER(PoolData, partD)),
    Of("partH", TILESIM_MEMBER(PoolData, partH)),
    Of("partW", TILESIM_MEMBER(PoolData, partW)),
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
