#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/candidates.h"
#include "tiling/conv_backprop/filter_tasks.h"
#include "tiling/conv_backprop/gradient_search.h"
#include "tiling/cost_model.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

// How many of each counted thing one core meets.
struct Met {
  double m, n, k, images, groups, dk;
  double tasks;
};

class CutSearch {
 public:
  CutSearch(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), e_(ExtentsOf(problem)), cores_(cores), images_(problem.batch * problem.dout) {
    all_ = TensorBytesOf(problem);
    for (int64_t parts = 1; parts <= std::min(p_.dk, cores_); ++parts) {
      active_.push_back(ActiveShare(parts));
    }
  }

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
      for (const int64_t k : rows) {
        AddList(FilterStrategy::kBasicBlockMK, {.m = 16 * m, .lines = e_.cin1_g, .rows = k});
      }
      for (const int64_t n : lines) {
        AddList(FilterStrategy::kBasicBlockMN, {.m = 16 * m, .lines = n, .rows = p_.ho});
      }
    }
    for (const int64_t n : lines) {
      for (const int64_t k : rows) {
        AddList(FilterStrategy::kBasicBlockNK, {.m = e_.m, .lines = n, .rows = k});
      }
    }
    AddGrids(fractals, lines, rows);
    const size_t most_together = most_cuts / 2;  // small tasks, which only this way promise anything
    const size_t apart = std::min(most_cuts - most_together, found_.size());
    std::ranges::partial_sort(found_, found_.begin() + static_cast<ptrdiff_t>(apart), {}, &Found::apart);
    KeepBest(found_, apart, most_together, &Found::together);
    std::vector<FilterPromisingCut> cuts;
    for (const Found& found : found_) {
      cuts.push_back({.cut = found.cut, .work = found.work});
    }
    return cuts;
  }

  [[nodiscard]] FilterCutWork WorkOfList(const FilterCut& cut) const {
    return Promise(cut, MetOnList(cut.split)).work;
  }

 private:
  struct Found {
    FilterCut cut;
    FilterCutWork work;
    double apart;     // cycles where each task's first tiles are waited for
    double together;  // where they come while the task before is at work
  };

  [[nodiscard]] FilterCut CutInto(FilterStrategy strategy, const FilterTaskSize& part) const {
    FilterCut cut{.split = {}, .part = part};
    cut.split.strategy = strategy;
    cut.split.m_dim = CeilDiv(e_.m, part.m);
    cut.split.n_dim = CeilDiv(e_.cin1_g, part.lines);
    cut.split.k_dim = CeilDiv(p_.ho, part.rows);
    cut.split.groups = p_.groups;
    cut.split.merged_groups = e_.merged;
    return cut;
  }

  // Of the (dout, dk) of a core that has most of them that look at more than padding, dk in so many parts.
  [[nodiscard]] double ActiveShare(int64_t parts) const {
    const ConvDepth depth = DepthOf(p_);
    double most = 0;
    for (int64_t part = 0; part < parts; ++part) {
      const internal::Share taps = internal::ShareOf(p_.dk, parts, part);
      int64_t active = 0;
      for (int64_t dk = taps.begin; dk < taps.end; ++dk) {
        for (int64_t dout = 0; dout < p_.dout; ++dout) {
          active += depth.InputPlaneOf(dout, dk) >= 0 ? 1 : 0;
        }
      }
      most = std::max(most, Real(active) / Real((taps.end - taps.begin) * p_.dout));
    }
    return most;
  }

  void AddList(FilterStrategy strategy, const FilterTaskSize& part) {
    FilterCut cut = CutInto(strategy, part);
    FilterSplit& s = cut.split;
    s.batch_dim = images_;
    s.group_dim = e_.real_groups;
    s.dk_dim = p_.dk;
    const int64_t parts = s.parts();
    s.used_cores = CeilDiv(parts, CeilDiv(parts, cores_));  // more would not have fewer tasks on the busiest
    for (const bool column_first : {false, true}) {
      s.column_first = column_first;
      Keep(cut, MetOnList(s));
      if (s.m_dim * s.n_dim * s.k_dim == 1) {
        break;
      }
    }
  }

  // Walks the list's digits from the fastest up: a stretch of `tasks` meets all values of the fast ones.
  [[nodiscard]] Met MetOnList(const FilterSplit& s) const {
    Met met{.m = 1, .n = 1, .k = 1, .images = 1, .groups = 1, .dk = 1, .tasks = 0};
    met.tasks = std::ceil(static_cast<double>(s.parts()) / static_cast<double>(s.used_cores));
    const bool cuts_k = s.strategy != FilterStrategy::kBasicBlockMN;
    double* slow = cuts_k ? &met.k : &met.m;
    double* fast = s.strategy == FilterStrategy::kBasicBlockMK ? &met.m : &met.n;
    auto slow_count = static_cast<double>(cuts_k ? s.k_dim : s.m_dim);
    auto fast_count = static_cast<double>(s.strategy == FilterStrategy::kBasicBlockMK ? s.m_dim : s.n_dim);
    if (s.column_first) {
      std::swap(slow, fast);
      std::swap(slow_count, fast_count);
    }
    double left = met.tasks;
    const auto walk = [&](double* digit, double count) {
      *digit = std::min(count, std::ceil(left));
      left = std::max(1.0, left / count);
    };
    walk(fast, fast_count);
    walk(&met.dk, static_cast<double>(s.dk_dim));
    walk(&met.groups, static_cast<double>(s.group_dim));
    walk(&met.images, static_cast<double>(s.batch_dim));
    walk(slow, slow_count);
    return met;
  }

  void AddGrids(const std::vector<int64_t>& fractals, const std::vector<int64_t>& lines,
                const std::vector<int64_t>& rows) {
    for (const int64_t m : fractals) {
      for (const int64_t n : lines) {
        for (const int64_t k : rows) {
          FilterCut cut = CutInto(FilterStrategy::kBaseGrid, {.m = 16 * m, .lines = n, .rows = k});
          const int64_t cells = cut.split.m_dim * cut.split.n_dim * cut.split.k_dim;
          if (cells <= cores_) {
            AddGridsOver(cut, cores_ / cells);
          }
        }
      }
    }
  }

  // `left` cores for each cell of M, N and K: given to dk, groups and images.
  void AddGridsOver(FilterCut cut, int64_t left) {
    FilterSplit& s = cut.split;
    for (int64_t dk = 1; dk <= std::min(p_.dk, left); ++dk) {
      s.dk_dim = dk;
      s.group_dim = std::min(e_.real_groups, left / dk);
      s.batch_dim = std::min(images_, left / dk / s.group_dim);
      KeepGrid(cut);
      if (e_.real_groups > 1) {
        s.batch_dim = std::min(images_, left / dk);
        s.group_dim = std::min(e_.real_groups, left / dk / s.batch_dim);
        KeepGrid(cut);
      }
    }
  }

  void KeepGrid(FilterCut& cut) {
    FilterSplit& s = cut.split;
    s.used_cores = s.parts();
    const auto share = [](int64_t whole, int64_t parts) {
      return static_cast<double>(CeilDiv(whole, parts));
    };
    Met met{.m = 1,
            .n = 1,
            .k = 1,
            .images = share(images_, s.batch_dim),
            .groups = share(e_.real_groups, s.group_dim),
            .dk = share(p_.dk, s.dk_dim),
            .tasks = 0};
    met.tasks = met.images * met.groups * met.dk;
    Keep(cut, met);
  }

  // Strategies that would deal out the same tasks in the same order are one cut.
  void Keep(const FilterCut& cut, const Met& met) {
    const FilterSplit& s = cut.split;
    std::array<int64_t, 10> key = {
        s.used_cores, cut.part.m, cut.part.lines, cut.part.rows, 0, 0, s.batch_dim, s.group_dim, s.dk_dim, 1};
    if (s.strategy != FilterStrategy::kBaseGrid) {
      int64_t slow = s.strategy == FilterStrategy::kBasicBlockMN ? s.m_dim : s.k_dim;
      int64_t fast = s.strategy == FilterStrategy::kBasicBlockMK ? s.m_dim : s.n_dim;
      if (s.column_first) {
        std::swap(slow, fast);
      }
      key[4] = slow;
      key[5] = fast;
      key[9] = 0;
    }
    if (seen_.insert(key).second) {
      found_.push_back(Promise(cut, met));
    }
  }

  // Planes of depth that `images` consecutive outputs and `dk` taps of depth look at.
  [[nodiscard]] double PlanesMet(const Met& met) const {
    const double whole = std::ceil(met.images / static_cast<double>(p_.dout)) * static_cast<double>(p_.di);
    return std::min(
        {met.images * met.dk, whole,
         met.images * static_cast<double>(p_.stride_d) + (met.dk - 1) * static_cast<double>(p_.dilation_d)});
  }

  // Cycles below which no block can bring the busiest core, the parts weighed as they overlap.
  [[nodiscard]] Found Promise(const FilterCut& cut, const Met& met) const {
    const double taps = Real(p_.hk * p_.wk);
    const double k = Real(cut.part.rows * p_.wo);
    const double columns = Real(cut.part.lines) * taps;
    const bool fp32 = p_.dtype == DType::kFp32;
    const double fractal = FractalCycles(soc_, p_.dtype, p_.hf32);
    const bool grid = cut.split.strategy == FilterStrategy::kBaseGrid;
    const double tasks = met.tasks * active_[grid ? static_cast<size_t>(cut.split.dk_dim - 1) : 0];
    const double cube = tasks * std::ceil(Real(cut.part.m) / 16) * std::ceil(columns * Real(e_.c0) / 16) *
                        std::ceil(k / Real(e_.c0)) * fractal;
    const double load =
        tasks * columns * std::ceil(k / 16) * 4 * (fp32 ? 2 : 1);  // L0B once, at its best rate
    const double x_parts = PlanesMet(met) * met.groups * met.n * met.k;
    const double dy_parts = met.images * met.groups * met.m * met.k;
    const double x =
        x_parts * Real(cut.part.lines * 32 * p_.wi) *
        Real(std::min((cut.part.rows - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi));
    const double dy = dy_parts * Real(cut.part.m / e_.c0) * k * 32;
    const double dw = met.dk * met.groups * met.m * met.n * Real(cut.part.m) * columns * Real(e_.c0) * 4;
    const double writes = tasks * Real(cut.part.m) * columns * Real(e_.c0) * 4;
    const ReadRates reads = ReadRates::Of(soc_, cut.split.used_cores);
    const double hbm_write = soc_.hbm_total_bytes_per_cycle / Real(cut.split.used_cores);
    const double dw_first = WritesWaitForHbm(soc_) ? std::min(dw, writes) : 0;
    const double fix = dw_first / hbm_write +
                       (writes - dw_first) * Real(cut.split.used_cores) / L2TotalOf(soc_, L2Work::kAtomic);
    // what all cores meet they fetch once between them
    const double cores = Real(cut.split.used_cores);
    const double x_first = std::min(x, all_.x / cores);
    const double dy_first = std::min(dy, all_.dy / cores);
    const double mte2 = reads.Cycles(x, x_first) + reads.Cycles(dy, dy_first);
    const std::array<double, 4> pipes = {cube, load, mte2, fix};
    const double longest = *std::ranges::max_element(pipes);
    const double all = cube + load + mte2 + fix;
    const double work = longest + 0.1 * (all - longest) + LaunchCycles(cut.split.used_cores, soc_);
    const double some = std::max(1.0, tasks);
    return {.cut = cut,
            .work = {.tasks = tasks,
                     .x_first_bytes = x_first / some,
                     .dy_first_bytes = dy_first / some,
                     .dw_new = met.dk * met.groups * met.m * met.n},
            .apart = work + tasks * Real(soc_.gm_read_latency_cycles) * 2,
            .together = work};
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  FilterExtents e_;
  int64_t cores_;
  int64_t images_;
  std::vector<double> active_;  // ActiveShare, by parts
  FilterTensorBytes all_;
  std::vector<Found> found_;
  std::set<std::array<int64_t, 10>> seen_;
};

}  // namespace

std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts) {
  return CutSearch(problem, soc, cores).Best(most_cuts);
}

FilterCutWork WorkOfList(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut) {
  return CutSearch(problem, soc, cut.split.used_cores).WorkOfList(cut);
}

}  // namespace tilesim
