#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/units.h"

namespace tilesim {

// What searches over tilings do with their lists. Knows nothing of what the items mean.

inline void AddUnique(std::vector<int64_t>& values, int64_t value) {
  if (std::ranges::find(values, value) == values.end()) {
    values.push_back(value);
  }
}

// Sizes of the largest part when `whole` things are cut in 1, 2, 3, ... up to `most_parts` parts, each size
// once, largest first. From twice `spread` parts on some numbers of parts are left out, so that about as many
// are looked at each time that they double.
inline std::vector<int64_t> PartSizes(int64_t whole, int64_t most_parts, int64_t spread = INT64_MAX) {
  std::vector<int64_t> sizes;
  for (int64_t parts = 1; parts <= std::min(whole, most_parts);
       parts += std::max<int64_t>(1, parts / spread)) {
    AddUnique(sizes, CeilDiv(whole, parts));
  }
  return sizes;
}

// Keeps, of the items from `begin` on, the `most` with the least key, least first.
template <class Item, class Key>
void KeepBest(std::vector<Item>& items, size_t begin, size_t most, Key key) {
  const auto first = items.begin() + static_cast<ptrdiff_t>(begin);
  const size_t kept = std::min(most, items.size() - begin);
  std::ranges::partial_sort(first, first + static_cast<ptrdiff_t>(kept), items.end(), {}, key);
  items.erase(first + static_cast<ptrdiff_t>(kept), items.end());
}

}  // namespace tilesim
