#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/tune/filter_block_cycles.h"

namespace tilesim {

// How a tile program may bring the operands of blocks of one size into L1, and with how many copies of its
// buffers it works: all that is legal, where two that do the same are one. Knows no time.
class FilterSteps {
 public:
  FilterSteps(const FilterProblem& problem, const SocConfig& soc, const FilterTaskSize& part,
              const FilterBlock& block);

  // Calls visit(choice) for each of stepM, stepN, stepKa, stepKb and L1's copies, in a fixed order. L0C's and
  // the order of the walk are its least.
  template <class Visit>
  void ForEach(Visit&& visit) const;

  [[nodiscard]] bool has_orders() const { return blocks_m_ > 1 && blocks_n_ > 1; }
  // Tilings that differ in copies in L0A and L0B, and in L0C, alone; and in the order, too.
  [[nodiscard]] int64_t copies() const { return two_l0c_ ? 4 : 2; }
  [[nodiscard]] int64_t variants() const { return copies() * (has_orders() ? 2 : 1); }
  [[nodiscard]] int64_t blocks_k() const { return blocks_k_; }

 private:
  // Most blocks across one load: one where K does not stand in L1.
  [[nodiscard]] int64_t MostAcross(int64_t blocks, int64_t step, int64_t copies) const {
    return step * copies >= blocks_k_ ? blocks : 1;
  }
  [[nodiscard]] bool IsWholeSteps(int64_t step_m) const {
    return part_.m == e_.m || part_.m % (step_m * block_.m) == 0;
  }
  [[nodiscard]] int64_t RowsIn(int64_t step_kb) const;
  [[nodiscard]] int64_t BytesOfB(int64_t rows_in, int64_t step_n) const;
  [[nodiscard]] bool IsAddressable(int64_t step_n) const;

  const FilterProblem& p_;
  const SocConfig& soc_;
  FilterExtents e_;
  FilterTaskSize part_;
  FilterBlock block_;
  int64_t element_bytes_;
  int64_t blocks_m_, blocks_n_, blocks_k_;
  bool two_l0c_;
};

template <class Visit>
void FilterSteps::ForEach(Visit&& visit) const {
  constexpr int64_t kMostPixels = 32767;  // that load3d addresses
  const int64_t block_a = block_.m * block_.k * element_bytes_;
  for (int64_t ka = 1; ka <= blocks_k_ && ka * block_a < soc_.l1_bytes && ka * block_.k <= kMostPixels;
       ++ka) {
    for (int64_t kb = 1; kb <= blocks_k_; ++kb) {
      if (p_.wo - 1 + (kb - 1) * block_.k > kMostPixels) {
        break;
      }
      if ((ka > kb ? ka % kb : kb % ka) != 0) {
        continue;
      }
      const int64_t rows_in = RowsIn(kb);
      const int64_t least_b = BytesOfB(rows_in, 1);
      if (rows_in > kMostPixels || ka * block_a + least_b > soc_.l1_bytes) {
        continue;  // a longer step that ends with a row may need fewer
      }
      for (int64_t copies_a = 1; copies_a <= 2; ++copies_a) {
        for (int64_t copies_b = 1; copies_b <= 2; ++copies_b) {
          if (ka * block_a * copies_a + least_b * copies_b > soc_.l1_bytes) {
            break;
          }
          const int64_t most_m = MostAcross(blocks_m_, ka, copies_a);
          const int64_t most_n = MostAcross(blocks_n_, kb, copies_b);
          for (int64_t step_m = 1; step_m <= most_m; ++step_m) {
            const int64_t bytes_a = step_m * ka * block_a * copies_a;
            if (bytes_a + least_b * copies_b > soc_.l1_bytes) {
              break;
            }
            for (int64_t step_n = 1; IsWholeSteps(step_m) && step_n <= most_n; ++step_n) {
              if (!IsAddressable(step_n)) {
                break;
              }
              if (bytes_a + BytesOfB(rows_in, step_n) * copies_b > soc_.l1_bytes) {
                continue;  // a wider step that ends with a line may need fewer
              }
              FilterBlockChoice choice{.base_m = block_.m, .base_n = block_.n, .base_k = block_.k};
              choice.step_m = step_m;
              choice.step_n = step_n;
              choice.step_ka = ka;
              choice.step_kb = kb;
              choice.l1_copies_a = copies_a;
              choice.l1_copies_b = copies_b;
              visit(choice);
            }
          }
        }
      }
    }
  }
}

}  // namespace tilesim
