#include "tiling/conv_backprop/filter_work.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "formats/units.h"
#include "tiling/conv_backprop/filter_depth.h"
#include "tiling/conv_backprop/filter_tasks.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

constexpr size_t kMostSteps = 64;  // tasks whose order is remembered

// Which parts of a tensor were touched; a part is known by a number. What was touched more than `kept` bytes
// of moves ago is forgotten.
class Touched {
 public:
  explicit Touched(double kept) : kept_(kept) {}
  bool Has(int64_t part, double now) const {
    const auto at = parts_.find(part);
    return at != parts_.end() && now - at->second <= kept_;
  }
  // 1 the first time and when it was forgotten, else 0.
  double Add(int64_t part, double now) {
    const bool has = Has(part, now);
    parts_[part] = now;
    return has ? 0 : 1;
  }
  // How many there are.
  [[nodiscard]] double count() const { return static_cast<double>(parts_.size()); }

 private:
  double kept_;
  std::unordered_map<int64_t, double> parts_;
};

class CoreSurvey {
 public:
  CoreSurvey(const FilterProblem& problem, const FilterCut& cut, int64_t l2_bytes)
      : p_(problem),
        e_(ExtentsOf(problem)),
        depth_(problem),
        s_(cut.split),
        part_(cut.part),
        kept_bytes_(static_cast<double>(l2_bytes) / static_cast<double>(cut.split.used_cores)) {
    space_ = {.batch_dout = p_.batch * p_.dout, .groups = e_.real_groups, .dk = p_.dk};
    own_rows_ = std::min(
        1.0, static_cast<double>(part_.rows * p_.stride_h) / static_cast<double>(InputRows(part_.rows)));
  }

  // Nothing of a task whose depth lies in the padding or whose channels belong to no group.
  bool SizeOf(const FilterTask& task, FilterTaskSize& size, int64_t& din) const {
    din = depth_.PlaneOf(task.batch_dout % p_.dout, task.dk);
    const int64_t planes_g = e_.cout_g / e_.c0;
    const int64_t planes = std::min(planes_g, CeilDiv(p_.cout, e_.c0) - task.group * planes_g);
    const int64_t lines = std::min(e_.cin1_g, CeilDiv(p_.cin, e_.c0) - task.group * e_.cin1_g);
    size = {.m = std::min(part_.m, planes * e_.c0 - task.m * part_.m),
            .lines = std::min(part_.lines, lines - task.n * part_.lines),
            .rows = std::min(part_.rows, p_.ho - task.k * part_.rows)};
    return depth_.Exists(din) && size.m > 0 && size.lines > 0 && size.rows > 0;
  }

  // Tasks of a core that have something to do, counted without looking at each.
  [[nodiscard]] int64_t ActiveTasksOf(int64_t core) const {
    if (s_.strategy == FilterStrategy::kBaseGrid) {
      return ActiveTasksOfCell(core);
    }
    const bool cuts_k = s_.strategy != FilterStrategy::kBasicBlockMN;
    const int64_t slow = cuts_k ? s_.k_dim : s_.m_dim;
    const int64_t fast = s_.strategy == FilterStrategy::kBasicBlockMK ? s_.m_dim : s_.n_dim;
    const int64_t inner = s_.row_first ? fast : slow;
    const internal::Share share = internal::ShareOf(s_.parts(), s_.used_cores, core);
    return ActiveBefore(share.end, inner) - ActiveBefore(share.begin, inner);
  }

  // Products of a core's tasks; of two cores with as many, the one that changes to other parts of dy more
  // often has more to fetch, and counts for a little more.
  [[nodiscard]] double WeightOf(int64_t core) const {
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

  [[nodiscard]] FilterCoreWork WorkOf(int64_t core, int64_t most_looked_at) const {
    FilterCoreWork work;
    Touched x(kept_bytes_), dy(kept_bytes_), dw(std::numeric_limits<double>::max());
    double x_parts = 0, dy_parts = 0, dw_parts = 0;
    double now = 0;  // bytes fetched so far
    int64_t seen = 0;
    int64_t passed = 0;  // with nothing to do
    bool cut_off = false;
    ForEachFilterTask(s_, space_, core, [&](const FilterTask& task) {
      FilterTaskSize size;
      int64_t din = 0;
      if (!SizeOf(task, size, din)) {
        constexpr int64_t kMostPassed = 1 << 18;
        cut_off = ++passed == kMostPassed;
        return !cut_off;
      }
      cut_off = seen == most_looked_at;
      if (cut_off) {
        return false;
      }
      ++seen;
      Count(work, size);
      const int64_t image = task.batch_dout / p_.dout;
      const int64_t plane = ((image * p_.di + din) * space_.groups + task.group) * s_.n_dim + task.n;
      const int64_t of_x = plane * (s_.k_dim + 2) + task.k + 1;
      const int64_t of_dy = PartOfDy(task);
      const int64_t of_dw = ((task.group * p_.dk + task.dk) * s_.m_dim + task.m) * s_.n_dim + task.n;
      const bool beside = x.Has(of_x - 1, now) || x.Has(of_x + 1, now);  // their rows overlap
      const double x_new = x.Add(of_x, now) * (beside ? own_rows_ : 1);
      const double dy_new = dy.Add(of_dy, now);
      const double dw_new = dw.Add(of_dw, now);
      now += 32 * (x_new * static_cast<double>(size.lines * InputRows(size.rows) * p_.wi) +
                   dy_new * static_cast<double>(size.m / e_.c0 * size.rows * p_.wo));
      if (work.first_steps.size() < kMostSteps) {
        work.first_steps.push_back({size, x_new, dy_new, dw_new});
      }
      x_parts += x_new;
      dy_parts += dy_new;
      dw_parts += dw_new;
      return true;
    });
    const double scale =
        cut_off && seen > 0 ? static_cast<double>(ActiveTasksOf(core)) / static_cast<double>(seen) : 1;
    for (FilterCoreWork::Tasks& tasks : work.tasks) {
      tasks.count *= scale;
    }
    work.x_new = x_parts * scale;
    work.dy_new = dy_parts * scale;
    // a stretch long enough to be cut off has met every part of dw it is going to meet
    work.dw_new = dw_parts;
    ShareAmong(s_.used_cores, x.count() * own_rows_ * scale, dy.count() * scale, work);
    return work;
  }

 private:
  // What all cores meet they fetch once between them, as if each met as many different parts as this one.
  void ShareAmong(int64_t cores, double x_met, double dy_met, FilterCoreWork& work) const {
    double x_rows = 0, dy_rows = 0;  // of the tasks' parts
    for (const FilterCoreWork::Tasks& tasks : work.tasks) {
      x_rows += tasks.count * static_cast<double>(tasks.size.lines * InputRows(tasks.size.rows));
      dy_rows += tasks.count * static_cast<double>(tasks.size.m / e_.c0 * tasks.size.rows);
    }
    const double all = std::max(1.0, work.task_count()) / static_cast<double>(cores);
    const auto x = static_cast<double>(p_.batch * p_.di * CeilDiv(p_.cin, e_.c0) * p_.hi);
    const auto dy = static_cast<double>(p_.batch * p_.dout * CeilDiv(p_.cout, e_.c0) * p_.ho);
    const double x_share = std::min(1.0, x * all / std::max(1.0, x_rows * x_met));
    const double dy_share = std::min(1.0, dy * all / std::max(1.0, dy_rows * dy_met));
    work.x_same = SameShare(x_share);
    work.dy_same = SameShare(dy_share);
    work.x_fetched = x_share;
    work.dy_fetched = dy_share;
    work.x_new *= x_share;
    work.dy_new *= dy_share;
    for (FilterCoreWork::Step& step : work.first_steps) {
      step.x_new *= x_share;
      step.dy_new *= dy_share;
    }
  }

  [[nodiscard]] int64_t ActiveTasksOfCell(int64_t core) const {
    int64_t rest = core / (s_.k_dim * s_.n_dim * s_.m_dim);
    const internal::Share images = internal::ShareOf(space_.batch_dout, s_.batch_dim, rest % s_.batch_dim);
    rest /= s_.batch_dim;
    const internal::Share taps = internal::ShareOf(space_.dk, s_.dk_dim, rest % s_.dk_dim);
    const internal::Share groups = internal::ShareOf(space_.groups, s_.group_dim, rest / s_.dk_dim);
    const auto active_images = [&](int64_t image, int64_t dk) {
      return image / p_.dout * depth_.OutputsBelow(p_.dout, dk) + depth_.OutputsBelow(image % p_.dout, dk);
    };
    int64_t active = 0;
    for (int64_t dk = taps.begin; dk < taps.end; ++dk) {
      active += active_images(images.end, dk) - active_images(images.begin, dk);
    }
    return active * (groups.end - groups.begin);
  }

  // Active tasks among the first `index` of a list whose fastest digit counts to `inner`.
  [[nodiscard]] int64_t ActiveBefore(int64_t index, int64_t inner) const {
    const int64_t taps = index / inner;  // (slow, image, group, dk) passed in full
    const int64_t groups = taps / p_.dk;
    const int64_t images = groups / space_.groups;
    const int64_t dout = images % p_.dout;
    const int64_t tap = taps % p_.dk;
    int64_t active = images / p_.dout * depth_.PairsBelow(p_.dout) + depth_.PairsBelow(dout);
    active *= space_.groups;
    active += groups % space_.groups * depth_.TapsBelow(p_.dk, dout) + depth_.TapsBelow(tap, dout);
    return active * inner + (depth_.Exists(depth_.PlaneOf(dout, tap)) ? index % inner : 0);
  }

  [[nodiscard]] int64_t PartOfDy(const FilterTask& task) const {
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

  [[nodiscard]] int64_t InputRows(int64_t rows_out) const {
    return std::min((rows_out - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi);
  }

  const FilterProblem& p_;
  FilterExtents e_;
  FilterDepth depth_;
  const FilterSplit& s_;
  FilterTaskSize part_;
  FilterTaskSpace space_;
  double kept_bytes_;    // fetched by one core, after which a part has left L2
  double own_rows_ = 1;  // share of a part's rows of x that the part beside it does not touch
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

FilterCoreWork BusiestCore(const FilterProblem& problem, const FilterCut& cut, int64_t most_looked_at,
                           int64_t l2_bytes) {
  const CoreSurvey survey(problem, cut, l2_bytes);
  const FilterSplit& split = cut.split;
  // long lists and grids are judged by the number of tasks alone; more closely where a last, smaller group
  // makes tasks differ much
  const bool even_groups = problem.groups % split.merged_groups == 0;
  constexpr double kMostWeighed = 1 << 16;
  const double tasks = static_cast<double>(split.m_dim * split.n_dim * split.k_dim * problem.dk) *
                       static_cast<double>(problem.batch * problem.dout * ExtentsOf(problem).real_groups);
  const bool list = split.strategy != FilterStrategy::kBaseGrid;
  const bool counted = tasks > (list && even_groups ? static_cast<double>(most_looked_at) : kMostWeighed);
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
