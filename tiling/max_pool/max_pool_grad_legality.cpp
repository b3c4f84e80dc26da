#include "tiling/max_pool/max_pool_grad_legality.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_legality.h"

namespace tilesim {
namespace {

// What a field follows from, beside the problem.
struct Derived {
  std::string_view field;
  std::string_view from;
};
constexpr Derived kDerived[] = {
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

Rejection NotTheSame(const std::string& field, int64_t found, int64_t limit) {
  const auto* const derived = std::ranges::find(kDerived, field, &Derived::field);
  const std::string rule =
      derived == std::end(kDerived) ? "repeats the problem" : Say("follows from ", derived->from);
  return {rule, field, found, limit, Say(field, " ", limit, " fits"), LimitKind::kExact};
}

Rejection WrongWordOf(const PoolGradSplitWord& word, const PoolGradSplit& split,
                      const PoolGradSplit& expected) {
  const bool says_source = word.member == &PoolGradSplit::recomputes;
  if (says_source && split.recomputes == 0) {
    return {
        "is that of a given argmax, and there is none: add the section 'pooling', which makes it of x, or "
        "give --argmax_file; in one phase x fits",
        Say("split.", word.name),
        0,
        0,
        "",
        LimitKind::kInWords};
  }
  const std::string_view rule =
      says_source ? "the argmax is given, by argmax_file or by the section 'pooling'" : "repeats the problem";
  return WrongWord(Say("split.", word.name), rule, word.Of(split), word.Of(expected));
}

// Fields that repeat the problem or follow from others, as they must be.
void RequireSame(const MaxPoolGradTiling& tiling, const MaxPoolGradTiling& expected, Rejections& reasons) {
  for (const TilingField& field : Differences(tiling.data, expected.data)) {
    reasons.push_back(NotTheSame(field.path(), Signed(ReadField(&tiling.data, field)),
                                 Signed(ReadField(&expected.data, field))));
  }
  for (const PoolGradSplitWord& word : PoolGradSplitWords()) {
    if (tiling.split.*word.member != expected.split.*word.member) {
      reasons.push_back(WrongWordOf(word, tiling.split, expected.split));
    }
  }
  for (const PoolGradSplitField& field : PoolGradSplitFields()) {
    if (tiling.split.*field.member != expected.split.*field.member) {
      reasons.push_back(
          NotTheSame(Say("split.", field.name), tiling.split.*field.member, expected.split.*field.member));
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

void CheckSizes(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, Rejections& reasons) {
  const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  const PoolGradAxes axes = AxesOf(problem);
  const std::array base = {Signed(t.baseDo), Signed(t.baseHo), Signed(t.baseWo)};
  const std::array cut = {s.cut_d, s.cut_h, s.cut_w};
  const std::array part = {s.part_do, s.part_ho, s.part_wo};
  std::vector<ValueRange> rules;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t slots = axes[i].Slots().size();
    const int64_t stride = axes[i].walk().stride;
    rules.push_back({"slots of dx in a block", kNames[i].base, base[i], 1, slots});
    rules.push_back({"positions of a slot in a block", kNames[i].cut, cut[i], 1, stride});
    if (cut[i] < stride) {
      rules.push_back({"a slot that is cut is a block of its own", kNames[i].base, base[i], 1, 1});
    }
    if (base[i] >= 1 && base[i] <= slots) {  // else what it needs follows from a wrong size
      rules.push_back(PartRule(s.strategy, i, part[i], NeededOutputs(problem, i, base[i])));
    }
  }
  rules.push_back({"slots that a core takes at a time", "data.singleCoreDo", Signed(t.singleCoreDo), base[0],
                   axes[0].Slots().size()});
  rules.push_back({"positions of dx on their way out", "split.outPoints", s.out_points, 1, kMostMovePoints});
  const int64_t makes = problem.recomputes ? 1 : 0;
  rules.push_back({"rows of x in a load, where the argmax is made", "split.xRows", s.x_rows, makes,
                   makes * kMostPoolRows});
  const int64_t window = makes * problem.shape.w.window;
  rules.push_back({"taps of a window's row in a load, where the argmax is made", "split.xTaps", s.x_taps,
                   s.part_wo == 1 ? makes : window, window});
  rules.push_back({"taps whose index stands in UB", "split.tapTable", s.tap_table, 0, MostTapsInUb(tiling)});
  CheckRanges(rules, reasons);
}

// What one instruction takes of dy and of a given argmax.
Rejection MoveRefusal(PoolGradMove move, const PoolGradPoints& points, int64_t found, int64_t most) {
  constexpr char kSmaller[] =
      "smaller blocks of dx (data.baseHo, baseWo) or parts of dy (split.partHo, partWo) fit";
  switch (move) {
    case PoolGradMove::kCopyOfPlane:
      return {"points of a plane of dy in UB, which one copy takes", "split.partHo", found, most, kSmaller};
    case PoolGradMove::kLanesOfArgmax:
      return {"data blocks from lane to lane of the argmax, which an instruction counts in 8 bits",
              "split.partHo", found, most, kSmaller};
    case PoolGradMove::kLoadOfDy:
      break;
  }
  if (points.row_pitch > most) {
    return {"points of a row of dy, the blocks of one move from GM", "split.partWo", points.row_pitch, most,
            kSmaller};
  }
  return {"points of whole rows of dy, the blocks of one move from GM", "split.partHo", found, most,
          kSmaller};
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

// Of a tiling in one phase.
Rejections WhyNotInOne(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                       int64_t cores) {
  Rejections reasons;
  MaxPoolGradTiling expected = tiling;
  SetProblemFields(problem, expected);
  RequireSame(tiling, expected, reasons);
  if (reasons.empty()) {
    CheckSizes(tiling, problem, reasons);
  }
  if (!reasons.empty()) {
    return reasons;  // what follows divides by them
  }
  const MaxPool3DGradWithArgmaxTilingData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  SetBlockFields(problem,
                 {.d = Signed(t.baseDo),
                  .h = Signed(t.baseHo),
                  .w = Signed(t.baseWo),
                  .run_d = Signed(t.singleCoreDo),
                  .cut = {s.cut_d, s.cut_h, s.cut_w}},
                 s.strategy, {s.part_do, s.part_ho, s.part_wo}, expected);
  const auto element_bytes = static_cast<int64_t>(SizeOf(problem.shape.dtype));
  const int64_t needed = UbOf(tiling, element_bytes).Total();
  const bool fits = needed <= ub_bytes - kSelectScratchBytes;
  if (fits) {  // else no totalUBSize is right
    expected.data.totalUBSize = Unsigned(needed);
  }
  expected.data.usedCoreNum = Unsigned(s.used_cores);
  expected.data.ncRound = expected.data.ncRoundTail = 0;  // of a strategy that is not used
  expected.data.totalRound = expected.data.preCoreNum = 0;
  RequireSame(tiling, expected, reasons);
  const std::array rules = {
      ValueRange{"cores there are, and tasks for them", "split.usedCoreNum", s.used_cores, 1,
                 std::max<int64_t>(1, std::min(cores, Signed(expected.data.totalCnt)))}};
  CheckRanges(rules, reasons);
  CheckMoves(tiling, element_bytes, reasons);
  if (ub_bytes < kSelectScratchBytes) {
    reasons.push_back({Say("bytes of UB, of which Select overwrites ", kSelectScratchBytes,
                           " and this block takes ", needed),
                       std::string(kUbField), ub_bytes, needed + kSelectScratchBytes,
                       Say("memory.ub_bytes ", needed + kSelectScratchBytes, " fits")});
  } else if (!fits) {
    reasons.push_back(
        {"bytes of UB, less 8 KiB that Select overwrites", std::string(kUbField), needed,
         ub_bytes - kSelectScratchBytes,
         Say("memory.ub_bytes ", needed + kSelectScratchBytes,
             " fits; smaller blocks of dx (data.baseDo, baseHo, baseWo), parts of dy (split.partDo, partHo, "
             "partWo) or a smaller split.outPoints take less")});
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
