#pragma once
#include <algorithm>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_pieces.h"
#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// Cycles that each pipe of the busiest core of a matrix product is at work.
struct MatmulWork {
  double cube = 0;
  double mte1 = 0;
  double mte2 = 0;
  double fix = 0;
  double first = 0;  // of MTE2, before the first product
  double last = 0;   // of FIX, behind the last

  [[nodiscard]] double Longest() const { return std::max({cube, mte1, mte2, fix}); }
  // What the launch may take, to tell tilings apart that are worth to be run: the longest pipe with what
  // comes before and behind, and a part of the others, which is not hidden.
  [[nodiscard]] double Promise() const {
    constexpr double kNotHidden = 0.1;
    return std::max({first + cube + last, first + mte1 + last, mte2 + last, first + fix}) +
           kNotHidden * (cube + mte1 + mte2 + fix - Longest());
  }
};

// Counts the tile program's instructions by size, times what one of that size takes where all cores share L2
// and HBM evenly. Tilings must be legal.
class MatmulWorkload {
 public:
  // `soc` must outlive it.
  MatmulWorkload(const MatmulShape& shape, const SocConfig& soc)
      : p_(shape), soc_(soc), pieces_(shape, soc) {}

  // Of the pipes behind L1: steps into L1 and the order of blocks do not matter.
  [[nodiscard]] MatmulWork BehindL1(const MatmulTiling& tiling) const;
  // Adds that of MTE2.
  void AddIntoL1(const MatmulTiling& tiling, MatmulWork& work) const;

 private:
  struct Tiles;
  void AddMoves(const Tiles& tiles, MatmulWork& work) const;

  const MatmulShape p_;
  const SocConfig& soc_;
  MatmulPieces pieces_;
};

}  // namespace tilesim
