#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_api_block.h"
#include "tiling/conv_backprop/whole_numbers.h"
#include "tiling/cube_choice.h"

namespace tilesim {
namespace {

// Extents in L1 and L2 can pass 2^63 for arguments near 2^32.
using Wide = __int128;

// The other memories the shipped planner takes for granted: elements of 2 bytes in half of L0A or L0B, of 4
// in L0C, and half of L1 without 256 bytes for each operand.
constexpr int64_t kHalfL0Elements = 16384;
constexpr int64_t kL0cElements = 32768;
constexpr int64_t kHalfL1Bytes = InputApiBlock::kL1Bytes / 2;

}  // namespace

InputApiBlock::InputApiBlock(const InputProblem& problem)
    : p_(problem),
      taps_(problem.hk * problem.wk),
      cout1_(CeilDiv(problem.cout, int64_t{16})),
      line_(taps_ * 16),
      m_(AlignUp(problem.hi * problem.wi, int64_t{16})),
      n_(AlignUp(problem.cin, int64_t{16})),
      k_(line_ * cout1_) {}

bool InputApiBlock::Choose() {
  StartBlock();
  if (p_.dk == 1 && KeepWeightsResident()) {
    return true;
  }
  ChooseSteps();
  return MakeItFit();
}

// A block of K must hold whole lines of taps, or a line whole blocks.
bool InputApiBlock::MeetsTaps(int64_t k) const { return k % line_ == 0 || line_ % k == 0; }

// A multiple of 16; 16 itself always meets the taps.
int64_t InputApiBlock::LargestMeetingTaps(int64_t most) const {
  int64_t k = Down16(most);
  while (!MeetsTaps(k)) {
    k -= 16;
  }
  return k;
}

void InputApiBlock::StartBlock() {
  const bool tall = m_ >= n_;
  c_.base_k = LargestMeetingTaps(std::min<int64_t>(64, k_));
  c_.base_n = std::min<int64_t>(tall ? 128 : 256, n_);
  c_.base_m = std::min<int64_t>(tall ? 256 : 128, m_);
  const int64_t room_in_l0 = Down16(kHalfL0Elements / c_.base_k);
  if (c_.base_n < 256 && c_.base_k < 64) {
    c_.base_m = std::min({room_in_l0, Down16(kL0cElements / c_.base_n), m_});
  }
  if (c_.base_m < 256 && c_.base_k < 64) {
    c_.base_n = std::min({room_in_l0, Down16(kL0cElements / c_.base_m), n_});
  }
  const int64_t most = std::min(Down16(kHalfL0Elements / std::max(c_.base_m, c_.base_n)), k_);
  const int64_t largest = LargestMeetingTaps(most);
  if (largest > 16) {
    c_.base_k = largest;
  }
}

int64_t InputApiBlock::GradientRows(int64_t pixels) const {
  return std::min(ApiRowsTouched(pixels, p_.wi) + (p_.hk - 1) * p_.dilation_h, (p_.ho - 1) * p_.stride_h + 1);
}

// All the rows behind one block, of one channel.
int64_t InputApiBlock::GradientRowBytes() const { return GradientRows(c_.base_m) * p_.wo * p_.stride_w * 2; }

bool InputApiBlock::Fits(const Steps& steps) const {
  const int64_t k_a = steps.a * c_.base_k;
  const int64_t k_b = steps.b * c_.base_k;
  if (k_a % line_ != 0 || k_b % line_ != 0) {
    return false;
  }
  const Wide a_bytes = Wide{GradientRowBytes()} * AtLeastOne(k_a / taps_) * c_.l1_copies_a;
  const Wide b_bytes = Wide{c_.base_n} * k_b * 2 * c_.l1_copies_b;
  return a_bytes + b_bytes <= kL1Bytes;
}

int64_t InputApiBlock::L1Bytes() const {
  const Wide a_bytes = Wide{GradientRowBytes()} * AtLeastOne(c_.step_ka * c_.base_k / taps_) * c_.l1_copies_a;
  const Wide b_bytes = Wide{c_.base_n} * c_.step_kb * c_.base_k * 2 * c_.l1_copies_b;
  return static_cast<int64_t>(std::min<Wide>(a_bytes + b_bytes, INT64_MAX));
}

void InputApiBlock::Take(const Steps& steps) {
  c_.step_ka = steps.a;
  c_.step_kb = steps.b;
}

// The largest common step; one, fit or not, when no larger one fits.
InputApiBlock::Steps InputApiBlock::SameSteps() const {
  const int64_t whole_lines = line_ / std::gcd(line_, c_.base_k);  // only multiples hold whole lines
  const int64_t most = std::min(CeilDiv(k_, c_.base_k), taps_);
  for (int64_t step = most / whole_lines * whole_lines; step > 1; step -= whole_lines) {
    if (Fits({step, step})) {
      return {step, step};
    }
  }
  return {1, 1};
}

// As many lines as half of L1 holds of each operand, one number dividing the other. May not fit.
InputApiBlock::Steps InputApiBlock::HalfEach() const {
  const auto lines_of = [&](int64_t copies, Wide line_bytes) {
    return std::min(AtLeastOne(static_cast<int64_t>(kHalfL1Bytes / copies / line_bytes)), cout1_);
  };
  int64_t lines_b = lines_of(c_.l1_copies_b, Wide{2} * line_ * c_.base_n);
  int64_t lines_a = lines_of(c_.l1_copies_a, Wide{GradientRowBytes()} * 16);
  if (lines_b > lines_a) {
    lines_a = LargestDivisor(lines_b, [&](int64_t lines) { return lines <= lines_a; });
  } else {
    lines_b = LargestDivisor(lines_a, [&](int64_t lines) { return lines <= lines_b; });
  }
  const int64_t step_a = std::min(CeilDiv(lines_a * line_, c_.base_k), kMostLoad3dColumns / c_.base_k);
  const int64_t step_b = CeilDiv(lines_b * line_, c_.base_k);
  return step_a > step_b ? Steps{step_a / step_b * step_b, step_b} : Steps{step_a, step_b / step_a * step_a};
}

bool InputApiBlock::KeepWeightsResident() {
  c_.l1_copies_a = 2;
  c_.l1_copies_b = 1;
  const int64_t all = CeilDiv(k_, c_.base_k);
  if (!Fits({1, all})) {
    return false;
  }
  Take({LargestDivisor(all, [&](int64_t step) { return Fits({step, all}); }), all});
  return true;
}

void InputApiBlock::ChooseSteps() {
  c_.l1_copies_a = c_.l1_copies_b = 2;
  const Steps half = HalfEach();
  const Steps same = SameSteps();
  Take(Fits(half) && half.a + half.b > same.a + same.b ? half : same);
}

// Only the first pair of copies may end the search: once it fails, the shipped planner walks through all the
// others, and ends with single buffers.
bool InputApiBlock::MakeItFit() {
  constexpr std::array<std::pair<int64_t, int64_t>, 4> kCopies = {{{2, 2}, {2, 1}, {1, 2}, {1, 1}}};
  for (const auto& [copies_a, copies_b] : kCopies) {
    c_.l1_copies_a = copies_a;
    c_.l1_copies_b = copies_b;
    if (!Fits()) {
      Reduce();
    }
    if (copies_a == 2 && copies_b == 2 && Fits()) {
      return true;
    }
  }
  return Fits();
}

bool InputApiBlock::TakeStepsThatFit() {
  Take(SameSteps());
  if (Fits()) {
    return true;
  }
  Take(HalfEach());
  return Fits();
}

// A block that fits after the first loop is lost again, unless a smaller K than the largest one for it fits
// too.
void InputApiBlock::Reduce() {
  const int64_t saved_m = c_.base_m, saved_n = c_.base_n, saved_k = c_.base_k;
  const int64_t least_m = std::max<int64_t>(p_.wi, 16);
  while (c_.base_m > least_m || c_.base_n > 16) {
    if (c_.base_m > least_m && c_.base_m > c_.base_n) {
      c_.base_m -= 16;
    } else {
      c_.base_n -= 16;
    }
    if (TakeStepsThatFit()) {
      break;
    }
  }
  if (!ReduceK()) {
    c_.base_m = saved_m;
    c_.base_n = saved_n;
    c_.base_k = saved_k;
  }
}

bool InputApiBlock::ReduceK() {
  int64_t k = std::min(Down16(kHalfL0Elements / std::max(c_.base_m, c_.base_n)), k_);
  while (k > 16) {
    k -= 16;
    c_.base_k = k;
    if (MeetsTaps(k) && TakeStepsThatFit()) {
      return true;
    }
  }
  return false;
}

namespace {

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
