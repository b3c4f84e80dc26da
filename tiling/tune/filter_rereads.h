#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/tune/filter_dealing.h"

namespace tilesim {

// Bytes of dy and x that cores of a filter gradient read where another core was the last to: L2 gives them
// at gm.l2_same_total, or HBM gives them again. Whoever comes to a granule of L2 of which others have read
// finds at least what its first read there takes of it; what it takes later of the same granule may pass as
// read by itself. So long runs count nearly whole, runs that are shorter than a granule in part. Asked for
// many steps of one block; not for several threads at once.
class FilterRereads {
 public:
  FilterRereads(const FilterProblem& problem, const SocConfig& soc, int64_t base_k,
                const FilterRereadParts& parts);

  // By all cores, where a step into L1 brings so many blocks of K.
  [[nodiscard]] double BytesOfDy(int64_t step_ka);
  [[nodiscard]] double BytesOfX(int64_t step_kb);

 private:
  // Where a step's run within a plane begins and ends, in bytes from the plane's begin.
  struct Piece {
    int64_t begin = 0, end = 0;
  };
  // By the pixels of dy that a step brings.
  [[nodiscard]] double FirstReadsOfDy(int64_t step) const;
  [[nodiscard]] double FirstReadsOfX(int64_t step) const;
  // Least bytes that the first reads of granules take, of one plane of which these are the pieces in their
  // order; of granules within [begin, end) alone. Planes lie at multiples of `plane_bytes`.
  [[nodiscard]] double FirstReads(const std::vector<Piece>& pieces, int64_t begin, int64_t end,
                                  int64_t plane_bytes) const;

  const FilterProblem& p_;
  int64_t base_k_;
  const FilterRereadParts& parts_;
  int64_t granule_bytes_;
  std::vector<double> dy_, x_;  // by step; less than 0: not known yet
};

}  // namespace tilesim
