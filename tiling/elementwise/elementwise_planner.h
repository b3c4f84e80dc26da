#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/elementwise/elementwise_tiling.h"
#include "tiling/rejection.h"
#include "tiling/tiling_text.h"

namespace tilesim {

// Every rule that the tiling breaks for this shape, on `cores` vector cores with `ub_bytes` of UB each; the
// bytes of UB last. Empty when it is legal.
Rejections WhyNot(const ElementwiseTiling& tiling, const ElementwiseShape& shape, int64_t ub_bytes,
                  int64_t cores);

// What a legal tiling does, in sentences.
std::vector<std::string> Explained(const ElementwiseTiling& tiling, const ElementwiseShape& shape,
                                   int64_t ub_bytes);

// One row, cut into tiles of the size, on as many of `cores` cores, with the least estimated time, launch
// included: large enough that two of them keep GM
// busy while each waits for the other, small enough that the first load and the last store are short. Two
// inputs lie in different bank groups. Legality is the caller's last question.
ElementwiseTiling PlanElementwiseTiles(const ElementwiseShape& shape, const SocConfig& soc, int64_t cores);

template <>
std::span<const TilingField> FieldsIn<ElementwiseTilingData>();
template <>
std::span<const TilingField> FieldsIn<ElementwiseSplit>();

}  // namespace tilesim
