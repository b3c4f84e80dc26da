#pragma once

#include <cstdint>
#include <vector>

#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

// Collects the loops of a rearrangement and makes a shape of them: in the order of the source, without loops
// of one step, neighbours that are one longer loop on both sides joined.
class ShapeBuilder {
 public:
  // What the shape says of a digit besides its strides; kInnermost: stays though it has one step.
  enum class Role : uint8_t { kPlain, kOuterChannel, kInnerChannel, kLong, kBlock, kMember, kInnermost };

  void Add(const RearrangeDigit& digit, Role role = Role::kPlain) { digits_.push_back({digit, role}); }
  // `shape` has everything but its digits and their roles.
  [[nodiscard]] RearrangeShape Build(RearrangeShape shape) const;

 private:
  struct Entry {
    RearrangeDigit digit;
    Role role;
  };
  std::vector<Entry> digits_;
};

}  // namespace tilesim
