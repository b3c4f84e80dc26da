#include "tiling/max_pool/max_pool_fields.h"

#include <array>
#include <cstddef>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using PoolData = MaxPool3DWithArgmaxTilingData;

constexpr TilingField Of(std::string_view name, size_t offset) {
  return {.section = "data", .name = name, .offset_bytes = offset, .width_bytes = 8};
}

constexpr std::array kPoolFields = {
    Of("nc", offsetof(PoolData, nc)),
    Of("dx", offsetof(PoolData, dx)),
    Of("hx", offsetof(PoolData, hx)),
    Of("wx", offsetof(PoolData, wx)),
    Of("kd", offsetof(PoolData, kd)),
    Of("kh", offsetof(PoolData, kh)),
    Of("kw", offsetof(PoolData, kw)),
    Of("sd", offsetof(PoolData, sd)),
    Of("sh", offsetof(PoolData, sh)),
    Of("sw", offsetof(PoolData, sw)),
    Of("pf", offsetof(PoolData, pf)),
    Of("pb", offsetof(PoolData, pb)),
    Of("pl", offsetof(PoolData, pl)),
    Of("pr", offsetof(PoolData, pr)),
    Of("pt", offsetof(PoolData, pt)),
    Of("pd", offsetof(PoolData, pd)),
    Of("dy", offsetof(PoolData, dy)),
    Of("hy", offsetof(PoolData, hy)),
    Of("wy", offsetof(PoolData, wy)),
    Of("ncFactor", offsetof(PoolData, ncFactor)),
    Of("ncTail", offsetof(PoolData, ncTail)),
    Of("ncOuter", offsetof(PoolData, ncOuter)),
    Of("dyFactor", offsetof(PoolData, dyFactor)),
    Of("dyTail", offsetof(PoolData, dyTail)),
    Of("dyOuter", offsetof(PoolData, dyOuter)),
    Of("hyFactor", offsetof(PoolData, hyFactor)),
    Of("hyTail", offsetof(PoolData, hyTail)),
    Of("hyOuter", offsetof(PoolData, hyOuter)),
    Of("wyFactor", offsetof(PoolData, wyFactor)),
    Of("wyTail", offsetof(PoolData, wyTail)),
    Of("wyOuter", offsetof(PoolData, wyOuter)),
    Of("blockFactor", offsetof(PoolData, blockFactor)),
    Of("blockTail", offsetof(PoolData, blockTail)),
    Of("totalIdx", offsetof(PoolData, totalIdx)),
    Of("coreNums", offsetof(PoolData, coreNums)),
    Of("inputBufferSize", offsetof(PoolData, inputBufferSize)),
    Of("outputMaxBufferSize", offsetof(PoolData, outputMaxBufferSize)),
    Of("outputIndiceBufferSize", offsetof(PoolData, outputIndiceBufferSize)),
    Of("indiceTempBufferSize", offsetof(PoolData, indiceTempBufferSize)),
    Of("maskBufferSize", offsetof(PoolData, maskBufferSize)),
    Of("dD", offsetof(PoolData, dD)),
    Of("dH", offsetof(PoolData, dH)),
    Of("dW", offsetof(PoolData, dW)),
    Of("partD", offsetof(PoolData, partD)),
    Of("partH", offsetof(PoolData, partH)),
    Of("partW", offsetof(PoolData, partW)),
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
      SplitWord("strategy", offsetof(Split, strategy), sizeof(Split::strategy), MaxPoolStrategyNames()),
      SplitWord("lanes", offsetof(Split, channels_last), sizeof(Split::channels_last), kPoolLaneWords),
      SplitWord("nan", offsetof(Split, ignores_nan), sizeof(Split::ignores_nan), kPoolNanWords),
      SplitWord("argmax", offsetof(Split, index), sizeof(Split::index), kPoolIndexWords),
      SplitNumber("usedCoreNum", offsetof(Split, used_cores)),
      SplitNumber("batch", offsetof(Split, batch)),
      SplitNumber("channels", offsetof(Split, channels)),
      SplitNumber("storeRows", offsetof(Split, store_rows)),
  };
  return kSplitFields;
}

}  // namespace tilesim
