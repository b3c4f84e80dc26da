#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_rules.h"

namespace tilesim {
namespace {

using GradData = MaxPool3DGradWithArgmaxTilingData;

constexpr std::string_view kPoolingPhase = "pooling: ";  // what is told of the first of two begins so

// Of an axis of a block.
struct AxisSizes {
  std::string_view base, cut, part;
  uint64_t GradData::*base_of;
  int64_t PoolGradSplit::*cut_of;
  int64_t PoolGradSplit::*part_of;
};
constexpr std::array<AxisSizes, 3> kAxisSizes = {
    {{"data.baseDo", "split.cutD", "split.partDo", &GradData::baseDo, &PoolGradSplit::cut_d,
      &PoolGradSplit::part_do},
     {"data.baseHo", "split.cutH", "split.partHo", &GradData::baseHo, &PoolGradSplit::cut_h,
      &PoolGradSplit::part_ho},
     {"data.baseWo", "split.cutW", "split.partWo", &GradData::baseWo, &PoolGradSplit::cut_w,
      &PoolGradSplit::part_wo}}};

int64_t Within(int64_t value, int64_t least, int64_t most) { return std::max(least, std::min(value, most)); }

// Of tilings in one phase, or of the second of two.
class PoolGradRules {
 public:
  using Tiling = MaxPoolGradTiling;

  static constexpr std::array<std::string_view, 16> kSizes = {
      "data.baseDo",  "data.baseHo",    "data.baseWo",       "data.singleCoreDo",
      "split.cutD",   "split.cutH",     "split.cutW",        "split.partDo",
      "split.partHo", "split.partWo",   "split.outPoints",   "split.xRows",
      "split.xTaps",  "split.tapTable", "split.usedCoreNum", "split.strategy"};
  static constexpr std::array<std::string_view, 10> kShrinking = {
      "data.baseDo",  "data.baseHo",  "data.baseWo",     "split.cutH",  "split.cutW",
      "split.partDo", "split.partHo", "split.outPoints", "split.xRows", "split.tapTable"};
  static constexpr std::string_view kCores = "split.usedCoreNum";
  static constexpr PoolFieldRule kFieldRules[] = {
      {{"data.baseNc", "data.singleCoreNc", "data.ncCnt", "data.ncTail"},
       "follows from the problem's n and c"},
      {{"data.singleCoreHo", "data.hoTail"}, "follows from data.baseHo"},
      {{"data.singleCoreWo", "data.woTail"}, "follows from data.baseWo"},
      {{"data.doCnt", "data.doTail"}, "follows from data.singleCoreDo"},
      {{"data.hoCnt"}, "follows from data.baseHo and split.cutH"},
      {{"data.woCnt"}, "follows from data.baseWo and split.cutW"},
      {{"data.totalCnt"}, "follows from data.ncCnt, doCnt, hoCnt and woCnt"},
      {{"data.usedCoreNum"}, "follows from split.usedCoreNum"},
      {{"data.totalUBSize"},
       "follows from blocks (data.base...), parts (split.part...), split.outPoints, xRows, xTaps and "
       "tapTable, and the case's dtype"},
      {{"data.ncRound", "data.ncRoundTail", "data.totalRound", "data.preCoreNum"},
       "follows from a strategy that is not used"},
      {{"split.argmaxFrom"}, "the argmax is given, by argmax_file or by the section 'pooling'"},
  };

  PoolGradRules(const PoolGradProblem& problem, int64_t ub_bytes, int64_t cores)
      : p_(problem), ub_bytes_(ub_bytes), cores_(cores), axes_(AxesOf(problem)) {}

  [[nodiscard]] Tiling OfProblem(Tiling tiling) const {
    SetProblemFields(p_, tiling);
    return tiling;
  }
  // A slot that is cut is a block of its own: the block gives way, or the slot.
  [[nodiscard]] std::vector<Tiling> InRange(const Tiling& tiling) const {
    std::vector<Tiling> ways = {InRange(tiling, false)};
    if (Tiling whole = InRange(tiling, true); whole.split != ways[0].split) {
      ways.push_back(std::move(whole));
    }
    return ways;
  }
  [[nodiscard]] Tiling Completed(Tiling tiling) const {
    GradData& t = tiling.data;
    const PoolGradSplit& s = tiling.split;
    SetBlockFields(p_,
                   {.d = Signed(t.baseDo),
                    .h = Signed(t.baseHo),
                    .w = Signed(t.baseWo),
                    .run_d = Signed(std::max(t.singleCoreDo, t.baseDo)),
                    .cut = {s.cut_d, s.cut_h, s.cut_w}},
                   s.strategy, OutputsOf(s), tiling);
    SetCoresAndUb(1, tiling);
    return tiling;
  }
  [[nodiscard]] bool Fits(const Tiling& tiling) const { return TilingFits(tiling, p_, ub_bytes_); }
  [[nodiscard]] std::vector<Tiling> LastResorts(const Tiling& tiling) const {
    Tiling smallest = SmallestPoolGradTiling(p_);
    smallest.split.used_cores = tiling.split.used_cores;
    return {InRange(smallest, false)};
  }

  [[nodiscard]] std::vector<ValueRange> RangesOf(const Tiling& tiling, const Tiling& near) const {
    const PoolGradSplit& s = tiling.split;
    std::vector<ValueRange> ranges;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const AxisSizes& of = kAxisSizes[i];
      ranges.push_back(
          {"slots of dx in a block", of.base, Signed(tiling.data.*of.base_of), 1, axes_[i].Slots().size()});
      ranges.push_back({"positions of a slot in a block", of.cut, s.*of.cut_of, 1, axes_[i].walk().stride});
      ranges.push_back(
          PartRange(s.strategy, i, s.*of.part_of, NeededOutputs(p_, i, Signed(near.data.*of.base_of))));
    }
    const int64_t makes = p_.recomputes ? 1 : 0;
    const int64_t window = makes * p_.shape.w.window;
    ranges.push_back({"slots that a core takes at a time", "data.singleCoreDo",
                      Signed(tiling.data.singleCoreDo), Signed(near.data.baseDo), axes_[0].Slots().size()});
    ranges.push_back(
        {"positions of dx on their way out", "split.outPoints", s.out_points, 1, kMostMovePoints});
    ranges.push_back({"rows of x in a load, where the argmax is made", "split.xRows", s.x_rows, makes,
                      makes * kMostPoolRows});
    ranges.push_back({"taps of a window's row in a load, where the argmax is made", "split.xTaps", s.x_taps,
                      near.split.part_wo == 1 ? makes : window, window});
    ranges.push_back({"taps whose index stands in UB", "split.tapTable", s.tap_table, 0, MostTapsInUb(near)});
    ranges.push_back({"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
                      std::max<int64_t>(1, std::min(cores_, Signed(near.data.totalCnt)))});
    return ranges;
  }
  // A slot that is cut, with more than itself in a block.
  [[nodiscard]] Rejections WhyNotTogether(const Tiling& tiling, const Tiling& near) const {
    Rejections reasons;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const AxisSizes& of = kAxisSizes[i];
      const int64_t stride = axes_[i].walk().stride;
      const int64_t base = Signed(tiling.data.*of.base_of);
      const int64_t cut = near.split.*of.cut_of;
      const bool widened = tiling.split.*of.cut_of < cut && cut == stride;
      if (base > 1 && (cut < stride || (widened && near.data.*of.base_of > 1))) {
        reasons.push_back({"a slot that is cut is a block of its own", std::string(of.base), base, 1,
                           cut < stride ? Say(of.base, " 1 fits") : Say(of.cut, " ", cut, " fits"),
                           LimitKind::kExact});
      }
    }
    return reasons;
  }
  [[nodiscard]] Rejections WhyNotMemory(const Tiling& tiling) const {
    Rejections reasons;
    ForEachLimit(tiling, ElementBytes(), [&](const PoolLimit& limit) { CheckLimit(limit, reasons); });
    CheckUb(", less 8 KiB that Select overwrites", UbOf(tiling, ElementBytes()).Total(), ub_bytes_, reasons);
    return reasons;
  }
  [[nodiscard]] static std::vector<PoolStep> StepsOf(const Tiling& /*tiling*/) {
    return {{"data.baseDo"}, {"data.baseHo"}, {"data.baseWo"}, {"split.outPoints", 16}};
  }

 private:
  [[nodiscard]] int64_t ElementBytes() const { return p_.shape.element_bytes(); }

  [[nodiscard]] Tiling InRange(const Tiling& tiling, bool whole_slots) const {
    Tiling near = tiling;
    GradData& t = near.data;
    PoolGradSplit& s = near.split;
    std::array base = {Signed(t.baseDo), Signed(t.baseHo), Signed(t.baseWo)};
    const std::array same = {base[0], Signed(t.singleCoreHo), Signed(t.singleCoreWo)};  // as a base
    std::array cut = {s.cut_d, s.cut_h, s.cut_w};
    for (size_t i = 0; i < axes_.size(); ++i) {
      const int64_t stride = axes_[i].walk().stride;
      const int64_t slots = axes_[i].Slots().size();
      base[i] = Within(base[i] < 1 || base[i] > slots ? same[i] : base[i], 1, slots);
      cut[i] = Within(cut[i], 1, stride);
      if (cut[i] < stride && base[i] > 1) {
        (whole_slots ? cut[i] : base[i]) = whole_slots ? stride : 1;
      }
    }
    const int64_t run_d = Within(Signed(t.singleCoreDo), base[0], axes_[0].Slots().size());
    SetBlockFields(p_, {.d = base[0], .h = base[1], .w = base[2], .run_d = run_d, .cut = cut}, s.strategy,
                   OutputsOf(s), near);
    const int64_t makes = p_.recomputes ? 1 : 0;
    const int64_t window = makes * p_.shape.w.window;
    s.out_points = Within(s.out_points, 1, kMostMovePoints);
    s.x_rows = Within(s.x_rows, makes, makes * kMostPoolRows);
    s.x_taps = Within(s.x_taps, s.part_wo == 1 ? makes : window, window);
    s.tap_table = Within(s.tap_table, 0, MostTapsInUb(near));
    t.ncRound = t.ncRoundTail = t.totalRound = t.preCoreNum = 0;  // of a strategy that is not used
    SetCoresAndUb(Within(s.used_cores, 1, std::max<int64_t>(1, std::min(cores_, Signed(t.totalCnt)))), near);
    return near;
  }
  void SetCoresAndUb(int64_t cores, Tiling& tiling) const {
    tiling.split.used_cores = cores;
    tiling.data.usedCoreNum = Unsigned(cores);
    tiling.data.totalUBSize = Unsigned(UbOf(tiling, ElementBytes()).Total());
  }

  // Along the axis that the strategy cuts.
  static int64_t OutputsOf(const PoolGradSplit& split) {
    const int64_t axis = CutAxisOf(split.strategy);
    return axis < 0 ? 0 : split.*kAxisSizes[static_cast<size_t>(axis)].part_of;
  }
  // How much of dy a strategy keeps in UB along an axis: all, a part, or one.
  static ValueRange PartRange(PoolGradStrategy strategy, size_t axis, int64_t part, int64_t needed) {
    const std::string_view field = kAxisSizes[axis].part;
    const int64_t beyond = static_cast<int64_t>(axis) - CutAxisOf(strategy);
    return beyond > 0    ? ValueRange{"outputs that a block needs", field, part, needed, needed}
           : beyond == 0 ? ValueRange{"outputs in UB of those that a block needs", field, part, 1, needed}
                         : ValueRange{"before the axis that the strategy cuts, one output at a time", field,
                                      part, 1, 1};
  }

  const PoolGradProblem& p_;
  const int64_t ub_bytes_;
  const int64_t cores_;
  const PoolGradAxes axes_;
};

// Of the first of two phases, and of the second.
Rejections OfBothPhases(Rejections pooling, Rejections gradient) {
  for (Rejection& rejection : pooling) {
    rejection.field.insert(0, kPoolingPhase);
  }
  std::ranges::move(gradient, std::back_inserter(pooling));
  return pooling;
}

std::string UbLine(const MaxPoolGradTiling& tiling, int64_t element_bytes, int64_t ub_bytes) {
  const PoolGradUb ub = UbOf(tiling, element_bytes);
  const int64_t budget = UsableUbBytes(ub_bytes);
  const auto percent = [&](int64_t bytes) { return Say(bytes * 100 / budget, " %"); };
  return Say("UB: ", ub.Total(), " of ", budget, " bytes; dx ", percent(ub.image), ", dy and argmax ",
             percent(ub.grads + ub.indices), ", on their way in ", percent(kPoolQueueBuffers * ub.in),
             ", out ", percent(kPoolQueueBuffers * ub.out));
}

}  // namespace

Rejections WhyNot(const PoolGradProblem& problem) {
  const PoolShape& s = problem.shape;
  double taps = 1;
  for (const PoolAxis* axis : {&s.d, &s.h, &s.w}) {
    taps *= static_cast<double>(axis->window);
  }
  if (!problem.recomputes || taps <= INT32_MAX) {
    return {};
  }
  return {{"taps of a window, which are numbered in 32 bits", "kd * kh * kw",
           static_cast<int64_t>(std::min(taps, 9e18)), INT32_MAX, "give the argmax, or a smaller window"}};
}

Rejections WhyNot(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                  int64_t cores) {
  if (tiling.pooling && !problem.recomputes) {
    return {{"is for a gradient whose argmax is computed; here it is given, leave the section out", "pooling",
             0, 0, "", LimitKind::kInWords}};
  }
  if (Rejections reasons = WhyNot(problem); !reasons.empty()) {
    return reasons;
  }
  if (tiling.pooling) {
    return OfBothPhases(WhyNot(*tiling.pooling, FirstPhaseOf(problem), ub_bytes, cores),
                        WhyNot(SecondPhaseOf(tiling), SecondPhaseOf(problem), ub_bytes, cores));
  }
  if (problem.recomputes && tiling.split.recomputes == 0) {
    return {
        {"is that of a given argmax, and there is none: add the section 'pooling', which makes it of x, "
         "or give --argmax_file; in one phase x fits",
         "split.argmaxFrom", 0, 0, "", LimitKind::kInWords}};
  }
  return PoolJudge(PoolGradRules(problem, ub_bytes, cores)).WhyNot(tiling);
}

Rejections NotLarger(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes) {
  if (tiling.pooling) {
    return OfBothPhases(NotLarger(*tiling.pooling, FirstPhaseOf(problem), ub_bytes),
                        NotLarger(SecondPhaseOf(tiling), SecondPhaseOf(problem), ub_bytes));
  }
  return PoolJudge(PoolGradRules(problem, ub_bytes, 1)).NotLarger(tiling);
}

std::vector<std::string> Explained(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                                   int64_t ub_bytes) {
  const GradData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  std::vector<std::string> lines;
  if (tiling.pooling) {
    const PoolShape& y = problem.shape;
    const int64_t outputs = y.batch * y.channels * y.d.out * y.h.out * y.w.out;
    lines.push_back(Say("two phases on ", Counted(LaunchedCores(tiling), "core"),
                        ": x is pooled first, its argmax stands in ", outputs * kPoolIndexBytes,
                        " bytes of workspace in GM; when all cores have met, the gradient reads it"));
    for (const std::string& line : Explained(*tiling.pooling, FirstPhaseOf(problem), ub_bytes)) {
      lines.push_back(Say(kPoolingPhase, line));
    }
  }
  lines.push_back(Say(
      Counted(t.totalCnt, "task"), " of ",
      s.channels_last == 1 ? Counted(t.baseNc, "channel") : Counted(t.baseNc, "plane n, c", "planes n, c"),
      " on ", Counted(t.usedCoreNum, "core"), ": ", t.ncCnt, " x ", t.doCnt, " x ", t.hoCnt, " x ", t.woCnt,
      " (lanes x D x H x W)"));
  lines.push_back(Say("a block is ", t.baseDo * Unsigned(s.cut_d), " x ", t.baseHo * Unsigned(s.cut_h), " x ",
                      t.baseWo * Unsigned(s.cut_w), " positions of dx, a task ", t.singleCoreDo, " x ",
                      t.singleCoreHo, " x ", t.singleCoreWo, " slots; ", Name(s.strategy), ": ", s.part_do,
                      " x ", s.part_ho, " x ", s.part_wo, " outputs stand in UB"));
  lines.push_back(UbLine(tiling, problem.shape.element_bytes(), ub_bytes));
  return lines;
}

}  // namespace tilesim
