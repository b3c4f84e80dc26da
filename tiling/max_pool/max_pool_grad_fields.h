#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of MaxPool3DGradWithArgmaxTilingData, in byte order.
std::span<const TilingField> PoolGradFields();

// The fields in which two tilings' data differ, in byte order.
std::vector<TilingField> Differences(const MaxPool3DGradWithArgmaxTilingData& left,
                                     const MaxPool3DGradWithArgmaxTilingData& right);

// A number of the split, by its name in JSON.
struct PoolGradSplitField {
  std::string_view name;
  int64_t PoolGradSplit::*member;
};
std::span<const PoolGradSplitField> PoolGradSplitFields();

// A number of the split that JSON has as one of a few words.
struct PoolGradSplitWord {
  std::string_view name;
  int64_t PoolGradSplit::*member;
  std::span<const std::string_view> words;

  // The word of a number; empty where there is none.
  [[nodiscard]] std::string_view Of(const PoolGradSplit& split) const {
    const auto number = static_cast<size_t>(split.*member);
    return number < words.size() ? words[number] : std::string_view();
  }
};
std::span<const PoolGradSplitWord> PoolGradSplitWords();

}  // namespace tilesim
