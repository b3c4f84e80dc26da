#include "tiling/conv_backprop/filter_moves.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kPlaneBytes = 32;  // one pixel of c0 channels

}  // namespace

FilterMoves::FilterMoves(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling,
                         const SocConfig& soc, int64_t cores)
    : p_(problem),
      t_(tiling),
      soc_(soc),
      cores_(cores),
      e_(ExtentsOf(problem)),
      part_a_(AlignedPart(soc, problem.ho * problem.wo * kPlaneBytes)),
      part_b_(AlignedPart(soc, problem.wi * kPlaneBytes)),
      part_b_line_(MeanAlignedPart(soc, problem.wi * kPlaneBytes)) {}

void FilterMoves::Start(const FilterTaskSize& size, const FilterTaskSize& whole) {
  kept_bytes_ = Real(soc_.l2_bytes) / Real(cores_) * Real(size.rows) / Real(whole.rows);
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

CoreShares::Needs FilterMoves::MoveCost(int64_t bytes, int64_t bursts, const FilterFound& found,
                                        double aligned_part) {
  const auto missing = static_cast<int64_t>(Real(bytes) * found.fetched);
  const GmMove move{.bytes = {.hit = bytes - missing, .miss = missing}, .bursts = bursts};
  const auto waited = static_cast<int64_t>(Real(bytes) * std::min(1.0, found.waited));
  const GmMove alone{.bytes = {.hit = bytes - waited, .miss = waited}, .bursts = bursts};
  fetched_bytes_ += Real(missing);
  return {.busy = Real(isa::GmReadCost(soc_, Memory::kL1, alone).busy_cycles),
          .l2 = L2Cycles(soc_, move, cores_, found.same) / aligned_part,
          .hbm = HbmCycles(soc_, move, cores_) / aligned_part,
          .hbm_waits = HbmCycles(soc_, alone, cores_) / aligned_part};
}

// Did the task bring the tile so recently that L2 still has it?
bool FilterMoves::IsKept(double brought) const {
  return brought != kNotMet && fetched_bytes_ - brought <= kept_bytes_;
}

// A tile that the task has brought at `brought`, of a part that it finds so.
FilterFound FilterMoves::FoundOf(const FilterFound& part, double brought) const {
  if (brought == kNotMet) {
    return part;
  }
  const double waited = IsKept(brought) ? 0 : 1;
  return {.fetched = waited * (1 - part.again / 2), .waited = waited, .same = part.again};
}

CoreShares::Needs FilterMoves::LoadA(int64_t m_step, int64_t k_step) {
  double& brought = brought_a_[static_cast<size_t>(m_step * k_steps_a_ + k_step)];
  const FilterFound found = FoundOf(misses_.dy, brought);
  brought = fetched_bytes_;
  const int64_t step_m = int64_t{t_.stepM} * t_.baseM;
  const int64_t step_k = int64_t{t_.stepKa} * t_.baseK;
  const int64_t planes = CeilDiv(std::min(step_m, m_ - m_step * step_m), e_.c0);
  const int64_t pixels = std::min(step_k, k_ - k_step * step_k);
  return MoveCost(planes * pixels * kPlaneBytes, planes, found, part_a_);
}

// Rows that the step before along K has brought are in L2, lines that the one before across if it still has
// them.
CoreShares::Needs FilterMoves::LoadB(int64_t n_step, int64_t k_step) {
  const auto place = static_cast<size_t>(n_step * k_steps_b_ + k_step);
  const Span lines = LinesOfStep(n_step);
  const Span rows = RowsOfStep(k_step);
  const int64_t count = lines.end - lines.begin;
  const int64_t line_from = n_step == 0 ? lines.begin : std::max(lines.begin, LinesOfStep(n_step - 1).end);
  const int64_t row_from = k_step == 0 ? rows.begin : std::max(rows.begin, RowsOfStep(k_step - 1).end);
  const double new_rows = Real(std::max<int64_t>(rows.end - row_from, 0)) / Real(rows.end - rows.begin);
  const double new_lines = Real(lines.end - line_from) / Real(count);
  const FilterFound of_new = FoundOf(misses_.x, brought_b_[place]);
  FilterFound found{.fetched = of_new.fetched * new_lines,
                    .waited = of_new.waited * new_lines,
                    .same = of_new.same,
                    .again = of_new.again};
  if (new_lines < 1) {
    const FilterFound of_old = FoundOf(misses_.x, brought_b_[place - static_cast<size_t>(k_steps_b_)]);
    found.fetched += of_old.fetched * (1 - new_lines);
    found.waited += of_old.waited * (1 - new_lines);
  }
  found.fetched *= new_rows;
  found.waited *= new_rows;
  brought_b_[place] = fetched_bytes_;
  return MoveCost(count * (rows.end - rows.begin) * p_.wi * kPlaneBytes, count, found,
                  count == 1 ? part_b_line_ : part_b_);
}

CoreShares::Needs FilterMoves::Write(int64_t m_extent, int64_t n_extent) const {
  const int64_t bytes = AlignUp(m_extent, int64_t{16}) * n_extent * 4;
  const auto missing = static_cast<int64_t>(Real(bytes) * misses_.dw);
  const GmMove move{
      .bytes = {.hit = bytes - missing, .miss = missing}, .bursts = 1, .l2_work = L2Work::kAtomic};
  const double hbm = HbmCycles(soc_, move, cores_);
  return {.busy = Real(isa::FixpipeCost(soc_, bytes, move).busy_cycles),
          .l2 = L2Cycles(soc_, move, cores_),
          .hbm = hbm,
          .hbm_waits = hbm};
}

}  // namespace tilesim
