#include <algorithm>
#include <array>
#include <cmath>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_search.h"
#include "tiling/cost_model.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

class CutSearch {
 public:
  CutSearch(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem),
        soc_(soc),
        dealing_(problem, cores),
        e_(dealing_.extents()),
        cores_(cores),
        all_(TensorBytesOf(problem)) {}

  std::vector<FilterPromisingCut> Best(size_t most_cuts) {
    const std::vector<int64_t> fractals = PartSizes(e_.m / 16, 2 * cores_);
    const std::vector<int64_t> lines = PartSizes(e_.cin1_g, 2 * cores_);
    std::vector<int64_t> rows = PartSizes(p_.ho, 4 * cores_);
    for (const int64_t few : {2, 1}) {  // of one row, rows of x that no window reads stay where they are
      if (few < rows.back()) {
        rows.push_back(few);
      }
    }
    for (const int64_t m : fractals) {
      for (const int64_t n : lines) {
        for (const int64_t k : rows) {
          for (const FilterSplit& split : dealing_.EvenSplitsInto({.m = 16 * m, .lines = n, .rows = k})) {
            found_.push_back(Promise({.split = split, .part = {.m = 16 * m, .lines = n, .rows = k}}));
          }
        }
      }
    }
    const size_t most_together = most_cuts / 2;  // small tasks, which only this way promise anything
    const size_t apart = std::min(most_cuts - most_together, found_.size());
    std::ranges::stable_sort(found_, {}, &Found::apart);
    KeepBest(found_, apart, most_together, &Found::together);
    return {found_.begin(), found_.end()};
  }

  [[nodiscard]] FilterCutWork WorkOf(const FilterCut& cut) const { return Promise(cut).work; }

 private:
  struct Found : FilterPromisingCut {
    double apart;     // cycles where each task's first tiles are waited for
    double together;  // where they come while the task before is at work
  };

  // Cycles below which no block can bring the busiest core, the parts weighed as they overlap.
  [[nodiscard]] Found Promise(const FilterCut& cut) const {
    const FilterSplit& s = cut.split;
    const double active = Real(dealing_.active_pairs()) / Real(p_.batch * p_.dout * p_.dk);
    const double tasks =
        active * Real(CeilDiv(s.parts(), s.used_cores) * CeilDiv(p_.batch * p_.dout, s.batch_dim) *
                      CeilDiv(e_.real_groups, s.group_dim) * CeilDiv(p_.dk, s.dk_dim));
    const double k = Real(cut.part.rows * p_.wo);
    const double columns = Real(cut.part.lines * p_.hk * p_.wk);
    const bool fp32 = p_.dtype == DType::kFp32;
    const double cube = tasks * std::ceil(Real(cut.part.m) / 16) * std::ceil(columns * Real(e_.c0) / 16) *
                        std::ceil(k / Real(e_.c0)) * FractalCycles(soc_, p_.dtype, p_.hf32);
    const double load =
        tasks * columns * std::ceil(k / 16) * 4 * (fp32 ? 2 : 1);  // L0B once, at its best rate
    const double x =
        tasks * Real(cut.part.lines * 32 * p_.wi) *
        Real(std::min((cut.part.rows - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi));
    const double dy = tasks * Real(cut.part.m / e_.c0) * k * 32;
    // what all cores meet they fetch once between them
    const double cores = Real(s.used_cores);
    const double x_first = std::min(x, all_.x / cores);
    const double dy_first = std::min(dy, all_.dy / cores);
    const ReadRates reads = ReadRates::Of(soc_, s.used_cores);
    const double mte2 = reads.Cycles(x, x_first) + reads.Cycles(dy, dy_first);
    const double fix =
        tasks * Real(cut.part.m) * columns * Real(e_.c0) * 4 * cores / L2TotalOf(soc_, L2Work::kAtomic);
    const double longest = std::max({cube, load, mte2, fix});
    const double work =
        longest + 0.1 * (cube + load + mte2 + fix - longest) + LaunchCycles(s.used_cores, soc_);
    const double some = std::max(1.0, tasks);
    return {{.cut = cut,
             .work = {.tasks = tasks, .x_first_bytes = x_first / some, .dy_first_bytes = dy_first / some}},
            work + tasks * Real(soc_.gm_read_latency_cycles) * 2,
            work};
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  const FilterDealing dealing_;
  const FilterExtents& e_;
  int64_t cores_;
  FilterTensorBytes all_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts) {
  return CutSearch(problem, soc, cores).Best(most_cuts);
}

FilterCutWork WorkOfList(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut) {
  return CutSearch(problem, soc, cut.split.used_cores).WorkOf(cut);
}

}  // namespace tilesim
