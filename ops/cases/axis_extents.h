#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace tilesim {

// The extents of a row-major tensor of 1 to 6 axes, by value and without memory of its own.
class AxisExtents {
 public:
  static constexpr size_t kMostAxes = 6;

  AxisExtents(std::initializer_list<int64_t> extents)
      : AxisExtents(std::span(extents.begin(), extents.size())) {}
  explicit AxisExtents(std::span<const int64_t> extents) : rank_(std::min(extents.size(), kMostAxes)) {
    std::ranges::copy(extents.first(rank_), extents_.begin());
  }
  [[nodiscard]] size_t rank() const { return rank_; }
  int64_t operator[](size_t axis) const { return extents_[axis]; }
  [[nodiscard]] std::vector<int64_t> Values() const {
    return {extents_.begin(), extents_.begin() + static_cast<ptrdiff_t>(rank_)};
  }

 private:
  std::array<int64_t, kMostAxes> extents_{};
  size_t rank_;
};

}  // namespace tilesim
