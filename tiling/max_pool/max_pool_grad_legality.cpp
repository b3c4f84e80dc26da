#include "tiling/max_pool/max_pool_grad_legality.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_near.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_legality.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

// What a field follows from, beside the problem.
struct GradDerived {
  std::string_view field;
  std::string_view from;
};
constexpr GradDerived kGradDerived[] = {
    {"data.baseNc", "the problem's n and c"},
    {"data.singleCoreNc", "the problem's n and c"},
    {"data.ncCnt", "the problem's n and c"},
    {"data.ncTail", "the problem's n and c"},
    {"data.singleCoreHo", "data.baseHo"},
    {"data.singleCoreWo", "data.baseWo"},
    {"data.doCnt", "data.singleCoreDo"},
    {"data.doTail", "data.singleCoreDo"},
    {"data.hoCnt", "data.baseHo and split.cutH"},
    {"data.hoTail", "data.baseHo"},
    {"data.woCnt", "data.baseWo and split.cutW"},
    {"data.woTail", "data.baseWo"},
    {"data.totalCnt", "data.ncCnt, doCnt, hoCnt and woCnt"},
    {"data.usedCoreNum", "split.usedCoreNum"},
    {"data.totalUBSize",
     "blocks (data.base...), parts (split.part...), split.outPoints, xRows, xTaps and tapTable, and the "
     "case's dtype"},
    {"data.ncRound", "a strategy that is not used"},
    {"data.ncRoundTail", "a strategy that is not used"},
    {"data.totalRound", "a strategy that is not used"},
    {"data.preCoreNum", "a strategy that is not used"},
};

Rejection NotTheSameGrad(const std::string& field, int64_t found, int64_t limit) {
  const auto* const derived = std::ranges::find(kGradDerived, field, &GradDerived::field);
  const std::string rule =
      derived == std::end(kGradDerived) ? "repeats the problem" : Say("follows from ", derived->from);
  return {rule, field, found, limit, Say(field, " ", limit, " fits"), LimitKind::kExact};
}

Rejection WrongWordOf(const TilingField& word, const PoolGradSplit& split, const PoolGradSplit& expected) {
  const bool says_source = word.name == "argmaxFrom";
  if (says_source && split.recomputes == 0) {
    return {
        "is that of a given argmax, and there is none: add the section 'pooling', which makes it of x, or "
        "give --argmax_file; in one phase x fits",
        word.path(),
        0,
        0,
        "",
        LimitKind::kInWords};
  }
  const std::string_view rule =
      says_source ? "the argmax is given, by argmax_file or by the section 'pooling'" : "repeats the problem";
  return WrongWord(word.path(), rule, WordOf(&split, word), WordOf(&expected, word));
}

// Fields that repeat the problem or follow from others, as they must be.
void RequireSame(const MaxPoolGradTiling& tiling, const MaxPoolGradTiling& expected, Rejections& reasons) {
  for (const TilingField& field : Differences(tiling.data, expected.data)) {
    reasons.push_back(NotTheSameGrad(field.path(), Signed(ReadField(&tiling.data, field)),
                                     Signed(ReadField(&expected.data, field))));
  }
  const PoolGradSplit& s = tiling.split;
  const PoolGradSplit& e = expected.split;
  for (const TilingField& field : DifferentFields(PoolGradSplitFields(), &s, &e)) {
    if (field.words.empty()) {
      reasons.push_back(
          NotTheSameGrad(field.path(), Signed(ReadField(&s, field)), Signed(ReadField(&e, field))));
    } else if (field.name != "strategy") {  // of which any may be
      reasons.push_back(WrongWordOf(field, s, e));
    }
  }
}

struct AxisNames {
  std::string_view base;
  std::string_view cut;
  std::string_view part;
};
constexpr std::array<AxisNames, 3> kNames = {{{"data.baseDo", "split.cutD", "split.partDo"},
                                              {"data.baseHo", "split.cutH", "split.partHo"},
                                              {"data.baseWo", "split.cutW", "split.partWo"}}};

// How much of dy each strategy keeps in UB along an axis: all, a part, or one.
ValueRange PartRule(PoolGradStrategy strategy, size_t axis, int64_t part, int64_t most) {
  const auto cut_axis = static_cast<size_t>(strategy) - 1;  // planes: 0, rows: 1, columns: 2
  if (strategy == PoolGradStrategy::kResident || axis > cut_axis) {
    return {"outputs that a block needs", kNames[axis].part, part, most, most};
  }
  return axis == cut_axis
             ? ValueRange{"outputs in UB of those that a block needs", kNames[axis].part, part, 1, most}
             : ValueRange{"before the axis that the strategy cuts, one output at a time", kNames[axis].part,
                          part, 1, 1};
}

// `near`: where a size that another one bounds is wrong, that one as it must be.
void CheckSizes(const MaxPoolGradTiling& tiling, const MaxPoolGradTiling& near,
                const PoolGradProblem& problem, int64_t cores, Rejections& reasons) {
  const PoolGradSplit& s = tiling.split;
  const PoolGradAxes axes = AxesOf(problem);
  const std::array base = {Signed(near.data.baseDo), Signed(near.data.baseHo), Signed(near.data.baseWo)};
  std::vector<ValueRange> rules;
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisNames& names = kNames[i];
    rules.push_back(
        {"slots of dx in a block", names.base, ValueOf(tiling, names.base), 1, axes[i].Slots().size()});
    rules.push_back(
        {"positions of a slot in a block", names.cut, ValueOf(tiling, names.cut), 1, axes[i].walk().stride});
    rules.push_back(PartRule(s.strategy, i, ValueOf(tiling, names.part), NeededOutputs(problem, i, base[i])));
  }
  rules.push_back({"slots that a core takes at a time", "data.singleCoreDo", Signed(tiling.data.singleCoreDo),
                   base[0], axes[0].Slots().size()});
  rules.push_back({"positions of dx on their way out", "split.outPoints", s.out_points, 1, kMostMovePoints});
  const int64_t makes = problem.recomputes ? 1 : 0;
  rules.push_back({"rows of x in a load, where the argmax is made", "split.xRows", s.x_rows, makes,
                   makes * kMostPoolRows});
  const int64_t window = makes * problem.shape.w.window;
  rules.push_back({"taps of a window's row in a load, where the argmax is made", "split.xTaps", s.x_taps,
                   near.split.part_wo == 1 ? makes : window, window});
  rules.push_back({"taps whose index stands in UB", "split.tapTable", s.tap_table, 0, MostTapsInUb(near)});
  rules.push_back({"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
                   std::max<int64_t>(1, std::min(cores, Signed(near.data.totalCnt)))});
  CheckRanges(rules, reasons);
}

// A slot that is cut, with more than itself in a block.
void CheckCuts(const MaxPoolGradTiling& tiling, const MaxPoolGradTiling& near, const PoolGradProblem& problem,
               Rejections& reasons) {
  const PoolGradAxes axes = AxesOf(problem);
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisNames& names = kNames[i];
    const int64_t base = ValueOf(tiling, names.base);
    const int64_t cut = ValueOf(near, names.cut);
    const bool widened = ValueOf(tiling, names.cut) < cut && cut == axes[i].walk().stride;
    if (base > 1 && (cut < axes[i].walk().stride || (widened && ValueOf(near, names.base) > 1))) {
      reasons.push_back(
          {"a slot that is cut is a block of its own", std::string(names.base), base, 1,
           cut < axes[i].walk().stride ? Say(names.base, " 1 fits") : Say(names.cut, " ", cut, " fits"),
           LimitKind::kExact});
    }
  }
}

// What one instruction takes of dy and of a given argmax. The mend is the nearest tiling's.
Rejection MoveRefusal(PoolGradMove move, const PoolGradPoints& points, int64_t found, int64_t most) {
  switch (move) {
    case PoolGradMove::kCopyOfPlane:
      return {"points of a plane of dy in UB, which one copy takes", "split.partHo", found, most, ""};
    case PoolGradMove::kLanesOfArgmax:
      return {"data blocks from lane to lane of the argmax, which an instruction counts in 8 bits",
              "split.partHo", found, most, ""};
    case PoolGradMove::kLoadOfDy:
      break;
  }
  if (points.row_pitch > most) {
    return {"points of a row of dy, the blocks of one move from GM", "split.partWo", points.row_pitch, most,
            ""};
  }
  return {"points of whole rows of dy, the blocks of one move from GM", "split.partHo", found, most, ""};
}

// And of x, of which dy's parts have checked all but the loads.
void CheckMoves(const MaxPoolGradTiling& tiling, int64_t element_bytes, Rejections& reasons) {
  const PoolGradPoints points = PointsOf(tiling, element_bytes);
  ForEachMove(tiling, element_bytes, [&](PoolGradMove move, int64_t found, int64_t most) {
    if (found > most) {
      reasons.push_back(MoveRefusal(move, points, found, most));
    }
  });
  if (tiling.split.recomputes == 0) {
    return;
  }
  const PoolShape x = XShapeOf(tiling, element_bytes);
  const PoolTile tile = XTileOf(tiling, x);
  ForEachMove(x, tile, [&](PoolMove move, int64_t points_of_x, int64_t most) {
    if (move == PoolMove::kLoad && points_of_x > most) {
      reasons.push_back(
          LoadRefusal(x, tile, {.w = "split.partWo", .taps_w = "split.xTaps", .rows = "split.xRows"}));
    }
  });
}

// UB, and what instructions take.
Rejections WhyNotMemory(const MaxPoolGradTiling& tiling, int64_t element_bytes, int64_t ub_bytes) {
  Rejections reasons;
  CheckMoves(tiling, element_bytes, reasons);
  const int64_t needed = UbOf(tiling, element_bytes).Total();
  const std::string mend = Say("memory.ub_bytes ", needed + kSelectScratchBytes, " fits");
  if (ub_bytes < kSelectScratchBytes) {
    reasons.push_back({Say("bytes of UB, of which Select overwrites ", kSelectScratchBytes,
                           " and this block takes ", needed),
                       std::string(kUbField), ub_bytes, needed + kSelectScratchBytes, mend});
  } else if (needed > ub_bytes - kSelectScratchBytes) {
    reasons.push_back({"bytes of UB, less 8 KiB that Select overwrites", std::string(kUbField), needed,
                       ub_bytes - kSelectScratchBytes, mend});
  }
  return reasons;
}

// Of a tiling in one phase.
Rejections WhyNotInOne(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                       int64_t cores) {
  Rejections reasons;
  MaxPoolGradTiling expected = tiling;
  SetProblemFields(problem, expected);
  RequireSame(tiling, expected, reasons);
  if (!reasons.empty()) {
    MendAsOneOfAnotherProblem(WhyNotInOne(expected, problem, ub_bytes, cores), reasons);
    return reasons;
  }
  const NearPoolGradTiling nearest = NearestTo(tiling, problem, ub_bytes, cores);
  CheckCuts(tiling, nearest.in_range, problem, reasons);
  Rejections ranges;
  CheckSizes(tiling, nearest.in_range, problem, cores, ranges);
  for (Rejection& range : ranges) {
    range.mend = Say(range.field, " ", ValueOf(nearest.tiling, range.field), " fits");
    reasons.push_back(std::move(range));
  }
  const auto element_bytes = static_cast<int64_t>(SizeOf(problem.shape.dtype));
  for (Rejection& rejection : WhyNotMemory(nearest.in_range, element_bytes, ub_bytes)) {
    if (nearest.fits) {
      rejection.mend = Say(ChangesText(nearest.in_range, nearest.tiling), " fits");
    }
    reasons.push_back(std::move(rejection));
  }
  Rejections derived;
  RequireSame(tiling, nearest.tiling, derived);
  for (Rejection& rejection : derived) {
    // where nothing fits, no totalUBSize is right
    if (!IsPoolGradSize(rejection.field) && (nearest.fits || rejection.field != "data.totalUBSize")) {
      reasons.push_back(std::move(rejection));
    }
  }
  return reasons;
}

}  // namespace

Rejections OfPoolingPhase(Rejections rejections) {
  for (Rejection& rejection : rejections) {
    rejection.field.insert(0, kPoolingPhase);
  }
  return rejections;
}

Rejections WhyNot(const PoolGradProblem& problem) {
  Rejections reasons;
  const PoolShape& s = problem.shape;
  double taps = 1;
  for (const PoolAxis* axis : {&s.d, &s.h, &s.w}) {
    taps *= static_cast<double>(axis->window);
  }
  if (problem.recomputes && taps > INT32_MAX) {
    reasons.push_back({"taps of a window, which are numbered in 32 bits", "kd * kh * kw",
                       static_cast<int64_t>(std::min(taps, 9e18)), INT32_MAX,
                       "give the argmax, or a smaller window"});
  }
  return reasons;
}

Rejections WhyNot(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                  int64_t cores) {
  if (tiling.pooling && !problem.recomputes) {
    return {{"is for a gradient whose argmax is computed; here it is given, leave the section out", "pooling",
             0, 0, "", LimitKind::kInWords}};
  }
  Rejections reasons = WhyNot(problem);
  if (!reasons.empty()) {
    return reasons;
  }
  if (!tiling.pooling) {
    return WhyNotInOne(tiling, problem, ub_bytes, cores);
  }
  reasons = OfPoolingPhase(WhyNot(*tiling.pooling, FirstPhaseOf(problem), ub_bytes, cores));
  std::ranges::move(WhyNotInOne(SecondPhaseOf(tiling), SecondPhaseOf(problem), ub_bytes, cores),
                    std::back_inserter(reasons));
  return reasons;
}

}  // namespace tilesim
