#include "ops/rearrange/shape_builder.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace tilesim {

RearrangeShape ShapeBuilder::Build(RearrangeShape shape) const {
  std::vector<Entry> kept;
  std::ranges::copy_if(digits_, std::back_inserter(kept), [](const Entry& entry) {
    const bool channels = entry.role == Role::kOuterChannel || entry.role == Role::kInnerChannel;
    return entry.digit.extent > 1 || channels || entry.role == Role::kLong || entry.role == Role::kInnermost;
  });
  std::ranges::stable_sort(kept, std::ranges::greater(),
                           [](const Entry& entry) { return entry.digit.src_stride; });
  std::vector<Entry> joined;
  for (const Entry& entry : kept) {
    if (!joined.empty() && joined.back().role == Role::kPlain && entry.role == Role::kPlain) {
      RearrangeDigit& outer = joined.back().digit;
      if (outer.src_stride == entry.digit.extent * entry.digit.src_stride &&
          outer.dst_stride == entry.digit.extent * entry.digit.dst_stride) {
        outer = {outer.extent * entry.digit.extent, entry.digit.src_stride, entry.digit.dst_stride};
        continue;
      }
    }
    joined.push_back(entry);
  }
  if (joined.empty()) {
    joined.push_back({{1, 1, 1}, Role::kPlain});
  }
  if (joined.size() > kMostDigits) {
    throw std::logic_error("ShapeBuilder: more digits than a shape holds");
  }
  for (const Entry& entry : joined) {
    const int at = static_cast<int>(shape.num_digits);
    switch (entry.role) {
      case Role::kOuterChannel:
        shape.outer_channel = at;
        break;
      case Role::kInnerChannel:
        shape.inner_channel = at;
        break;
      case Role::kLong:
        shape.long_digit = at;
        break;
      case Role::kBlock:
        shape.block = at;
        break;
      case Role::kMember:
        shape.member = at;
        break;
      case Role::kPlain:
      case Role::kInnermost:
        break;
    }
    shape.Add(entry.digit);
  }
  return shape;
}

}  // namespace tilesim
