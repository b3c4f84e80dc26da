#include "tiling/conv_backprop/input_api_task.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/divisors.h"

namespace tilesim {
namespace {

// Footprints of extents near 2^32 can pass 2^63.
using Wide = __int128;

constexpr int64_t kL2Bytes = 144 << 20;  // the shipped planner's constant

int64_t AtLeastOne(int64_t value) { return std::max<int64_t>(value, 1); }

// The candidates for the extent of a task, whole rows of one plane of dx.
class TaskPixels {
 public:
  TaskPixels(const InputProblem& problem, const InputApiBlock& block)
      : p_(problem),
        block_(block),
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
    return 2 * (gradient + weight + Wide{task_pixels} * base_n_ + base_m_ * base_n_) <= kL2Bytes;
  }

  // The fewest equal shares of the rows that fit: less in a task is never more in L2, so halving finds them.
  [[nodiscard]] int64_t EvenShare() const {
    const auto share = [&](int64_t parts) { return CeilDiv(p_.hi, parts) * p_.wi; };
    int64_t most_parts = CeilDiv(pixels_, base_m_);
    if (!FitsL2(share(most_parts))) {
      return least_;
    }
    int64_t too_few = 0;
    while (most_parts - too_few > 1) {
      const int64_t parts = too_few + (most_parts - too_few) / 2;
      (FitsL2(share(parts)) ? most_parts : too_few) = parts;
    }
    return share(most_parts);
  }

  // The largest share of the rows without remainder that some number of blocks, two or more, comes down to.
  [[nodiscard]] int64_t WholeBlocks() const {
    if (least_ >= pixels_) {
      return least_;
    }
    const int64_t rows = LargestDivisor(
        p_.hi, [&](int64_t divisor) { return BlocksComeDownTo(divisor) && FitsL2(divisor * p_.wi); });
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
  int64_t base_m_, base_n_, pixels_, least_;
};

}  // namespace

int64_t InputApiTaskPixels(const InputProblem& problem, const InputApiBlock& block) {
  return TaskPixels(problem, block).Choose();
}

}  // namespace tilesim
