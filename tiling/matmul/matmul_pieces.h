#pragma once
#include <cstdint>

#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"

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

  // A tile's way from L2 into L1: a move, or one a row; `fill`: cycles of filling what its last fractal has
  // below the matrix.
  struct Bring {
    int64_t moves = 1;
    Cost each;
    int64_t fill = 0;
  };
  [[nodiscard]] Bring BringOf(Side side, int64_t free, int64_t k) const;
  // Do rows of the operand in GM run along K?
  [[nodiscard]] bool KInRows(Side side) const { return side == kA ? !p_.transpose_a : p_.transpose_b; }

 private:
  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t element_bytes_;
  int64_t c0_;
};

}  // namespace tilesim
