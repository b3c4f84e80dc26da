#include "tiling/conv_backprop/filter_work.h"

#include <algorithm>
#include <unordered_set>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_tasks.h"

namespace tilesim {
namespace {

constexpr size_t kMostSteps = 64;  // tasks whose order is remembered

// Which parts of a tensor were touched; a part is known by a number.
class Touched {
 public:
  bool Has(int64_t part) const { return parts_.contains(part); }
  // 1 the first time, 0 later.
  double Add(int64_t part) { return parts_.insert(part).second ? 1 : 0; }

 private:
  std::unordered_set<int64_t> parts_;
};

class CoreSurvey {
 public:
  CoreSurvey(const FilterProblem& problem, const FilterCut& cut)
      : p_(problem), e_(ExtentsOf(problem)), s_(cut.split), part_(cut.part) {
    space_ = {.batch_dout = p_.batch * p_.dout, .groups = e_.real_groups, .dk = p_.dk};
    own_rows_ = std::min(
        1.0, static_cast<double>(part_.rows * p_.stride_h) / static_cast<double>(InputRows(part_.rows)));
    active_before_.assign(static_cast<size_t>(p_.dout + 1), 0);
    for (int64_t dout = 0; dout < p_.dout; ++dout) {
      active_before_[static_cast<size_t>(dout + 1)] =
          active_before_[static_cast<size_t>(dout)] + ActiveTaps(dout, p_.dk);
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

  // Products of a core's tasks; of two cores with as many, the one that changes to other parts of dy more
  // often has more to fetch, and counts for a little more.
  double WeightOf(int64_t core) const {
    double weight = 0;
    double changes = 0;
    int64_t last_dy = -1;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      FilterTaskSize size;
      int64_t din = 0;
      if (SizeOf(task, size, din)) {
        weight += static_cast<double>(size.m * size.lines * size.rows);
        changes += PartOfDy(task) == last_dy ? 0 : 1;
        last_dy = PartOfDy(task);
      }
    });
    constexpr double kLittle = 1e-9;
    return weight * (1 + kLittle * changes / (changes + 1));
  }

  FilterCoreWork WorkOf(int64_t core, int64_t most_looked_at) const {
    FilterCoreWork work;
    Touched x, dy, dw;
    double x_parts = 0, dy_parts = 0, dw_parts = 0;
    int64_t seen = 0;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      FilterTaskSize size;
      int64_t din = 0;
      if (!SizeOf(task, size, din) || seen++ >= most_looked_at) {
        return;
      }
      Count(work, size);
      const int64_t image = task.batch_dout / p_.dout;
      const int64_t plane = ((image * p_.di + din) * space_.groups + task.group) * s_.n_dim + task.n;
      const int64_t of_x = plane * (s_.k_dim + 2) + task.k + 1;
      const int64_t of_dy =
          ((task.batch_dout * space_.groups + task.group) * s_.m_dim + task.m) * s_.k_dim + task.k;
      const int64_t of_dw = ((task.group * p_.dk + task.dk) * s_.m_dim + task.m) * s_.n_dim + task.n;
      const bool beside = x.Has(of_x - 1) || x.Has(of_x + 1);  // their rows overlap
      const double x_new = x.Add(of_x) * (beside ? own_rows_ : 1);
      const double dy_new = dy.Add(of_dy);
      const double dw_new = dw.Add(of_dw);
      if (work.first_steps.size() < kMostSteps) {
        work.first_steps.push_back({size, x_new, dy_new, dw_new});
      }
      x_parts += x_new;
      dy_parts += dy_new;
      dw_parts += dw_new;
    });
    const double scale =
        seen > most_looked_at ? static_cast<double>(seen) / static_cast<double>(most_looked_at) : 1;
    for (FilterCoreWork::Tasks& tasks : work.tasks) {
      tasks.count *= scale;
    }
    work.x_new = x_parts * scale;
    work.dy_new = dy_parts * scale;
    work.dw_new =
        dw_parts;  // a stretch long enough to be cut off has met every part of dw it is going to meet
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

  int64_t PartOfDy(const FilterTask& task) const {
    return ((task.batch_dout * space_.groups + task.group) * s_.m_dim + task.m) * s_.k_dim + task.k;
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
  double own_rows_ = 1;                 // share of a part's rows of x that the part beside it does not touch
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
  // grids give a core few tasks; long lists are judged by the number of tasks alone, unless a last, smaller
  // group makes tasks differ much
  const bool list = split.strategy != FilterStrategy::kBaseGrid;
  const bool even_groups = problem.groups % split.merged_groups == 0;
  constexpr int64_t kMostWeighed = 1 << 16;
  const bool counted = list && split.parts() > (even_groups ? most_looked_at : kMostWeighed);
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
