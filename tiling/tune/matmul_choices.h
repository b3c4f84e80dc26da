// What a matrix product's tilings may vary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/units.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// The largest task of a matrix product, or its block in L0.
struct MatmulSize {
  int64_t m = 1, n = 1, k = 1;

  friend bool operator==(const MatmulSize&, const MatmulSize&) = default;
};

// How tasks follow each other in the list that is dealt out, and their parts for L2.
struct MatmulVariant {
  MatmulOrder order = MatmulOrder::kColumn;
  int64_t m_tiles = 1, n_tiles = 1;
};

// Steps into L1, copies and order of the walk.
struct MatmulChoice {
  int64_t step_m = 1, step_n = 1, step_ka = 1, step_kb = 1;
  int64_t copies_a = 1, copies_b = 1, l0_copies = 1, l0c_copies = 1;
  bool n_fast = false;
  bool unit_flag = false;

  // Into L1.
  [[nodiscard]] bool SameSteps(const MatmulChoice& c) const {
    return step_m == c.step_m && step_n == c.step_n && step_ka == c.step_ka && step_kb == c.step_kb &&
           copies_a == c.copies_a && copies_b == c.copies_b;
  }
  [[nodiscard]] uint64_t Code() const;
  static MatmulChoice Decode(uint64_t code);
};

// All blocks that fit a task, and all choices that fit a block, each in a fixed order.
class MatmulChoices {
 public:
  // `soc` must outlive it.
  MatmulChoices(const SocConfig& soc, int64_t element_bytes) : soc_(soc), element_bytes_(element_bytes) {}

  [[nodiscard]] std::vector<MatmulSize> BlocksOf(const MatmulSize& part) const;
  [[nodiscard]] int64_t MostCopiesInL0(const MatmulSize& block) const {
    return 2 * block.m * block.k * element_bytes_ <= soc_.l0a_bytes &&
                   2 * block.n * block.k * element_bytes_ <= soc_.l0b_bytes
               ? 2
               : 1;
  }
  template <class Visit>
  void ForEach(const MatmulSize& part, const MatmulSize& block, Visit&& visit) const;

 private:
  static constexpr int64_t kMostRows = 16384;  // of a tile in L1

  const SocConfig& soc_;
  int64_t element_bytes_;
};

template <class Visit>
void MatmulChoices::ForEach(const MatmulSize& part, const MatmulSize& block, Visit&& visit) const {
  const int64_t blocks_m = CeilDiv(part.m, block.m);
  const int64_t blocks_n = CeilDiv(part.n, block.n);
  const int64_t blocks_k = CeilDiv(part.k, block.k);
  const int64_t a_bytes = block.m * block.k * element_bytes_;
  const int64_t b_bytes = block.n * block.k * element_bytes_;
  const int64_t most_l0 = MostCopiesInL0(block);
  const int64_t most_l0c = 2 * block.m * block.n * 4 <= soc_.l0c_bytes ? 2 : 1;
  const int64_t most_turns = blocks_m > 1 && blocks_n > 1 ? 2 : 1;
  for (int64_t ka = 1; ka <= blocks_k && ka * a_bytes <= soc_.l1_bytes; ++ka) {
    for (int64_t kb = 1; kb <= blocks_k && ka * a_bytes + kb * b_bytes <= soc_.l1_bytes; ++kb) {
      if ((ka > kb ? ka % kb : kb % ka) != 0 || std::max(ka, kb) * block.k > kMostRows) {
        continue;
      }
      for (int64_t copies = 0; copies < 4; ++copies) {
        MatmulChoice c{.step_ka = ka, .step_kb = kb};
        c.copies_a = 1 + copies / 2;
        c.copies_b = 1 + copies % 2;
        // blocks side by side only where all of K lies in L1
        const int64_t most_m = ka * c.copies_a * block.k >= part.k ? blocks_m : 1;
        const int64_t most_n = kb * c.copies_b * block.k >= part.k ? blocks_n : 1;
        for (c.step_m = 1; c.step_m <= most_m && c.step_m * block.m <= kMostRows; ++c.step_m) {
          for (c.step_n = 1; c.step_n <= most_n && c.step_n * block.n <= kMostRows; ++c.step_n) {
            if (c.step_m * ka * a_bytes * c.copies_a + c.step_n * kb * b_bytes * c.copies_b > soc_.l1_bytes) {
              break;
            }
            for (int64_t bits = 0; bits < 2 * most_turns * most_l0c * most_l0; ++bits) {
              c.unit_flag = bits % 2 != 0;
              c.n_fast = bits / 2 % most_turns != 0;
              c.l0c_copies = 1 + bits / 2 / most_turns % most_l0c;
              c.l0_copies = 1 + bits / 2 / most_turns / most_l0c;
              visit(c);
            }
          }
        }
      }
    }
  }
}

}  // namespace tilesim
