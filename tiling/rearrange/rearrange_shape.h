// What transpose and trans_data have in common: elements of one tensor in GM go to other places in another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilesim {

// One loop over the elements: `extent` steps of src_stride and dst_stride elements.
struct RearrangeDigit {
  int64_t extent = 1;
  int64_t src_stride = 0;
  int64_t dst_stride = 0;
};

inline constexpr size_t kMostDigits = 8;
inline constexpr int kNoDigit = -1;

// Elements at sum(i * src_stride) go to sum(i * dst_stride), for each i below its digit's extent. A blocked
// format holds padding that a plain one has not: channels are two digits, outer and inner (C0), of which
// `window` channels are real; `long_digit` (output channels of a filter) may be longer than `long_window`.
// Groups of a filter that share a block are members: member m of a block has its channels from m * window on,
// and counts as no group from `groups` on. Where the source is plain, padding becomes 0; where the
// destination is, padding is left out.
struct RearrangeShape {
  int64_t element_bytes = 2;
  size_t num_digits = 0;
  std::array<RearrangeDigit, kMostDigits> digits{};  // in the order of the source, outermost first
  bool src_is_plain = true;

  int outer_channel = kNoDigit;
  int inner_channel = kNoDigit;
  int64_t window = 0;
  int long_digit = kNoDigit;
  int64_t long_window = 0;
  int64_t long_stored = 0;  // of all members of a block together, padding included
  int block = kNoDigit;     // blocks of members
  int member = kNoDigit;
  int64_t groups = 1;

  [[nodiscard]] const RearrangeDigit& at(int digit) const { return digits[static_cast<size_t>(digit)]; }
  [[nodiscard]] bool has_padding() const { return outer_channel != kNoDigit || long_digit != kNoDigit; }

  void Add(const RearrangeDigit& digit) { digits[num_digits++] = digit; }
};

}  // namespace tilesim
