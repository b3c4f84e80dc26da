// The rules that convolutions and pooling share, each with the column of the case file it is refused by. They
// know bounds as numbers only; which ones an operator has, it says itself.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/refusal.h"
#include "ops/cases/window.h"

namespace tilesim {

// The first rule of the list that the problem breaks.
template <class Problem>
std::optional<Refusal> FirstOf(std::initializer_list<std::optional<Refusal> (*)(const Problem&)> rules,
                               const Problem& problem) {
  for (const auto rule : rules) {
    if (std::optional<Refusal> no = rule(problem)) {
      return no;
    }
  }
  return std::nullopt;
}

struct ShapeLimits {
  int64_t extent = INT32_MAX;           // tiling data hold 32-bit extents
  int64_t elements = int64_t{1} << 36;  // of one tensor: more than the largest part's memory holds
  int64_t least_batch = 1;              // or 0: the tensor may be empty
};

// A tensor of those extents, in canonical order.
std::optional<Refusal> WhyNotShape(std::string_view column, Format format,
                                   const std::vector<int64_t>& extents, const ShapeLimits& limits);

struct AxisBound {
  std::string_view axis;
  int64_t value = 0;
  int64_t most = 0;
};

// A bound on each axis of one column, whose text is `found`; the mend is the nearest value within it,
// and `why` behind that.
std::optional<Refusal> WhyNotAxes(std::string_view column, const std::string& found, int64_t least,
                                  std::initializer_list<AxisBound> bounds, std::string_view why = "");
// From 1 to the bound of each axis.
std::optional<Refusal> WhyNotStride(const Extents3& stride, const Extents3& most);
std::optional<Refusal> WhyNotDilation(const Extents3& dilation, int64_t most);
// From 0 to the bound on each side.
std::optional<Refusal> WhyNotPads(const Pads& pads, int64_t most);

// fp16, bf16 or fp32.
std::optional<Refusal> WhyNotType(DType dtype);

// A window that fits the padded input; `filter` is the column's text.
std::optional<Refusal> WhyNotWindow(const Windows& windows, const std::string& filter);

// An output of the size that follows, within the limits. in_extents, out_extents: of the tensors, in
// canonical order, the latter given or derived. An output that is right and beyond the limits is refused by
// the column that makes it so large.
std::optional<Refusal> WhyNotOutput(const Windows& windows, Rounding rounding, Format layout,
                                    const std::vector<int64_t>& in_extents,
                                    const std::vector<int64_t>& out_extents, const ShapeLimits& limits);

}  // namespace tilesim
