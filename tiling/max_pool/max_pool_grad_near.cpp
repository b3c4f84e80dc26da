#include "tiling/max_pool/max_pool_grad_near.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 15> kGradSizes = {
    "data.baseDo",     "data.baseHo", "data.baseWo",  "data.singleCoreDo", "split.cutD",
    "split.cutH",      "split.cutW",  "split.partDo", "split.partHo",      "split.partWo",
    "split.outPoints", "split.xRows", "split.xTaps",  "split.tapTable",    "split.usedCoreNum"};
// Those that UB may ask to be smaller.
constexpr std::array<std::string_view, 10> kGradShrinking = {
    "data.baseDo",  "data.baseHo",  "data.baseWo",     "split.cutH",  "split.cutW",
    "split.partDo", "split.partHo", "split.outPoints", "split.xRows", "split.tapTable"};

bool IsOfSplit(std::string_view field) { return field.starts_with("split."); }

const TilingField& FieldAt(std::string_view path) {
  return *std::ranges::find(IsOfSplit(path) ? PoolGradSplitFields() : PoolGradFields(), path,
                            &TilingField::path);
}

void Set(MaxPoolGradTiling& tiling, std::string_view field, int64_t value) {
  void* const data = IsOfSplit(field) ? static_cast<void*>(&tiling.split) : &tiling.data;
  WriteField(data, FieldAt(field), Unsigned(value));
}

int64_t Within(int64_t value, int64_t least, int64_t most) { return std::max(least, std::min(value, most)); }

// How much of dy stands in UB along an axis.
int64_t PartOf(PoolGradStrategy strategy, size_t axis, int64_t part, int64_t needed) {
  const auto cut_axis = static_cast<size_t>(strategy) - 1;  // planes: 0, rows: 1, columns: 2
  if (strategy == PoolGradStrategy::kResident || axis > cut_axis) {
    return needed;
  }
  return axis == cut_axis ? Within(part, 1, needed) : 1;
}

// Each size within its range, those before others first; all that follows from them. A slot that is cut is a
// block of its own: `whole_slots` says whether the slot gives way, or the block.
MaxPoolGradTiling InRange(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t cores,
                          bool whole_slots) {
  MaxPoolGradTiling near = tiling;
  MaxPool3DGradWithArgmaxTilingData& t = near.data;
  PoolGradSplit& s = near.split;
  const PoolGradAxes axes = AxesOf(problem);
  std::array base = {Signed(t.baseDo), Signed(t.baseHo), Signed(t.baseWo)};
  const std::array same = {base[0], Signed(t.singleCoreHo), Signed(t.singleCoreWo)};  // as a base
  std::array cut = {s.cut_d, s.cut_h, s.cut_w};
  std::array part = {s.part_do, s.part_ho, s.part_wo};
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t stride = axes[i].walk().stride;
    const int64_t slots = axes[i].Slots().size();
    base[i] = Within(base[i] < 1 || base[i] > slots ? same[i] : base[i], 1, slots);
    cut[i] = Within(cut[i], 1, stride);
    if (cut[i] < stride && base[i] > 1) {
      (whole_slots ? cut[i] : base[i]) = whole_slots ? stride : 1;
    }
    part[i] = PartOf(s.strategy, i, part[i], NeededOutputs(problem, i, base[i]));
  }
  const int64_t run_d = Within(Signed(t.singleCoreDo), base[0], axes[0].Slots().size());
  SetBlockFields(problem, {.d = base[0], .h = base[1], .w = base[2], .run_d = run_d, .cut = cut}, s.strategy,
                 part, near);
  const int64_t makes = problem.recomputes ? 1 : 0;
  const int64_t window = makes * problem.shape.w.window;
  s.out_points = Within(s.out_points, 1, kMostMovePoints);
  s.x_rows = Within(s.x_rows, makes, makes * kMostPoolRows);
  s.x_taps = Within(s.x_taps, s.part_wo == 1 ? makes : window, window);
  s.tap_table = Within(s.tap_table, 0, MostTapsInUb(near));
  s.used_cores = Within(s.used_cores, 1, std::max<int64_t>(1, std::min(cores, Signed(t.totalCnt))));
  t.usedCoreNum = Unsigned(s.used_cores);
  t.totalUBSize = Unsigned(UbOf(near, static_cast<int64_t>(SizeOf(problem.shape.dtype))).Total());
  t.ncRound = t.ncRoundTail = t.totalRound = t.preCoreNum = 0;  // of a strategy that is not used
  return near;
}

int64_t Changes(const MaxPoolGradTiling& from, const MaxPoolGradTiling& to) {
  return std::ssize(Differences(from.data, to.data)) +
         std::ranges::count_if(DifferentFields(PoolGradSplitFields(), &from.split, &to.split),
                               [](const TilingField& field) { return field.words.empty(); });
}

class Shrinking {
 public:
  Shrinking(const PoolGradProblem& problem, int64_t ub_bytes, int64_t cores)
      : problem_(problem), ub_bytes_(ub_bytes), cores_(cores) {}

  // Those that fit with one size as large as it may be; where none does, the one with the least of
  // everything.
  [[nodiscard]] std::vector<MaxPoolGradTiling> Of(const MaxPoolGradTiling& whole) const {
    std::vector<MaxPoolGradTiling> tilings;
    for (const std::string_view field : kGradShrinking) {
      Keep(Largest(whole, field), tilings);
    }
    if (tilings.empty()) {
      MaxPoolGradTiling smallest = SmallestPoolGradTiling(problem_);
      smallest.split.used_cores = whole.split.used_cores;
      Keep(InRange(smallest, problem_, cores_, false), tilings);
    }
    return tilings;
  }

 private:
  void Keep(const MaxPoolGradTiling& tiling, std::vector<MaxPoolGradTiling>& tilings) const {
    if (TilingFits(tiling, problem_, ub_bytes_)) {
      tilings.push_back(tiling);
    }
  }
  [[nodiscard]] MaxPoolGradTiling Largest(const MaxPoolGradTiling& whole, std::string_view field) const {
    const auto with = [&](int64_t value) {
      MaxPoolGradTiling smaller = whole;
      Set(smaller, field, value);
      return InRange(smaller, problem_, cores_, false);
    };
    int64_t fits = 0;  // what may be no 0 is 1 then
    for (int64_t too_large = ValueOf(whole, field); too_large - fits > 1;) {
      const int64_t middle = fits + (too_large - fits) / 2;
      (TilingFits(with(middle), problem_, ub_bytes_) ? fits : too_large) = middle;
    }
    return with(fits);
  }

  const PoolGradProblem& problem_;
  int64_t ub_bytes_;
  int64_t cores_;
};

}  // namespace

bool IsPoolGradSize(std::string_view field) {
  return std::ranges::find(kGradSizes, field) != kGradSizes.end();
}

int64_t ValueOf(const MaxPoolGradTiling& tiling, std::string_view field) {
  const void* const data = IsOfSplit(field) ? static_cast<const void*>(&tiling.split) : &tiling.data;
  return Signed(ReadField(data, FieldAt(field)));
}

bool TilingFits(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes) {
  const auto element_bytes = static_cast<int64_t>(SizeOf(problem.shape.dtype));
  return UbOf(tiling, element_bytes).Total() <= ub_bytes - kSelectScratchBytes &&
         MovesFit(tiling, element_bytes);
}

std::string ChangesText(const MaxPoolGradTiling& from, const MaxPoolGradTiling& to) {
  std::string first;
  std::string others;
  for (const std::string_view field : kGradSizes) {
    if (const int64_t value = ValueOf(to, field); value != ValueOf(from, field)) {
      (first.empty() ? first : others) += Say(first.empty()    ? ""
                                              : others.empty() ? " with "
                                                               : ", ",
                                              field, " ", value);
    }
  }
  if (from.split.strategy != to.split.strategy) {
    others += Say(others.empty() ? " with " : ", ", "split.strategy ", Name(to.split.strategy));
  }
  return first + others;
}

NearPoolGradTiling NearestTo(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                             int64_t ub_bytes, int64_t cores) {
  NearPoolGradTiling nearest;
  int64_t least = INT64_MAX;
  // what it says it takes, where that is less
  const int64_t said = std::max<int64_t>(0, Signed(tiling.data.totalUBSize));
  const int64_t said_ub_bytes = std::min(said, ub_bytes - kSelectScratchBytes) + kSelectScratchBytes;
  for (const bool whole_slots : {false, true}) {
    if (least == 0) {
      break;
    }
    const MaxPoolGradTiling whole = InRange(tiling, problem, cores, whole_slots);
    std::vector<MaxPoolGradTiling> candidates = {whole};
    if (!TilingFits(whole, problem, ub_bytes)) {
      candidates = Shrinking(problem, ub_bytes, cores).Of(whole);
      std::ranges::copy(Shrinking(problem, said_ub_bytes, cores).Of(whole), std::back_inserter(candidates));
    }
    for (const MaxPoolGradTiling& candidate : candidates) {
      if (const int64_t changes = Changes(tiling, candidate); changes < least) {
        least = changes;
        nearest = {whole, candidate, true};
      }
    }
  }
  if (!nearest.fits) {
    nearest.in_range = nearest.tiling = InRange(tiling, problem, cores, false);
  }
  return nearest;
}

}  // namespace tilesim
