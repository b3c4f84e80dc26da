// Bytes that lie in pieces of one size, as moves between GM and UB take them. Knows no memory and no checks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilesim::isa {

// `count` pieces of `bytes` each, from one to the next `from_step` and `to_step` apart.
struct Pieces {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t from_step = 0;
  int64_t to_step = 0;
};

// Which side lies far apart, in the host's memory rather than in its cache: it is asked for ahead.
enum class FarSide : uint8_t { kFrom, kTo };

// Copies the pieces. The two sides share no bytes, and no two pieces of `to` do. `fill_bytes`, 0, 1, 2, 4 or
// 8: each piece of `to` ends with a data block of 32 bytes, what of it is left is filled with the piece's
// first `fill_bytes`; then a piece is as large, and the blocks are no other piece's.
void CopyPieces(const std::byte* from, std::byte* to, const Pieces& pieces, FarSide far_side,
                int64_t fill_bytes = 0);

}  // namespace tilesim::isa
