#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/gradient_api_block.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {
namespace {

// Sums of two L1 extents can pass 2^63 for arguments near 2^32.
using Wide = __int128;

using Rung = std::pair<int64_t, int64_t>;
constexpr std::array<Rung, 9> kRungsMN = {
    {{16, 16}, {14, 14}, {12, 12}, {10, 10}, {8, 8}, {6, 6}, {4, 4}, {2, 2}, {1, 1}}};
constexpr std::array<Rung, 7> kRungsMK = {{{8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 1}, {1, 1}}};
constexpr std::array<Rung, 7> kRungsNK = {{{8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}, {1, 1}}};

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (its capacity errors included). Knows neither fields nor flags, and refuses nothing.
class FilterApiBlock {
 public:
  struct Task {
    int64_t m, n, k;
  };

  FilterApiBlock(const FilterProblem& problem, const CoreMemory& memory)
      : p_(problem),
        memory_(memory),
        taps_(problem.hk * problem.wk),
        m_(AlignUp(problem.cout, int64_t{16})),
        n_(taps_ * AlignUp(problem.cin, int64_t{16})),
        k_(AlignUp(problem.ho * problem.wo, int64_t{16})),
        split_(m_ > n_ ? Split::kNK : Split::kMK) {
    const bool strided = problem.stride_h * problem.stride_w > 1;
    const bool taps_meet_c0 = taps_ % 16 == 0 || 16 % taps_ == 0;
    // A batch of nothing counts as too few tasks for split MN.
    if (strided && taps_meet_c0 && problem.batch > 0) {
      split_ = Split::kMN;
    }
  }

  void Choose() {
    c_.iterate_order = m_ > n_ ? 1 : 0;
    StartBlock();
    const std::span<const Rung> rungs = split_ == Split::kMN   ? std::span<const Rung>(kRungsMN)
                                        : split_ == Split::kMK ? std::span<const Rung>(kRungsMK)
                                                               : std::span<const Rung>(kRungsNK);
    if (p_.batch > 0) {
      for (const Rung& rung : rungs) {
        TakeRung(rung);
        if (Fits()) {
          return;
        }
      }
    } else {
      TakeRung(rungs.back());
    }
    if (!Fits()) {
      ReduceToFit();
    }
  }

  [[nodiscard]] const CubeChoice& choice() const { return c_; }
  [[nodiscard]] Task TaskExtents() const {
    const int64_t line = taps_ * 16;
    Task task{.m = c_.step_m * c_.base_m,
              .n = AtLeastOne(c_.step_n * c_.base_n / line) * line,
              .k = AtLeastOne(std::max(c_.step_ka, c_.step_kb) * c_.base_k / p_.wo) * p_.wo};
    switch (split_) {
      case Split::kMN:
        task.k = k_;
        break;
      case Split::kMK:
        task.n = n_;
        break;
      case Split::kNK:
        task.m = m_;
        break;
    }
    return task;
  }

  [[nodiscard]] int64_t L1BoundOfB() const {
    return Bound(c_.base_k * c_.step_kb, c_.step_n * c_.base_n);
  }  // elements of one L1 copy of B
  [[nodiscard]] int64_t L1Bytes() const {
    const int64_t a_bytes = c_.step_ka * c_.base_k * c_.step_m * c_.base_m * 2 * c_.l1_copies_a;
    const Wide b_bytes = Wide{L1BoundOfB()} * 2 * c_.l1_copies_b;
    return static_cast<int64_t>(std::min<Wide>(a_bytes + b_bytes, INT64_MAX));
  }  // of all copies; INT64_MAX where that is too small a number

 private:
  enum class Split { kMN, kMK, kNK };
  using Rung = std::pair<int64_t, int64_t>;  // L1 depths in base blocks, A and B

  void StartBlock() {
    int64_t start_m = 128, start_n = 128, start_k = 128;
    c_.l0c_copies = 2;
    if (split_ == Split::kMN) {
      start_m = m_ > 128 ? 256 : 128;
      start_n = m_ > 128 ? 128 : 256;
      start_k = 64;
      c_.l0c_copies = 1;
    }
    c_.base_m = std::min(start_m, m_);
    c_.base_n = std::min(start_n, n_);
    if (k_ < start_k) {
      c_.base_k = k_;
      return;
    }
    // a smaller M or N leaves room for a longer K in the same L0 bytes
    c_.base_k = std::min({Down16(start_k * start_m / c_.base_m), Down16(start_k * start_n / c_.base_n), k_});
    CutKToWholeRows();
  }

  void TakeRung(const Rung& rung) {
    const auto [depth_a, depth_b] = rung;
    c_.l1_copies_a = depth_a >= 2 ? 2 : 1;
    c_.l1_copies_b = depth_b >= 2 ? 2 : 1;
    const int64_t blocks_a = depth_a / c_.l1_copies_a;
    const int64_t blocks_b = depth_b / c_.l1_copies_b;
    const int64_t k_blocks = CeilDiv(k_, c_.base_k);
    c_.step_ka = std::min(blocks_a, k_blocks);
    c_.step_kb = std::min(blocks_b, k_blocks);
    c_.step_m = c_.step_n = 1;
    if (split_ == Split::kMK) {
      c_.step_m = std::min(blocks_a / c_.step_ka, CeilDiv(m_, c_.base_m));
      c_.step_ka = c_.step_ka / c_.step_kb * c_.step_kb;
    } else if (split_ == Split::kNK) {
      c_.step_n = std::min(blocks_b / c_.step_kb, CeilDiv(n_, c_.base_n));
      c_.step_kb = c_.step_kb / c_.step_ka * c_.step_ka;
    }
  }

  void ReduceToFit() {
    if (ShrinkK()) {
      return;
    }
    ShrinkMAndN();
    GrowBack();
  }
  // Lowers K until the block fits; false when the rest of the reduction has to follow.
  bool ShrinkK() {
    const int64_t row_bytes = Lines(c_.base_n) * 16 * p_.wi * p_.stride_h * 16 * 2;
    const int64_t per_16 = 32 * c_.base_m + CeilDiv(row_bytes, p_.wo);
    const int64_t steps = CeilDiv(int64_t{Excess()}, per_16);
    if (c_.base_k <= 16 * steps) {
      c_.base_k = 16;
      return false;
    }
    c_.base_k -= 16 * steps;
    while (c_.base_k > 16 && !Fits()) {
      c_.base_k -= 16;
      if (c_.base_k <= p_.wo && (p_.wo % c_.base_k == 0 || p_.wo % 16 != 0)) {
        break;
      }
    }
    return Fits();
  }

  void ShrinkMAndN() {
    while (c_.base_m > c_.base_n && !Fits()) {
      c_.base_m -= 16;
    }
    while (c_.base_n > c_.base_m && !Fits()) {
      c_.base_n -= 16;
    }
    if (!Fits()) {
      ShrinkMAndNTogether();
    }
  }

  void ShrinkMAndNTogether() {
    const int64_t per_16 = 32 * c_.base_k + CeilDiv(InputRows(c_.base_k) * p_.wi * 32, taps_);
    const int64_t steps = Low32(CeilDiv(int64_t{Excess()}, per_16));
    if (c_.base_m < 16 * (steps + 1)) {
      c_.base_m = c_.base_n = 16;
      return;
    }
    c_.base_m -= 16 * steps;
    c_.base_n = c_.base_m;
    int64_t lines = Lines(c_.base_n);
    while (c_.base_m > 16 && !Fits()) {
      const int64_t lines_of_m = Lines(c_.base_m);
      if (lines_of_m < lines) {
        c_.base_n = c_.base_m;
        lines = lines_of_m;
      } else {
        c_.base_m -= 16;
      }
    }
  }

  // The shipped planner's growth: negative slack counts as unlimited, and the bound of L0C divides by the
  // wrong extent and the wrong element size. Both are reproduced.
  void GrowBack() {
    const int64_t slack = memory_.l1_bytes - int64_t{Low32(2 * c_.base_k * c_.base_m)} -
                          int64_t{Low32(2 * Bound(c_.base_k, c_.base_n))};
    const int64_t by_l1 = slack < 0 ? m_ : std::min(c_.base_m + 16 * (slack / (32 * c_.base_k)), m_);
    const int64_t by_l0c = 16 * AtLeastOne(memory_.l0c_bytes / 4 / c_.base_m / 16);
    c_.base_m = std::min(by_l1, by_l0c);
    while (Fits()) {
      c_.base_k += 16;
      if (!Fits()) {
        c_.base_k -= 16;
        break;
      }
    }
    if (k_ < c_.base_k) {
      c_.base_k = k_;
      return;
    }
    c_.base_k = std::min({c_.base_k, 16 * AtLeastOne(memory_.l0a_bytes / 4 / c_.base_m / 16),
                          16 * AtLeastOne(memory_.l0b_bytes / 4 / c_.base_n / 16), k_});
    CutKToWholeRows();
  }

  void CutKToWholeRows() {
    if (p_.wo < c_.base_k && p_.wo % 16 == 0) {
      c_.base_k = c_.base_k / p_.wo * p_.wo;
    }
  }

  [[nodiscard]] int64_t Lines(int64_t n_extent) const {
    const int64_t n = CeilDiv(n_extent, int64_t{16});
    const int64_t lines = CeilDiv(n, taps_);
    const bool one_more = (taps_ > n && taps_ % n != 0) || (2 * n) % taps_ != 0;
    return one_more ? lines + 1 : lines;
  }
  // Not clamped to the rows of the image: the shipped planner does not clamp.
  [[nodiscard]] int64_t InputRows(int64_t k_extent) const {
    return (ApiRowsTouched(k_extent, p_.wo) - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1;
  }
  [[nodiscard]] int64_t Bound(int64_t k_extent, int64_t n_extent) const {
    return InputRows(k_extent) * p_.wi * Lines(n_extent) * 16;
  }
  // Bytes beyond L1 for single buffers and steps of one, in the 32-bit arithmetic of the shipped planner.
  [[nodiscard]] uint32_t Excess() const {
    const uint32_t bytes = Low32(2 * c_.base_k * c_.base_m) + Low32(2 * Bound(c_.base_k, c_.base_n));
    return int64_t{bytes} > memory_.l1_bytes ? bytes - Low32(memory_.l1_bytes) : 0;
  }
  [[nodiscard]] bool Fits() const {
    const int64_t padded_k = AlignUp(c_.base_k, int64_t{16});
    return padded_k * c_.base_m * 4 <= memory_.l0a_bytes && padded_k * c_.base_n * 4 <= memory_.l0b_bytes &&
           L1Bytes() <= memory_.l1_bytes;
  }

  const FilterProblem& p_;
  CoreMemory memory_;
  int64_t taps_, m_, n_, k_;
  Split split_;
  CubeChoice c_;
};

Rejections ArgumentsBeyond32Bits(const FilterProblem& p) {
  Rejections reasons;
  CheckApiWidths(FilterArguments(), p, reasons);
  // the planner's own products stay within 64 bits below this
  constexpr int64_t kMostPixels = int64_t{1} << 60;
  if (reasons.empty() && p.ho > 0 && p.wo > kMostPixels / p.ho) {
    reasons.push_back({"planner api takes up to 2^60 output pixels ho * wo", "wo", p.wo, kMostPixels / p.ho,
                       Say("wo ", kMostPixels / p.ho, " fits")});
  }
  return reasons;
}

Conv3DBackpropFilterTilingData Emit(const FilterProblem& p, const FilterApiBlock& block,
                                    const CoreMemory& memory) {
  Conv3DBackpropFilterTilingData data;
  TConv3DBpFilterTiling& t = data.dwTiling;
  const FilterApiBlock::Task task = block.TaskExtents();
  data.params.totalL1Size = Low32(memory.l1_bytes);
  SetProblemFields(p, t);
  SetTaskFields(block.choice(), 16, t);
  t.bl1Bound = Low32(block.L1BoundOfB());
  t.hf32Flag = 0;
  t.singleCoreCout = Low32(task.m);
  t.singleCoreHo = Low32(task.k / p.wo);
  t.singleCoreCin = Low32(task.n / (p.hk * p.wk * 16) * 16);
  data.basicBlockTiling = {Low32(task.m), Low32(task.n), Low32(task.k)};
  return data;
}

}  // namespace

FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory) {
  FilterApiPlan plan;
  plan.reasons = ArgumentsBeyond32Bits(problem);
  if (!plan.reasons.empty()) {
    plan.flags.push_back({ApiFlag::kBadArg, plan.reasons.front()});
    return plan;
  }
  CheckApiArguments(FilterArguments(), problem, plan.reasons);
  if (!plan.reasons.empty()) {
    return plan;
  }
  FilterApiBlock block(problem, memory);
  block.Choose();
  plan.accepted = true;
  plan.data = Emit(problem, block, memory);
  plan.flags = FlagsOf(problem, plan.data, block.L1Bytes(), memory);
  return plan;
}

}  // namespace tilesim
