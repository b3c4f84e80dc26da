#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/gradient_api_block.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_tiling.h"
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
constexpr int64_t kApiL1Bytes = 524160;  // the size of L1, whatever the platform says
constexpr int64_t kHalfL1Bytes = kApiL1Bytes / 2;

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (the memory it takes for granted and the fits it throws away included). Knows neither fields nor flags.
class InputApiBlock {
 public:
  explicit InputApiBlock(const InputProblem& problem)
      : p_(problem),
        taps_(problem.hk * problem.wk),
        cout1_(CeilDiv(problem.cout, int64_t{16})),
        line_(taps_ * 16),
        m_(AlignUp(problem.hi * problem.wi, int64_t{16})),
        n_(AlignUp(problem.cin, int64_t{16})),
        k_(line_ * cout1_) {}
  // False when no block fits in L1: choice() is then the last one tried.
  bool Choose() {
    StartBlock();
    if (p_.dk == 1 && KeepWeightsResident()) {
      return true;
    }
    ChooseSteps();
    return MakeItFit();
  }

  [[nodiscard]] const CubeChoice& choice() const { return c_; }
  [[nodiscard]] int64_t L1Bytes() const {
    return static_cast<int64_t>(std::min<Wide>(BytesOf({c_.step_ka, c_.step_kb}), INT64_MAX));
  }

 private:
  struct Steps {
    int64_t a, b;
  };

  void StartBlock() {
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

  bool KeepWeightsResident() {
    c_.l1_copies_a = 2;
    c_.l1_copies_b = 1;
    const int64_t all = CeilDiv(k_, c_.base_k);
    if (!Fits({1, all})) {
      return false;
    }
    Take({LargestDivisor(all, [&](int64_t step) { return Fits({step, all}); }), all});
    return true;
  }

  void ChooseSteps() {
    c_.l1_copies_a = c_.l1_copies_b = 2;
    const Steps half = HalfEach();
    const Steps same = SameSteps();
    Take(Fits(half) && half.a + half.b > same.a + same.b ? half : same);
  }
  // Only the first pair of copies may end the search: once it fails, the shipped planner walks through all
  // the others, and ends with single buffers.
  bool MakeItFit() {
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

  // A block that fits after the first loop is lost again, unless a smaller K than the largest one for it fits
  // too.
  void Reduce() {
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

  bool ReduceK() {
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

  void Take(const Steps& steps) {
    c_.step_ka = steps.a;
    c_.step_kb = steps.b;
  }
  // The largest common step; one, fit or not, when no larger one fits.
  [[nodiscard]] Steps SameSteps() const {
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
  [[nodiscard]] Steps HalfEach() const {
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
    return step_a > step_b ? Steps{step_a / step_b * step_b, step_b}
                           : Steps{step_a, step_b / step_a * step_a};
  }

  bool TakeStepsThatFit() {
    Take(SameSteps());
    if (Fits()) {
      return true;
    }
    Take(HalfEach());
    return Fits();
  }

  // A block of K must hold whole lines of taps, or a line whole blocks.
  [[nodiscard]] bool MeetsTaps(int64_t k) const { return k % line_ == 0 || line_ % k == 0; }
  // A multiple of 16; 16 itself always meets the taps.
  [[nodiscard]] int64_t LargestMeetingTaps(int64_t most) const {
    int64_t k = Down16(most);
    while (!MeetsTaps(k)) {
      k -= 16;
    }
    return k;
  }
  // All the rows behind one block, of one channel.
  [[nodiscard]] int64_t GradientRowBytes() const {
    return GradientRowsBehind(p_, c_.base_m) * p_.wo * p_.stride_w * 2;
  }
  [[nodiscard]] Wide BytesOf(const Steps& steps) const {
    const Wide a_bytes = Wide{GradientRowBytes()} * AtLeastOne(steps.a * c_.base_k / taps_) * c_.l1_copies_a;
    return a_bytes + Wide{c_.base_n} * steps.b * c_.base_k * 2 * c_.l1_copies_b;
  }
  [[nodiscard]] bool Fits(const Steps& steps) const {
    return steps.a * c_.base_k % line_ == 0 && steps.b * c_.base_k % line_ == 0 &&
           BytesOf(steps) <= kApiL1Bytes;
  }

  [[nodiscard]] bool Fits() const { return Fits({c_.step_ka, c_.step_kb}); }

  const InputProblem& p_;
  int64_t taps_, cout1_, line_;  // line_: elements of K behind one c0-line of cout, taps * 16
  int64_t m_, n_, k_;
  CubeChoice c_{.l1_copies_a = 2, .l1_copies_b = 2, .iterate_order = 1};
};

constexpr int64_t kL2Bytes = 144 << 20;  // the shipped planner's constant

// The candidates for the extent of a task, whole rows of one plane of dx.
class TaskPixels {
 public:
  TaskPixels(const InputProblem& problem, const CubeChoice& block, int64_t cores)
      : p_(problem),
        cores_(cores),
        base_m_(block.base_m),
        base_n_(block.base_n),
        pixels_(problem.hi * problem.wi),
        least_(AtLeastOne(base_m_ / problem.wi) * problem.wi) {}

  [[nodiscard]] int64_t Choose() const {
    const bool cut_within_rows = p_.wi > 64 && base_m_ % p_.wi != 0 && p_.wi % base_m_ != 0;
    return cut_within_rows ? EvenShare() : WholeBlocks();
  }

 private:
  [[nodiscard]] bool FitsL2(int64_t task_pixels) const {
    const int64_t planes = AtLeastOne(p_.dk / p_.stride_d);
    const int64_t rows = AtLeastOne(GradientRowsBehind(p_, task_pixels) / p_.stride_h);
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
  int64_t cores_, base_m_, base_n_, pixels_, least_;
};

constexpr std::string_view kPlannerLimit = "limit of planner api";
constexpr const char* kUseOp = "use `--planner op`";

// What follows stays within 64 bits while these are within 32.
void CheckProducts(const InputAxis& axis, Rejections& reasons) {
  const auto check = [&](const std::string& field, int64_t value, int64_t factor) {
    if (factor > 0 && value > kMost32 / factor) {
      reasons.push_back({"planner api takes 32-bit extents", field, value, kMost32 / factor,
                         Say(field, " ", kMost32 / factor, " fits")});
    }
  };
  check(Say(axis.letter, 'k'), axis.kernel, axis.dilation);
  check(axis.OutField(), axis.out, axis.stride);
}

// The room that windows have to move in, negative when they have none.
int64_t Room(const InputAxis& axis, bool transpose) {
  return axis.in + axis.pad_before + axis.pad_after - axis.window() - (transpose ? axis.output_pad : 0);
}

std::array<std::string, 2> PadFields(const InputAxis& axis) {
  switch (axis.letter) {
    case 'd':
      return {"padFront", "padBack"};
    case 'h':
      return {"padUp", "padDown"};
    default:
      return {"padLeft", "padRight"};
  }
}

// I5 and I7.
void CheckAgainstKernel(const InputAxis& axis, Rejections& reasons) {
  const std::string stride = axis.Field("stride");
  const int64_t most_stride = axis.letter == 'd' ? axis.kernel : 63;
  const int64_t most_pad = std::min<int64_t>(255, axis.kernel - 1);
  const auto [before, after] = PadFields(axis);
  const std::array<ValueRange, 3> ranges = {
      {{"planner api plans no stride beyond the kernel in depth", stride, axis.stride, 1, most_stride},
       {"planner api plans pads within the kernel alone", before, axis.pad_before, 0, most_pad},
       {"planner api plans pads within the kernel alone", after, axis.pad_after, 0, most_pad}}};
  CheckRanges(ranges, reasons);
}

// I8 and I9: what dy must be padded with.
void CheckPadsOfDy(const InputAxis& axis, Rejections& reasons) {
  const std::string pad = PadFields(axis)[0];
  const auto check = [&](const std::string& rule, const std::string& field, int64_t value, int64_t least) {
    if (value < least || value > 255) {
      reasons.push_back({rule, field, value, value < least ? least : 255, kUseOp});
    }
  };
  if (axis.letter != 'd') {
    check(Say("planner api pads dy by (", axis.letter, "k - 1) * ", axis.Field("dilation"), " - ", pad),
          axis.Field("dilation"), axis.window() - 1 - axis.pad_before, 0);
  }
  check(Say("planner api pads dy by ", axis.InField(), " - ", axis.OutField(), " * ", axis.Field("stride"),
            " + ", pad),
        axis.InField(), axis.in - axis.out * axis.stride + axis.pad_before, -255);
}

// Arguments, and products of two, that the shipped class narrows to 32 bits before some of its tests.
Rejections InputApiBeyond32Bits(const InputProblem& p) {
  Rejections reasons;
  CheckApiWidths(InputArguments(), p, reasons);
  if (reasons.empty()) {
    for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
      CheckProducts(axis, reasons);
    }
  }
  return reasons;
}

// Sizes that contradict each other, and limits of the instructions (I4 to I9).
Rejections InputApiBadSizes(const InputProblem& p) {
  Rejections reasons;
  for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
    // I4. Division is toward zero, so that a window a little too wide counts as one position.
    CheckOutputSize(axis, Room(axis, p.transpose), reasons);
    CheckAgainstKernel(axis, reasons);
    CheckPadsOfDy(axis, reasons);
  }
  if (p.hi > 0 && p.wi > kMost32 / p.hi) {
    reasons.push_back({"planner api takes 32 bits of pixels hi * wi", "wi", p.wi, kMost32 / p.hi,
                       Say("wi ", kMost32 / p.hi, " fits")});
  }
  return reasons;
}

// A dx without pixels. The shipped class refuses it where it computes the sizes itself; sizes that it is
// given it takes, and gives no meaningful answer.
Rejections InputApiNoPixels(const InputProblem& p) {
  const std::array<ValueRange, 3> ranges = {{{kPlannerLimit, "di", p.di, 1, kMost32},
                                             {kPlannerLimit, "hi", p.hi, 1, kMost32},
                                             {kPlannerLimit, "wi", p.wi, 1, kMost32}}};
  Rejections reasons;
  CheckRanges(ranges, reasons);
  return reasons;
}

// Whether rows of dx may get no contribution, by the shipped planner's rule: windows that leave rows over, or
// strides that pass over some.
bool NeedsZeros(const InputProblem& p) {
  const auto leaves_rows = [](const InputAxis& axis) {
    return (axis.in + axis.pad_before + axis.pad_after - axis.window()) % axis.stride > axis.pad_after;
  };
  const bool pads_the_gradient = ShippedPadBehind(AxisH(p)) > 0 || BackpropPadsOf(AxisD(p)).before > 0;
  return leaves_rows(AxisD(p)) || leaves_rows(AxisH(p)) || p.stride_h > p.hk || p.dilation_d > 1 ||
         (p.transpose && pads_the_gradient);
}

Conv3DBackpropInputTilingData Emit(const InputProblem& p, const InputApiBlock& block, int64_t cores) {
  Conv3DBackpropInputTilingData data;
  TConv3DBackpropInputTiling& t = data.conv3DDxTiling;
  const CubeChoice& c = block.choice();
  SetProblemFields(p, t);
  t.backpropPadTail = Low32(ShippedPadBehind(AxisD(p)));
  t.backpropPadDown = Low32(ShippedPadBehind(AxisH(p)));
  t.backpropPadRight = Low32(ShippedPadBehind(AxisW(p)));
  SetChoiceFields(c, t);
  SetTaskFields(t);
  t.initOutputFlag = NeedsZeros(p) ? 1 : 0;
  t.singleCoreCout1 = t.cout1;
  t.singleCoreCout = 16 * t.cout1;
  t.singleCoreCin = static_cast<uint64_t>(c.base_n);
  t.singleCoreCin1 = Low32(c.base_n / 16);
  t.singleCoreM = static_cast<uint64_t>(InputApiTaskPixels(p, block.choice(), cores));
  return data;
}

InputApiPlan Refused(Rejections reasons) {
  InputApiPlan plan;
  plan.reasons = std::move(reasons);
  return plan;
}

// Refused by us: the shipped class has no meaningful answer.
InputApiPlan Undefined(Rejections reasons) {
  InputApiPlan plan = Refused(std::move(reasons));
  plan.flags.push_back({ApiFlag::kBadArg, plan.reasons.front()});
  return plan;
}

InputApiPlan Planned(const InputProblem& p, const CoreMemory& memory, int64_t cores) {
  InputApiBlock block(p);
  if (!block.Choose()) {
    return Refused({{"bytes of L1 for the last block that planner api tries", "wi", block.L1Bytes(),
                     kApiL1Bytes, "use `--planner op`, which tries more of them"}});
  }
  InputApiPlan plan;
  plan.accepted = true;
  plan.data = Emit(p, block, cores);
  plan.flags = FlagsOf(p, plan.data.conv3DDxTiling, block.L1Bytes(), memory);
  return plan;
}

}  // namespace

std::optional<CubeChoice> InputApiBlockOf(const InputProblem& problem) {
  InputApiBlock block(problem);
  return block.Choose() ? std::optional(block.choice()) : std::nullopt;
}

int64_t GradientRowsBehind(const InputProblem& p, int64_t pixels) {
  return std::min(ApiRowsTouched(pixels, p.wi) + (p.hk - 1) * p.dilation_h, (p.ho - 1) * p.stride_h + 1);
}

int64_t InputApiTaskPixels(const InputProblem& problem, const CubeChoice& block, int64_t cores) {
  return TaskPixels(problem, block, cores).Choose();
}

int64_t WindowBeyondInput(const InputAxis& axis, bool transpose) {
  return std::max<int64_t>(0, -Room(axis, transpose));
}

InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores) {
  InputProblem p = problem;
  Rejections reasons = InputApiBeyond32Bits(p);
  if (!reasons.empty()) {
    return Undefined(std::move(reasons));
  }
  CheckApiArguments(InputArguments(), p, reasons);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  if (p.transpose) {
    DeriveTransposedSizes(p);
    reasons = InputApiNoPixels(p);
    if (!reasons.empty()) {
      return Refused(std::move(reasons));
    }
  }
  reasons = InputApiBadSizes(p);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  reasons = InputApiNoPixels(p);
  if (p.cin < 1) {
    reasons.push_back({"limit of planner api", "cin", p.cin, 1, "cin 1 fits"});
  }
  return reasons.empty() ? Planned(p, memory, cores) : Undefined(std::move(reasons));
}

}  // namespace tilesim
