#ifndef TILESIM_FORMATS_WALK_H_
#define TILESIM_FORMATS_WALK_H_

// Walks all elements of a tensor in two layouts at once, as few boxes with fixed strides in both.
// Knows where elements lie, not what they are.

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/layout.h"

namespace tilesim {

// One loop: `count` steps of src_stride and dst_stride elements.
struct BoxDim {
  int64_t count = 1;
  int64_t src_stride = 0;
  int64_t dst_stride = 0;
};

// Elements src_base + sum(i * src_stride) of one layout and dst_base + sum(i * dst_stride) of the other are
// the same element of the tensor, for 0 <= i < count in every loop.
class Box {
 public:
  static constexpr int kMaxRank = 2 * Layout::kMaxRank;  // an axis gives at most an outer and an inner loop

  int64_t src_base = 0;
  int64_t dst_base = 0;

  // Loops, the one with the longest dst stride first.
  [[nodiscard]] std::span<const BoxDim> dims() const {
    return std::span(dims_).first(static_cast<size_t>(rank_));
  }
  // Adds a loop; a loop of one step is dropped.
  void Add(BoxDim dim);
  // Puts the loops in the order of dims() and joins neighbours that are one longer loop in both layouts.
  void Simplify();

 private:
  std::array<BoxDim, kMaxRank> dims_{};
  int rank_ = 0;
};

// Calls visit(box) for boxes that together hold each logical element once. Within a call the box is
// simplified. src and dst have the same extents, and the same groups where both place groups; UserError
// otherwise.
void ForEachBox(const Layout& src, const Layout& dst, const std::function<void(const Box&)>& visit);

// Calls visit(src_offset, dst_offset) for every step of `loops`, the last loop fastest.
template <class Visit>
void ForEachStep(std::span<const BoxDim> loops, int64_t src, int64_t dst, const Visit& visit) {
  if (loops.empty()) {
    visit(src, dst);
    return;
  }
  const BoxDim& loop = loops.front();
  for (int64_t i = 0; i < loop.count; ++i) {
    ForEachStep(loops.subspan(1), src + i * loop.src_stride, dst + i * loop.dst_stride, visit);
  }
}

}  // namespace tilesim

#endif  // TILESIM_FORMATS_WALK_H_
