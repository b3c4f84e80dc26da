#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tiling/rearrange/rearrange_tasks.h"
#include "tiling/rejection.h"

namespace tilesim {

// Every rule that the tiling breaks for this shape, on `cores` vector cores with `ub_bytes` of UB each; the
// bytes of UB last. Empty when it is legal.
Rejections WhyNot(const RearrangeTiling& tiling, const RearrangeShape& shape, int64_t ub_bytes,
                  int64_t cores);

// What a legal tiling does, in sentences.
std::vector<std::string> Explained(const RearrangeTiling& tiling, const RearrangeShape& shape,
                                   int64_t ub_bytes);

// How many digits of a side's chain may make one run: a plain side's breaks off behind the digit that has
// padding on the other.
size_t LongestRun(const RearrangeShape& shape, const DigitChain& chain, bool plain);

// Must this shape be turned, or must it not? Runs need the same innermost digit on both sides.
bool MovesByRuns(const RearrangeShape& shape);

}  // namespace tilesim
