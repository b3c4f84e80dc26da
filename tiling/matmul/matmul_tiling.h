// All that a run of the matrix product needs to know about tiling.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/dtype.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// C (m, n) = op(A) (m, k) by op(B) (k, n), as planners and the tile program see it. All matrices are
// row-major; a transposed one lies in GM as (k, m) or (n, k).
struct MatmulShape {
  DType dtype = DType::kFp16;  // of A and B
  DType out = DType::kFp16;    // of C: that of A, or fp32
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  bool hf32 = false;

  friend bool operator==(const MatmulShape&, const MatmulShape&) = default;
};

// The fields of the field's TCubeTiling that this tile program reads, with their names and meanings, in its
// order. Sizes in elements.
struct MatmulTilingData {
  uint32_t usedCoreNum = 1;
  uint32_t M = 0, N = 0, Ka = 0, Kb = 0;
  uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;  // of a task
  uint32_t baseM = 0, baseN = 0, baseK = 0;                    // of a Mmad
  uint32_t depthA1 = 1, depthB1 = 1;  // base blocks in L1: stepM * stepKa (stepN * stepKb), or twice that
  uint32_t stepM = 1, stepN = 1;      // base blocks of M and of N that one step in L1 holds
  uint32_t iterateOrder = 0;          // 0: the blocks of M pass first, B stays; 1: those of N, A stays
  uint32_t stepKa = 1, stepKb = 1;    // base blocks of K of one step in L1
  uint32_t dbL0A = 1, dbL0B = 1, dbL0C = 1;  // 2: double buffer
};

// How tasks follow each other in the list that is dealt out to the cores.
enum class MatmulOrder : uint8_t {
  kRow,       // N runs fastest
  kColumn,    // M runs fastest
  kDiagonal,  // both: neighbours share neither A nor B
};
inline constexpr std::array<std::string_view, 3> kMatmulOrderNames = {"row", "column", "diagonal"};
constexpr std::string_view Name(MatmulOrder order) { return kMatmulOrderNames[static_cast<size_t>(order)]; }

// What the vendor's struct has no field for.
struct MatmulSplit {
  MatmulOrder order = MatmulOrder::kColumn;
  int64_t used_cores = 1;  // usedCoreNum
  int64_t m_dim = 1;       // into how many tasks M, N and K are cut
  int64_t n_dim = 1;
  int64_t k_dim = 1;  // parts of K add into C atomically
  // The tasks' grid over M and N is cut into so many parts, which the cores do one after the other: what they
  // share then stays in L2.
  int64_t m_tile_count_l2 = 1;
  int64_t n_tile_count_l2 = 1;
  int64_t unit_flag = 0;  // 1: cube and Fixpipe hand C over by the unit flags of L0C

  friend bool operator==(const MatmulSplit&, const MatmulSplit&) = default;
};

struct MatmulTiling {
  MatmulTilingData data;
  MatmulSplit split;
};

// The tiling with tasks of that size at most, on so many cores; blocks and steps are not set.
MatmulTiling TilingOf(const MatmulShape& shape, const CubeSize& part, int64_t used_cores);

}  // namespace tilesim
