#pragma once
#include <cstdint>

#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_shape.h"

namespace tilesim {

// What a matrix product's instructions take, by what they move or multiply; of moves of GM what one core
// alone needs. `free` is M of A and N of B.
class MatmulPieces {
 public:
  // `soc` must outlive it.
  MatmulPieces(const MatmulShape& shape, const SocConfig& soc);

  enum Side : uint8_t { kA, kB };

  // A block of an operand into L0: so many loads, the last of which may be shorter.
  struct Loads {
    int64_t count = 1;
    Cost each, last;
    [[nodiscard]] int64_t busy_cycles() const { return (count - 1) * each.busy_cycles + last.busy_cycles; }
  };
  [[nodiscard]] Loads Load(Side side, int64_t free, int64_t k, int64_t tile_free) const;
  [[nodiscard]] Cost Multiply(int64_t m, int64_t n, int64_t k) const;
  // A block of C to GM.
  [[nodiscard]] Cost Write(int64_t m, int64_t n) const;

  // A tile's way into L1: a move, or one a row; `fill`: what its last fractal has below the matrix.
  struct Bring {
    int64_t moves = 1;
    Cost found;    // of one, all of it in L2
    Cost fetched;  // of which nobody has brought anything before, by who does
    int64_t bytes = 0;
    int64_t least_fetched = 0, most_fetched = 0;  // from HBM, of all moves
    int64_t fill = 0;
  };
  // `granule`: elements that tiles' places in rows are multiples of.
  [[nodiscard]] Bring BringOf(Side side, int64_t free, int64_t k, int64_t granule) const;
  // Of tiles of `free` by `k` of a task.
  [[nodiscard]] int64_t GranuleOf(Side side, int64_t task_free, int64_t task_k, int64_t free,
                                  int64_t k) const;
  // Do rows of the operand in GM run along K?
  [[nodiscard]] bool KInRows(Side side) const { return side == kA ? !p_.transpose_a : p_.transpose_b; }

 private:
  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t element_bytes_;
  int64_t c0_;
};

}  // namespace tilesim
