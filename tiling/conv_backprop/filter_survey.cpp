#include "tiling/conv_backprop/filter_survey.h"

namespace tilesim {
namespace {

constexpr double kBytesOfPixel = 32;  // c0 channels

}  // namespace

FilterSurvey::FilterSurvey(const FilterProblem& problem, const FilterCut& cut)
    : p_(problem), e_(ExtentsOf(problem)), depth_(problem), s_(cut.split), part_(cut.part) {
  space_ = {.batch_dout = p_.batch * p_.dout, .groups = e_.real_groups, .dk = p_.dk};
  own_rows_ = std::min(
      1.0, static_cast<double>(part_.rows * p_.stride_h) / static_cast<double>(InputRows(part_.rows)));
}

// Nothing of a task whose depth lies in the padding or whose channels belong to no group.
bool FilterSurvey::SizeOf(const FilterTask& task, FilterTaskSize& size, int64_t& din) const {
  din = depth_.PlaneOf(task.batch_dout % p_.dout, task.dk);
  const int64_t planes_g = e_.cout_g / e_.c0;
  const int64_t planes = std::min(planes_g, CeilDiv(p_.cout, e_.c0) - task.group * planes_g);
  const int64_t lines = std::min(e_.cin1_g, CeilDiv(p_.cin, e_.c0) - task.group * e_.cin1_g);
  size = {.m = std::min(part_.m, planes * e_.c0 - task.m * part_.m),
          .lines = std::min(part_.lines, lines - task.n * part_.lines),
          .rows = std::min(part_.rows, p_.ho - task.k * part_.rows)};
  return depth_.Exists(din) && size.m > 0 && size.lines > 0 && size.rows > 0;
}

int64_t FilterSurvey::ActiveTasksOf(int64_t core) const {
  if (s_.strategy == FilterStrategy::kBaseGrid) {
    return ActiveTasksOfCell(core);
  }
  const bool cuts_k = s_.strategy != FilterStrategy::kBasicBlockMN;
  const int64_t slow = cuts_k ? s_.k_dim : s_.m_dim;
  const int64_t fast = s_.strategy == FilterStrategy::kBasicBlockMK ? s_.m_dim : s_.n_dim;
  const int64_t inner = s_.column_first ? slow : fast;
  const internal::Share share = internal::ShareOf(s_.parts(), s_.used_cores, core);
  return ActiveBefore(share.end, inner) - ActiveBefore(share.begin, inner);
}

double FilterSurvey::WeightOf(int64_t core) const {
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

int64_t FilterSurvey::ActiveTasksOfCell(int64_t core) const {
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
int64_t FilterSurvey::ActiveBefore(int64_t index, int64_t inner) const {
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

int64_t FilterSurvey::PartOfDy(const FilterTask& task) const {
  return ((task.batch_dout * space_.groups + task.group) * s_.m_dim + task.m) * s_.k_dim + task.k;
}

void FilterSurvey::NumberParts(const FilterTask& task, int64_t din, Active& active) const {
  const int64_t image = task.batch_dout / p_.dout;
  const int64_t plane = ((image * p_.di + din) * space_.groups + task.group) * s_.n_dim + task.n;
  active.of_x = kTensors * (plane * (s_.k_dim + 2) + task.k + 1);
  active.of_dy = kTensors * PartOfDy(task) + 1;
  active.of_dw = ((task.group * p_.dk + task.dk) * s_.m_dim + task.m) * s_.n_dim + task.n;
}

int64_t FilterSurvey::InputRows(int64_t rows_out) const {
  return std::min((rows_out - 1) * p_.stride_h + (p_.hk - 1) * p_.dilation_h + 1, p_.hi);
}

double FilterSurvey::BytesOfX(const FilterTaskSize& size) const {
  return kBytesOfPixel * static_cast<double>(size.lines * InputRows(size.rows) * p_.wi);
}

double FilterSurvey::BytesOfDy(const FilterTaskSize& size) const {
  return kBytesOfPixel * static_cast<double>(size.m / e_.c0 * size.rows * p_.wo);
}

}  // namespace tilesim
