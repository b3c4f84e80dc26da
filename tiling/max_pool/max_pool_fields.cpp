#include "tiling/max_pool/max_pool_fields.h"

#include <array>
#include <cstddef>

#include "tiling/max_pool/pool_words.h"

namespace tilesim {
namespace {

using Data = MaxPool3DWithArgmaxTilingData;

constexpr TilingField Of(std::string_view name, size_t offset) {
  return {.section = "data", .name = name, .offset_bytes = offset, .width_bytes = 8};
}

constexpr std::array kFields = {
    Of("nc", offsetof(Data, nc)),
    Of("dx", offsetof(Data, dx)),
    Of("hx", offsetof(Data, hx)),
    Of("wx", offsetof(Data, wx)),
    Of("kd", offsetof(Data, kd)),
    Of("kh", offsetof(Data, kh)),
    Of("kw", offsetof(Data, kw)),
    Of("sd", offsetof(Data, sd)),
    Of("sh", offsetof(Data, sh)),
    Of("sw", offsetof(Data, sw)),
    Of("pf", offsetof(Data, pf)),
    Of("pb", offsetof(Data, pb)),
    Of("pl", offsetof(Data, pl)),
    Of("pr", offsetof(Data, pr)),
    Of("pt", offsetof(Data, pt)),
    Of("pd", offsetof(Data, pd)),
    Of("dy", offsetof(Data, dy)),
    Of("hy", offsetof(Data, hy)),
    Of("wy", offsetof(Data, wy)),
    Of("ncFactor", offsetof(Data, ncFactor)),
    Of("ncTail", offsetof(Data, ncTail)),
    Of("ncOuter", offsetof(Data, ncOuter)),
    Of("dyFactor", offsetof(Data, dyFactor)),
    Of("dyTail", offsetof(Data, dyTail)),
    Of("dyOuter", offsetof(Data, dyOuter)),
    Of("hyFactor", offsetof(Data, hyFactor)),
    Of("hyTail", offsetof(Data, hyTail)),
    Of("hyOuter", offsetof(Data, hyOuter)),
    Of("wyFactor", offsetof(Data, wyFactor)),
    Of("wyTail", offsetof(Data, wyTail)),
    Of("wyOuter", offsetof(Data, wyOuter)),
    Of("blockFactor", offsetof(Data, blockFactor)),
    Of("blockTail", offsetof(Data, blockTail)),
    Of("totalIdx", offsetof(Data, totalIdx)),
    Of("coreNums", offsetof(Data, coreNums)),
    Of("inputBufferSize", offsetof(Data, inputBufferSize)),
    Of("outputMaxBufferSize", offsetof(Data, outputMaxBufferSize)),
    Of("outputIndiceBufferSize", offsetof(Data, outputIndiceBufferSize)),
    Of("indiceTempBufferSize", offsetof(Data, indiceTempBufferSize)),
    Of("maskBufferSize", offsetof(Data, maskBufferSize)),
    Of("dD", offsetof(Data, dD)),
    Of("dH", offsetof(Data, dH)),
    Of("dW", offsetof(Data, dW)),
    Of("partD", offsetof(Data, partD)),
    Of("partH", offsetof(Data, partH)),
    Of("partW", offsetof(Data, partW)),
};
static_assert(kFields.size() * 8 == sizeof(Data));

}  // namespace

std::span<const TilingField> MaxPoolFields() { return kFields; }

std::vector<TilingField> Differences(const Data& left, const Data& right) {
  return DifferentFields(kFields, &left, &right);
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
