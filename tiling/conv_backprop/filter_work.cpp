#include "tiling/conv_backprop/filter_work.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kDwElementBytes = 4;

// Which parts of a tensor were touched; a part is known by a number.
class Touched {
 public:
  void Add(int64_t part) { parts_.push_back(part); }
  double Distinct() {
    std::ranges::sort(parts_);
    return static_cast<double>(std::ranges::unique(parts_).begin() - parts_.begin());
  }

 private:
  std::vector<int64_t> parts_;
};

class CoreSurvey {
 public:
  CoreSurvey(const FilterProblem& problem, const FilterCut& cut)
      : p_(problem), e_(ExtentsOf(problem)), s_(cut.split), part_(cut.part) {
    space_ = {.batch_dout = p_.batch * p_.dout, .groups = e_.real_groups, .dk = p_.dk};
    active_before_.assign(static_cast<size_t>(p_.dout + 1), 0);
    for (int64_t dout = 0; dout < p_.dout; ++dout) {
      active_before_[static_cast<size_t>(dout + 1)] = active_before_[static_cast<size_t>(dout)] + ActiveTaps(dout, p_.dk);
    }
  }

  // Nothing of a task whose depth lies in the padding or whose channels belong to no group.
  bool SizeOf(const FilterTask& task, FilterTaskSize& size, int64_t& din) const {
    const int64_t dout = task.batch_dout % p_.dout;
    din = dout * p_.stride_d - p_.pad_front + task.dk * p_.dilation_d;
    const int64_t planes_g = e_.cout_g / e_.c0;
    const int64_t planes = std::min(planes_g, CeilDiv(p_.cout, e_.c0) - task.group * planes_g);
    const int64_t lines = std::min(e_.cin1_g, CeilDiv(p_.cin, e_.c0) - task.group * e_.cin1_g);
    size = {.m = std::min(part_.m, planes * e_.c0 - task.m * part_.m),
            .lines = std::min(part_.lines, lines - task.n * part_.lines),
            .rows = std::min(part_.rows, p_.ho - task.k * part_.rows)};
    return din >= 0 && din < p_.di && size.m > 0 && size.lines > 0 && size.rows > 0;
  }

  // Tasks of a core of a list that have something to do, counted without looking at each.
  int64_t ActiveTasksOf(int64_t core) const {
    const bool cuts_k = s_.strategy != FilterStrategy::kBasicBlockMN;
    const int64_t slow = cuts_k ? s_.k_dim : s_.m_dim;
    const int64_t fast = s_.strategy == FilterStrategy::kBasicBlockMK ? s_.m_dim : s_.n_dim;
    const int64_t inner = s_.row_first ? fast : slow;
    const internal::Share share = internal::ShareOf(s_.parts(), s_.used_cores, core);
    return ActiveBefore(share.end, inner) - ActiveBefore(share.begin, inner);
  }

  double WeightOf(int64_t core) const {
    double weight = 0;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      FilterTaskSize size;
      int64_t din = 0;
      if (SizeOf(task, size, din)) {
        weight += static_cast<double>(size.m * size.lines * size.rows);
      }
    });
    return weight;
  }

  FilterCoreWork WorkOf(int64_t core, int64_t most_looked_at) const {
    FilterCoreWork work;
    Touched x, dy, dw;
    int64_t seen = 0;
    FilterTaskSize largest;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      FilterTaskSize size;
      int64_t din = 0;
      if (!SizeOf(task, size, din) || seen++ >= most_looked_at) {
        return;
      }
      Count(work, size);
      const int64_t image = task.batch_dout / p_.dout;
      x.Add((((image * p_.di + din) * space_.groups + task.group) * s_.n_dim + task.n) * s_.k_dim + task.k);
      dy.Add(((task.batch_dout * space_.groups + task.group) * s_.m_dim + task.m) * s_.k_dim + task.k);
      dw.Add(((task.group * p_.dk + task.dk) * s_.m_dim + task.m) * s_.n_dim + task.n);
      largest = {.m = std::max(largest.m, size.m),
                 .lines = std::max(largest.lines, size.lines),
                 .rows = std::max(largest.rows, size.rows)};
    });
    const double scale = seen > most_looked_at ? static_cast<double>(seen) / static_cast<double>(most_looked_at) : 1;
    for (FilterCoreWork::Tasks& tasks : work.tasks) {
      tasks.count *= scale;
    }
    const double line_bytes = 32.0 * static_cast<double>(p_.wi) * static_cast<double>(InputRows(largest.rows));
    work.x_bytes = x.Distinct() * scale * static_cast<double>(largest.lines) * line_bytes;
    work.dy_bytes = dy.Distinct() * scale * static_cast<double>(largest.m / e_.c0 * largest.rows * p_.wo) * 32;
    // a stretch long enough to be cut off has met every part of dw it is going to meet
    work.dw_bytes = dw.Distinct() * static_cast<double>(largest.m * largest.lines * p_.hk * p_.wk * e_.c0) *
                    kDwElementBytes;
    return work;
  }

 private:
  // Taps of depth below `dk` whose plane is not padding.
  int64_t ActiveTaps(int64_t dout, int64_t dk) const {
    int64_t active = 0;
    for (int64_t tap = 0; tap < dk; ++tap) {
      const int64_t din = dout * p_.stride_d - p_.pad_front + tap * p_.dilation_d;
      active += din >= 0 && din < p_.di ? 1 : 0;
    }
    return active;
  }

  // Active tasks among the first `index` of a list whose fastest digit counts to `inner`.
  int64_t ActiveBefore(int64_t index, int64_t inner) const {
    const int64_t taps = index / inner;  // (slow, image, group, dk) passed in full
    const int64_t groups = taps / p_.dk;
    const int64_t images = groups / space_.groups;
    const int64_t dout = images % p_.dout;
    int64_t active = images / p_.dout * active_before_.back() + active_before_[static_cast<size_t>(dout)];
    active *= space_.groups;
    active += groups % space_.groups * ActiveTaps(dout, p_.dk) + ActiveTaps(dout, taps % p_.dk);
    const int64_t in_next = ActiveTaps(dout, taps % p_.dk + 1) - ActiveTaps(dout, taps % p_.dk);
    return active * inner + in_next * (index % inner);
  }

  static void Count(FilterCoreWork& work, const FilterTaskSize& size) {
    for (FilterCoreWork::Tasks& tasks : work.tasks) {
      if (tasks.size == size) {
        tasks.count += 1;
        return;
      }
    }
    work.tasks.push_back({size, 1});
  }

  int64_t InputRows(int64_t rows_out) const {
    return std::min((rows_out - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi);
  }

  const FilterProblem& p_;
  FilterExtents e_;
  const FilterSplit& s_;
  FilterTaskSize part_;
  FilterTaskSpace space_;
  std::vector<int64_t> active_before_;  // taps of depth with something to do, of all outputs before one
};

}  // namespace

double FilterCoreWork::task_count() const {
  double count = 0;
  for (const Tasks& group : tasks) {
    count += group.count;
  }
  return count;
}

FilterCut CutOf(const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return {.split = tiling.split,
          .part = {.m = t.singleCoreCout,
                   .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize,
                   .rows = t.singleCoreHo}};
}

FilterCoreWork BusiestCore(const FilterProblem& problem, const FilterCut& cut, int64_t most_looked_at) {
  const CoreSurvey survey(problem, cut);
  const FilterSplit& split = cut.split;
  // grids give a core few tasks; long lists are judged by the number of tasks alone
  const bool counted = split.strategy != FilterStrategy::kBaseGrid && split.parts() > most_looked_at;
  int64_t busiest = 0;
  double most = -1;
  for (int64_t core = 0; core < split.used_cores; ++core) {
    const double weight = counted ? static_cast<double>(survey.ActiveTasksOf(core)) : survey.WeightOf(core);
    if (weight > most) {
      most = weight;
      busiest = core;
    }
  }
  return survey.WorkOf(busiest, most_looked_at);
}

}  // namespace tilesim
