#include "tiling/conv_backprop/input_api_task.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/divisors.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {
namespace {

// Footprints of extents near 2^32 can pass 2^63.
using Wide = __int128;

constexpr int64_t kL2Bytes = 144 << 20;  // the shipped planner's constant

// The candidates for the extent of a task, whole rows of one plane of dx.
class TaskPixels {
 public:
  TaskPixels(const InputProblem& problem, const InputApiBlock& block, int64_t cores)
      : p_(problem),
        block_(block),
        cores_(cores),
        base_m_(block.choice().base_m),
        base_n_(block.choice().base_n),
        pixels_(problem.hi * problem.wi),
        least_(AtLeastOne(base_m_ / problem.wi) * problem.wi) {}

  [[nodiscard]] int64_t Choose() const {
    const bool cut_within_rows = p_.wi > 64 && base_m_ % p_.wi != 0 && p_.wi % base_m_ != 0;
    return cut_within_rows ? EvenShare() : WholeBlocks();
  }

 private:
  [[nodiscard]] bool FitsL2(int64_t task_pixels) const {
    const int64_t planes = AtLeastOne(p_.dk / p_.stride_d);
    const int64_t rows = AtLeastOne(block_.GradientRows(task_pixels) / p_.stride_h);
    const int64_t cout = AlignUp(p_.cout, int64_t{16});
    const Wide gradient = Wide{rows} * p_.wo * planes * cout;
    const Wide weight = Wide{base_n_} * p_.hk * p_.wk * cout * planes;
    const Wide elements = gradient + weight + Wide{task_pixels + base_m_} * base_n_;
    return 2 * elements * cores_ <= kL2Bytes;
  }

  [[nodiscard]] Wide TasksOf(int64_t parts) const {
    const int64_t blocks_n = CeilDiv(AlignUp(p_.cin, int64_t{16}), base_n_);
    const bool equal_in_n = p_.cin % base_n_ == 0 || blocks_n == 1;
    return Wide{p_.batch} * p_.di * parts * (equal_in_n ? blocks_n : 1);
  }

  [[nodiscard]] bool DealsOutEvenly(int64_t parts) const { return TasksOf(parts) % cores_ == 0; }

  // Fewer than one task in fifty left over when every core has as many.
  [[nodiscard]] bool DealsOutNearlyEvenly(int64_t parts) const {
    const Wide left_over = TasksOf(parts) % cores_;
    return left_over == 0 || 50 * left_over < TasksOf(parts) - left_over;
  }

  // The fewest equal shares of the rows that fit and deal out. Less in a task is never more in L2, so halving
  // finds the fewest that fit.
  [[nodiscard]] int64_t EvenShare() const {
    const auto share = [&](int64_t parts) { return CeilDiv(p_.hi, parts) * p_.wi; };
    const int64_t most_parts = CeilDiv(pixels_, base_m_);
    int64_t too_few = 0;
    for (int64_t fit = most_parts + 1; fit - too_few > 1;) {
      const int64_t parts = too_few + (fit - too_few) / 2;
      (FitsL2(share(parts)) ? fit : too_few) = parts;
    }
    for (int64_t parts = too_few + 1; parts <= most_parts; ++parts) {
      if (DealsOutNearlyEvenly(CeilDiv(pixels_, share(parts)))) {
        return share(parts);
      }
    }
    return least_;
  }

  // The largest share of the rows without remainder that some number of blocks, two or more, comes down to.
  [[nodiscard]] int64_t WholeBlocks() const {
    if (least_ >= pixels_) {
      return least_;
    }
    const int64_t rows = LargestDivisor(p_.hi, [&](int64_t divisor) {
      return BlocksComeDownTo(divisor) && FitsL2(divisor * p_.wi) && DealsOutEvenly(p_.hi / divisor);
    });
    return rows == 0 ? least_ : rows * p_.wi;
  }

  [[nodiscard]] bool BlocksComeDownTo(int64_t rows) const {
    if (rows == p_.hi) {
      return true;  // blocks past the plane count as all of it
    }
    const int64_t first = rows == 1 ? 0 : rows * p_.wi;  // less than a row counts as one
    const int64_t blocks = std::max<int64_t>(CeilDiv(first, base_m_), 2);
    return blocks * base_m_ < (rows + 1) * p_.wi;
  }

  const InputProblem& p_;
  const InputApiBlock& block_;
  int64_t cores_, base_m_, base_n_, pixels_, least_;
};

}  // namespace

int64_t InputApiTaskPixels(const InputProblem& problem, const InputApiBlock& block, int64_t cores) {
  return TaskPixels(problem, block, cores).Choose();
}

}  // namespace tilesim
