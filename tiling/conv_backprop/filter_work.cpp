#include "tiling/conv_backprop/filter_work.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "tiling/conv_backprop/filter_readers.h"
#include "tiling/conv_backprop/filter_survey.h"

namespace tilesim {
namespace {

constexpr size_t kStepsRemembered = 64;  // tasks whose order is remembered

std::vector<FilterSurvey::Active> FirstTasksOf(const FilterSurvey& survey, int64_t core) {
  constexpr int64_t kMostPassed = 1 << 12;
  std::vector<FilterSurvey::Active> tasks;
  tasks.reserve(kStepsRemembered);
  survey.ForEach(core, kMostPassed, [&](const FilterSurvey::Active& task) {
    tasks.push_back(task);
    return tasks.size() < kStepsRemembered;
  });
  return tasks;
}

// `own`: share of the part that no part beside it has.
FilterFound FoundOf(const PartReaders::Found& found, double own) {
  const auto together = static_cast<double>(found.together);
  const double again = together > 1 ? 1 : 0;
  const double waited = found.in_l2 ? 0 : own;
  return {.fetched = waited / together,
          .waited = waited,
          .same = found.in_l2 && found.by_other ? 1 : again,
          .again = again};
}

// Rows that the tasks beside touch as well are fetched by them, or by either half.
double OwnRows(const PartReaders& readers, int64_t of_x, double own_rows) {
  const double shared = (1 - own_rows) / 2;  // with either side
  double own = 1;
  for (const int64_t beside : {of_x - FilterSurvey::kTensors, of_x + FilterSurvey::kTensors}) {
    own -= readers.InL2(beside) ? shared : readers.IsRead(beside) ? shared / 2 : 0;
  }
  return own;
}

void Add(const FilterFound& more, FilterFound& sum) {
  sum.fetched += more.fetched;
  sum.waited += more.waited;
  sum.same += more.same;
  sum.again += more.again;
}
void Divide(FilterFound& sum, double count) {
  sum = {.fetched = sum.fetched / count,
         .waited = sum.waited / count,
         .same = sum.same / count,
         .again = sum.again / count};
}

void Count(FilterCoreWork& work, const FilterTaskSize& size) {
  for (FilterCoreWork::Tasks& tasks : work.tasks) {
    if (tasks.size == size) {
      tasks.count += 1;
      return;
    }
  }
  work.tasks.push_back({size, 1});
}

// The first tasks of cores `begin` to `end`, while all cores run theirs in step.
std::vector<std::vector<FilterCoreWork::Step>> StepsOfCores(const FilterSurvey& survey, int64_t begin,
                                                            int64_t end, double l2_bytes) {
  std::vector<std::vector<FilterSurvey::Active>> tasks;
  size_t most = 0;
  for (int64_t core = 0; core < survey.cores(); ++core) {
    tasks.push_back(FirstTasksOf(survey, core));
    most = std::max(most, core >= begin && core < end ? tasks.back().size() : 0);
  }
  std::vector<std::vector<FilterCoreWork::Step>> steps(static_cast<size_t>(end - begin));
  std::vector<std::unordered_set<int64_t>> dw(steps.size());  // parts met, by core
  PartReaders readers(l2_bytes, FilterSurvey::kTensors * kStepsRemembered * tasks.size());
  for (size_t i = 0; i < most; ++i) {
    for (int64_t core = 0; core < survey.cores(); ++core) {
      const std::vector<FilterSurvey::Active>& own = tasks[static_cast<size_t>(core)];
      if (i < own.size()) {
        const FilterTaskSize& size = own[i].size;
        readers.Read(own[i].of_x, core, survey.BytesOfX(size));
        readers.Read(own[i].of_dy, core, survey.BytesOfDy(size));
      }
    }
    for (int64_t core = begin; core < end; ++core) {
      const std::vector<FilterSurvey::Active>& own = tasks[static_cast<size_t>(core)];
      const auto place = static_cast<size_t>(core - begin);
      if (i < own.size()) {
        steps[place].push_back({.size = own[i].size,
                                .x = FoundOf(readers.FoundBy(own[i].of_x, core),
                                             OwnRows(readers, own[i].of_x, survey.own_rows())),
                                .dy = FoundOf(readers.FoundBy(own[i].of_dy, core), 1),
                                .dw_new = dw[place].insert(own[i].of_dw).second ? 1.0 : 0.0});
      }
    }
    readers.NextStep();
  }
  return steps;
}

FilterCoreWork WorkOf(const FilterSurvey& survey, int64_t core, int64_t most_looked_at, double l2_bytes) {
  constexpr int64_t kMostPassed = 1 << 18;
  FilterCoreWork work;
  std::unordered_set<int64_t> dw;  // parts met
  int64_t seen = 0;
  const bool cut_off = survey.ForEach(core, kMostPassed, [&](const FilterSurvey::Active& task) {
    if (seen == most_looked_at) {
      return false;
    }
    ++seen;
    Count(work, task.size);
    dw.insert(task.of_dw);
    return true;
  });
  const double scale =
      cut_off && seen > 0 ? static_cast<double>(survey.ActiveTasksOf(core)) / static_cast<double>(seen) : 1;
  for (FilterCoreWork::Tasks& tasks : work.tasks) {
    tasks.count *= scale;
  }
  // a stretch long enough to be cut off has met every part of dw it is going to meet
  work.dw_new = static_cast<double>(dw.size());
  work.first_steps = std::move(StepsOfCores(survey, core, core + 1, l2_bytes)[0]);
  for (const FilterCoreWork::Step& step : work.first_steps) {
    Add(step.x, work.x);
    Add(step.dy, work.dy);
  }
  const auto steps = static_cast<double>(std::max<size_t>(1, work.first_steps.size()));
  Divide(work.x, steps);
  Divide(work.dy, steps);
  return work;
}

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
  const FilterSurvey survey(problem, cut);
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
  return WorkOf(survey, busiest, most_looked_at, static_cast<double>(l2_bytes));
}

std::vector<FilterCoreSteps> StepsOfAllCores(const FilterProblem& problem, const FilterCut& cut,
                                             int64_t l2_bytes) {
  const FilterSurvey survey(problem, cut);
  std::vector<FilterCoreSteps> cores;
  for (std::vector<FilterCoreWork::Step>& steps :
       StepsOfCores(survey, 0, survey.cores(), static_cast<double>(l2_bytes))) {
    const bool all = steps.size() < kStepsRemembered;
    const auto core = static_cast<int64_t>(cores.size());
    const auto seen = static_cast<double>(steps.size());
    cores.push_back({.first = std::move(steps),
                     .task_count = all ? seen : static_cast<double>(survey.ActiveTasksOf(core))});
  }
  return cores;
}

}  // namespace tilesim
