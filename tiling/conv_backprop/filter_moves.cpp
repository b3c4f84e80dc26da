#include "tiling/conv_backprop/filter_moves.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kPlaneBytes = 32;  // one pixel of c0 channels

double Cycles(int64_t cycles) { return static_cast<double>(cycles); }

}  // namespace

FilterMoves::FilterMoves(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling,
                         const SocConfig& soc, int64_t cores)
    : p_(problem),
      t_(tiling),
      soc_(soc),
      cores_(cores),
      e_(ExtentsOf(problem)),
      kept_bytes_(Cycles(soc.l2_bytes) / Cycles(cores)),
      part_a_(AlignedPart(soc, problem.ho * problem.wo * kPlaneBytes)),
      part_b_(AlignedPart(soc, problem.wi * kPlaneBytes)),
      part_b_line_(MeanAlignedPart(soc, problem.wi * kPlaneBytes)) {}

void FilterMoves::Start(const FilterTaskSize& size) {
  m_ = size.m;
  n_ = size.lines * p_.hk * p_.wk * e_.c0;
  k_ = size.rows * p_.wo;
  k_steps_a_ = CeilDiv(k_, int64_t{t_.stepKa} * t_.baseK);
  k_steps_b_ = CeilDiv(k_, int64_t{t_.stepKb} * t_.baseK);
  brought_a_.assign(static_cast<size_t>(CeilDiv(m_, int64_t{t_.stepM} * t_.baseM) * k_steps_a_), kNotMet);
  brought_b_.assign(static_cast<size_t>(CeilDiv(n_, int64_t{t_.stepN} * t_.baseN) * k_steps_b_), kNotMet);
}

// Rows of the feature map, counted from the first that the task touches.
FilterMoves::Span FilterMoves::RowsOfStep(int64_t k_step) const {
  const int64_t extent = int64_t{t_.stepKb} * t_.baseK;
  const int64_t first_k = k_step * extent;
  const int64_t last_k = std::min(first_k + extent, k_) - 1;
  const int64_t first = first_k / p_.wo * p_.stride_h;
  const int64_t last = last_k / p_.wo * p_.stride_h + (p_.hk - 1) * p_.dilation_h;
  return {first, std::min(last + 1, first + p_.hi)};
}

FilterMoves::Span FilterMoves::LinesOfStep(int64_t n_step) const {
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const int64_t extent = int64_t{t_.stepN} * t_.baseN;
  const int64_t first = n_step * extent;
  const int64_t last = std::min(first + extent, n_) - 1;
  return {first / line, last / line + 1};
}

CoreShares::Needs FilterMoves::MoveCost(int64_t bytes, int64_t bursts, const Found& found) {
  const auto missing = static_cast<int64_t>(Cycles(bytes) * found.miss);
  const GmMove move{.bytes = {.hit = bytes - missing, .miss = missing}, .bursts = bursts};
  const auto waited = static_cast<int64_t>(Cycles(bytes) * std::min(1.0, found.waits));
  const GmMove alone{.bytes = {.hit = bytes - waited, .miss = waited}, .bursts = bursts};
  fetched_bytes_ += Cycles(missing);
  return {.busy = Cycles(isa::GmReadCost(soc_, Memory::kL1, alone).busy_cycles),
          .l2 = L2Cycles(soc_, move, cores_, found.same) / found.aligned_part,
          .hbm = HbmCycles(soc_, move, cores_) / found.aligned_part,
          .hbm_waits = HbmCycles(soc_, alone, cores_) / found.aligned_part};
}

// Did the task bring the tile so recently that L2 still has it? It brings it now.
bool FilterMoves::IsKept(double& brought, bool& is_new) {
  is_new = brought == kNotMet;
  const bool kept = !is_new && fetched_bytes_ - brought <= kept_bytes_;
  brought = fetched_bytes_;
  return kept;
}

CoreShares::Needs FilterMoves::LoadA(int64_t m_step, int64_t k_step) {
  bool is_new = false;
  const bool kept = IsKept(brought_a_[static_cast<size_t>(m_step * k_steps_a_ + k_step)], is_new);
  const int64_t step_m = int64_t{t_.stepM} * t_.baseM;
  const int64_t step_k = int64_t{t_.stepKa} * t_.baseK;
  const int64_t planes = CeilDiv(std::min(step_m, m_ - m_step * step_m), e_.c0);
  const int64_t pixels = std::min(step_k, k_ - k_step * step_k);
  const double fetched = 1 - misses_.dy_same / 2;  // by this core, of what has left L2
  const double miss = is_new ? misses_.dy : kept ? 0 : fetched;
  return MoveCost(
      planes * pixels * kPlaneBytes, planes,
      {.miss = miss, .waits = miss / misses_.dy_fetched, .same = misses_.dy_same, .aligned_part = part_a_});
}

// Lines and rows that the steps before have brought are not new.
CoreShares::Needs FilterMoves::LoadB(int64_t n_step, int64_t k_step) {
  bool is_new = false;
  const bool kept = IsKept(brought_b_[static_cast<size_t>(n_step * k_steps_b_ + k_step)], is_new);
  const Span lines = LinesOfStep(n_step);
  const Span rows = RowsOfStep(k_step);
  const int64_t count = lines.end - lines.begin;
  const int64_t line_from = n_step == 0 ? lines.begin : std::max(lines.begin, LinesOfStep(n_step - 1).end);
  const int64_t row_from = k_step == 0 ? rows.begin : std::max(rows.begin, RowsOfStep(k_step - 1).end);
  const int64_t new_parts = (lines.end - line_from) * std::max<int64_t>(rows.end - row_from, 0);
  const double new_share = Cycles(new_parts) / Cycles(count * (rows.end - rows.begin));
  const double fetched = 1 - misses_.x_same / 2;
  const double miss = kept ? 0 : (is_new ? misses_.x : fetched) * new_share;
  return MoveCost(count * (rows.end - rows.begin) * p_.wi * kPlaneBytes, count,
                  {.miss = miss,
                   .waits = miss / misses_.x_fetched,
                   .same = misses_.x_same,
                   .aligned_part = count == 1 ? part_b_line_ : part_b_});
}

CoreShares::Needs FilterMoves::Write(int64_t m_extent, int64_t n_extent) const {
  const int64_t bytes = AlignUp(m_extent, int64_t{16}) * n_extent * 4;
  const auto missing = static_cast<int64_t>(Cycles(bytes) * misses_.dw);
  const GmMove move{
      .bytes = {.hit = bytes - missing, .miss = missing}, .bursts = 1, .l2_work = L2Work::kAtomic};
  const double hbm = HbmCycles(soc_, move, cores_);
  return {.busy = Cycles(isa::FixpipeCost(soc_, bytes, move).busy_cycles),
          .l2 = L2Cycles(soc_, move, cores_),
          .hbm = hbm,
          .hbm_waits = hbm};
}

}  // namespace tilesim
