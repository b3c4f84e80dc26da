// How tilings of a pooling and of its gradient are judged, both alike: fields that repeat the problem, sizes
// that were chosen, what these take together, and fields that follow from them. A broken rule is mended by
// the nearest tiling that breaks none.
#include "tiling/max_pool/pool_legality.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rejection.h"
#include "tiling/tiling_field.h"

namespace tilesim {
namespace {

// Why up to four fields must be as they are, where they do not repeat the problem.
struct PoolFieldRule {
  std::array<std::string_view, 4> fields;  // empty behind the last
  std::string_view rule;

  [[nodiscard]] bool IsOf(std::string_view field) const {
    return std::ranges::find(fields, field) != fields.end();
  }
};

// A step by which a size could be larger, up to `most`.
struct PoolStep {
  std::string_view field;
  int64_t by = 1;
  int64_t most = INT64_MAX;
};

// Refuses what one instruction cannot take.
void CheckLimit(const PoolLimit& limit, Rejections& reasons) {
  if (limit.found > limit.most) {
    reasons.push_back({std::string(limit.rule), std::string(limit.field), limit.found, limit.most, ""});
  }
}

// Refuses a block that takes more of UB than there is; `how` goes on with the rule.
void CheckUb(std::string_view how, int64_t needed, int64_t ub_bytes, Rejections& reasons) {
  const int64_t whole = needed + kSelectScratchBytes;
  const std::string mend = Say("memory.ub_bytes ", whole, " fits");
  if (ub_bytes < kSelectScratchBytes) {
    reasons.push_back({Say("bytes of UB, of which Select overwrites ", kSelectScratchBytes,
                           " and this block takes ", needed),
                       std::string(kUbField), ub_bytes, whole, mend});
  } else if (needed > UsableUbBytes(ub_bytes)) {
    reasons.push_back(
        {Say("bytes of UB", how), std::string(kUbField), needed, UsableUbBytes(ub_bytes), mend});
  }
}

// `Rules` are those of one kind of tiling for one problem, with
//   kSizes, kShrinking       the fields that are chosen; those of them that UB may ask to be smaller
//   kCores                   the field that says on how many cores
//   kFieldRules              of fields that follow from others
//   OfProblem(tiling)        the tiling with all that repeats the problem as it must be
//   InRange(tiling)          each size within its range and all that follows: one tiling, or the ways out
//                            where sizes do not go together
//   Completed(tiling)        all that follows from the sizes, whatever these are, on one core
//   Fits(tiling)             UB and what single instructions take
//   LastResorts(tiling)      tilings that may fit where no single smaller size does, on as many cores
//   RangesOf(tiling, near)   of each size, where `near` is in range
//   WhyNotTogether(tiling, near), WhyNotMemory(near)
//   StepsOf(tiling)          by which sizes could be larger
template <class Rules>
class PoolJudge {
 public:
  using Tiling = typename Rules::Tiling;

  explicit PoolJudge(const Rules& rules) : rules_(rules) {}

  [[nodiscard]] Rejections WhyNot(const Tiling& tiling) const {
    const Tiling expected = rules_.OfProblem(tiling);
    Rejections reasons = WhyNotTheSame(tiling, expected);
    if (!reasons.empty()) {  // of another problem all else differs, too
      MendAsOneOfAnotherProblem(WhyNot(expected), reasons);
      return reasons;
    }
    const Near near = NearestTo(tiling);
    reasons = rules_.WhyNotTogether(tiling, near.in_range);
    Rejections ranges;
    CheckRanges(rules_.RangesOf(tiling, near.in_range), ranges);
    for (Rejection& range : ranges) {
      range.mend = Say(range.field, " ", TextOf(near.tiling, range.field), " fits");
      reasons.push_back(std::move(range));
    }
    for (Rejection& rejection : rules_.WhyNotMemory(near.in_range)) {
      if (near.fits) {
        rejection.mend = Say(ChangesText(near.in_range, near.tiling), " fits");
      }
      reasons.push_back(std::move(rejection));
    }
    const auto told = [&](const std::string& field) {
      return std::ranges::find(Rules::kSizes, field) != Rules::kSizes.end() ||
             std::ranges::find(reasons, field, &Rejection::field) != reasons.end() ||
             (!near.fits && field == "data.totalUBSize");  // then none is right
    };
    for (Rejection& rejection : WhyNotTheSame(tiling, near.tiling)) {
      if (!told(rejection.field)) {
        reasons.push_back(std::move(rejection));
      }
    }
    return reasons;
  }

  [[nodiscard]] Rejections NotLarger(const Tiling& tiling) const {
    Rejections reasons;
    for (const PoolStep& step : rules_.StepsOf(tiling)) {
      const int64_t now = ValueOf(tiling, step.field);
      if (now + step.by > step.most) {
        continue;
      }
      Tiling larger = tiling;
      Set(larger, step.field, now + step.by);
      const Rejections found = WhyNot(rules_.Completed(larger));
      if (!found.empty()) {
        const Rejection& first = found.front();
        const std::string_view name = step.field.substr(step.field.find('.') + 1);
        reasons.push_back({Say("with ", name, " ", now + step.by, ", ", first.rule), std::string(step.field),
                           first.value, first.limit, Say(name, " ", now, " fits"), first.kind});
      }
    }
    return reasons;
  }

 private:
  struct Near {
    Tiling in_range;    // each size within its range, and all fields that follow
    Tiling tiling;      // and it fits; that of before where it breaks no rule
    bool fits = false;  // false: nothing smaller does, and `tiling` is `in_range`
  };

  static bool IsOfSplit(std::string_view path) { return path.starts_with("split."); }
  static const TilingField& FieldAt(std::string_view path) {
    const std::string_view name = path.substr(path.find('.') + 1);
    return *std::ranges::find(
        IsOfSplit(path) ? FieldsIn<decltype(Tiling::split)>() : FieldsIn<decltype(Tiling::data)>(), name,
        &TilingField::name);
  }
  static const void* PartAt(const Tiling& tiling, std::string_view path) {
    return IsOfSplit(path) ? static_cast<const void*>(&tiling.split) : &tiling.data;
  }
  static int64_t ValueOf(const Tiling& tiling, std::string_view path) {
    return Signed(ReadField(PartAt(tiling, path), FieldAt(path)));
  }
  static void Set(Tiling& tiling, std::string_view path, int64_t value) {
    void* const part = IsOfSplit(path) ? static_cast<void*>(&tiling.split) : &tiling.data;
    WriteField(part, FieldAt(path), Unsigned(value));
  }
  static std::string TextOf(const Tiling& tiling, std::string_view path) {
    const std::string_view word = WordOf(PartAt(tiling, path), FieldAt(path));
    return word.empty() ? Say(ValueOf(tiling, path)) : std::string(word);
  }

  static std::vector<TilingField> Differing(const Tiling& left, const Tiling& right) {
    std::vector<TilingField> fields = Differences(left.data, right.data);
    std::ranges::move(Differences(left.split, right.split), std::back_inserter(fields));
    return fields;
  }
  static Rejections WhyNotTheSame(const Tiling& tiling, const Tiling& expected) {
    Rejections reasons;
    for (const TilingField& field : Differing(tiling, expected)) {
      const std::string path = field.path();
      const auto* const of_field = std::ranges::find_if(
          Rules::kFieldRules, [&](const PoolFieldRule& rule_of) { return rule_of.IsOf(path); });
      const std::string_view rule =
          of_field == std::end(Rules::kFieldRules) ? "repeats the problem" : of_field->rule;
      if (!field.words.empty()) {
        reasons.push_back(WrongWord(path, rule, TextOf(tiling, path), TextOf(expected, path)));
        continue;
      }
      CheckExact(rule, path, ValueOf(tiling, path), ValueOf(expected, path), reasons);
    }
    return reasons;
  }
  // The sizes that differ, as `to` has them: "data.hyFactor 3 with split.storeRows 3".
  static std::string ChangesText(const Tiling& from, const Tiling& to) {
    std::string text;
    size_t changes = 0;
    for (const std::string_view field : Rules::kSizes) {
      if (ValueOf(from, field) != ValueOf(to, field)) {
        text += Say(changes == 0 ? "" : changes == 1 ? " with " : ", ", field, " ", TextOf(to, field));
        ++changes;
      }
    }
    return text;
  }

  // Of those that fit the one of which the fewest numbers differ.
  [[nodiscard]] Near NearestTo(const Tiling& tiling) const {
    Near nearest;
    int64_t least = INT64_MAX;
    const std::vector<Tiling> ways = rules_.InRange(tiling);
    for (const Tiling& way : ways) {
      for (const Tiling& fitting : rules_.Fits(way) ? std::vector{way} : Smaller(way, tiling)) {
        const int64_t changes = std::ranges::count_if(
            Differing(tiling, fitting), [](const TilingField& field) { return field.words.empty(); });
        if (changes < least) {
          least = changes;
          nearest = {way, fitting, true};
        }
      }
    }
    return nearest.fits ? nearest : Near{ways.front(), ways.front(), false};
  }
  // Those that fit with one size as large as it may be; where none does, the first last resort that does.
  [[nodiscard]] std::vector<Tiling> Smaller(const Tiling& way, const Tiling& tiling) const {
    std::vector<Tiling> smaller;
    for (const std::string_view field : Rules::kShrinking) {
      if (Tiling shrunk = Shrunk(way, field, tiling); rules_.Fits(shrunk)) {
        smaller.push_back(std::move(shrunk));
      }
    }
    if (smaller.empty()) {
      for (const Tiling& last : rules_.LastResorts(tiling)) {
        if (rules_.Fits(last)) {
          return {last};
        }
      }
    }
    return smaller;
  }
  [[nodiscard]] Tiling Shrunk(const Tiling& way, std::string_view field, const Tiling& tiling) const {
    const auto with = [&](int64_t value) {
      Tiling smaller = way;
      Set(smaller, field, value);
      Set(smaller, Rules::kCores, ValueOf(tiling, Rules::kCores));  // smaller blocks may occupy more of them
      return rules_.InRange(smaller).front();
    };
    int64_t fits = 0;  // what may be no 0 is 1 then
    for (int64_t too_large = ValueOf(way, field) + 1; too_large - fits > 1;) {
      const int64_t middle = fits + (too_large - fits) / 2;
      (rules_.Fits(with(middle)) ? fits : too_large) = middle;
    }
    return with(fits);
  }

  const Rules rules_;
};

std::string BytesText(const MaxPoolBuffers& b) {
  return Say("loads ", b.loader_bytes, ", stores ", b.storer_bytes, ", results ",
             b.values_bytes + b.indices_bytes + b.rows_bytes, ", indices and masks ",
             b.index_bytes + 2 * b.mask_bytes);
}

class MaxPoolRules {
 public:
  using Tiling = MaxPoolTiling;

  static constexpr std::array<std::string_view, 7> kSizes = {
      "data.ncFactor", "data.dyFactor", "data.hyFactor",  "data.wyFactor",
      "data.partH",    "data.partW",    "split.storeRows"};
  static constexpr std::array<std::string_view, 5> kShrinking = {
      "data.dyFactor", "data.hyFactor", "data.wyFactor", "data.partH", "split.storeRows"};
  static constexpr std::string_view kCores = "data.coreNums";
  static constexpr PoolFieldRule kFieldRules[] = {
      {{"data.ncTail", "data.ncOuter"}, "follows from data.ncFactor"},
      {{"data.dyTail", "data.dyOuter"}, "follows from data.dyFactor"},
      {{"data.hyTail", "data.hyOuter"}, "follows from data.hyFactor"},
      {{"data.wyTail", "data.wyOuter"}, "follows from data.wyFactor"},
      {{"data.blockFactor", "data.blockTail"}, "follows from data.totalIdx and data.coreNums"},
      {{"data.totalIdx"}, "follows from data.ncOuter, dyOuter, hyOuter and wyOuter"},
      {{"data.coreNums"}, "follows from data.totalIdx: no core is without a block"},
      {{"data.inputBufferSize"}, "follows from data.partH, partW and wyFactor, and the case's dtype"},
      {{"data.outputMaxBufferSize", "data.outputIndiceBufferSize"},
       "follows from data.dyFactor, hyFactor and wyFactor, and the case's dtype"},
      {{"data.indiceTempBufferSize", "data.maskBufferSize"},
       "follows from data.hyFactor, wyFactor and partH, and the case's dtype"},
      {{"split.usedCoreNum"}, "follows from data.coreNums"},
      {{"split.strategy"}, "follows from data.partW"},
  };

  MaxPoolRules(const PoolShape& shape, int64_t ub_bytes, int64_t cores)
      : s_(shape), ub_bytes_(ub_bytes), cores_(cores) {}

  [[nodiscard]] Tiling OfProblem(Tiling tiling) const {
    SetShapeFields(s_, tiling);
    return tiling;
  }
  // Where a window's row comes in parts for more than one output: whole rows, or one output.
  [[nodiscard]] std::vector<Tiling> InRange(const Tiling& tiling) const {
    PoolTile near = tilesim::TileOf(tiling);
    const auto keep = [](int64_t& size, int64_t most) { size = std::max<int64_t>(1, std::min(size, most)); };
    keep(near.lanes, MostPoolLanes(s_));
    keep(near.d, s_.d.out);
    keep(near.h, s_.h.out);
    keep(near.w, s_.w.out);
    keep(near.rows, kMostPoolRows);
    keep(near.taps_w, s_.w.window);
    keep(near.store_rows, near.h);
    int64_t cores = Signed(tiling.data.coreNums);
    keep(cores, cores_);
    if (near.taps_w == s_.w.window || near.w == 1) {
      return {TilingOf(s_, near, cores)};
    }
    PoolTile whole = near;
    whole.taps_w = s_.w.window;
    near.w = 1;
    return {TilingOf(s_, whole, cores), TilingOf(s_, near, cores)};
  }
  [[nodiscard]] Tiling Completed(const Tiling& tiling) const {
    return TilingOf(s_, tilesim::TileOf(tiling), 1);
  }
  [[nodiscard]] bool Fits(const Tiling& tiling) const {
    return TileFits(s_, tilesim::TileOf(tiling), UsableUbBytes(ub_bytes_));
  }
  [[nodiscard]] std::vector<Tiling> LastResorts(const Tiling& tiling) const {
    const PoolTile near = tilesim::TileOf(tiling);
    std::vector<Tiling> last;
    for (PoolTile tile : {PoolTile{.taps_w = s_.w.window}, SmallestPoolTile(s_)}) {
      tile.lanes = std::clamp<int64_t>(near.lanes, 1, MostPoolLanes(s_));
      last.push_back(TilingOf(s_, tile, std::clamp<int64_t>(Signed(tiling.data.coreNums), 1, cores_)));
    }
    return last;
  }

  [[nodiscard]] std::vector<ValueRange> RangesOf(const Tiling& tiling, const Tiling& near) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    return {
        {MostPoolLanes(s_) < kPoolLanes ? "lanes of a block, of those there are" : "lanes of the vector unit",
         "data.ncFactor", tile.lanes, 1, MostPoolLanes(s_)},
        {"outputs along D of a block", "data.dyFactor", tile.d, 1, s_.d.out},
        {"outputs along H of a block", "data.hyFactor", tile.h, 1, s_.h.out},
        {"outputs along W of a block", "data.wyFactor", tile.w, 1, s_.w.out},
        {"rows of x in one load", "data.partH", tile.rows, 1, kMostPoolRows},
        {"taps of a window's row in one load", "data.partW", tile.taps_w, 1, s_.w.window},
        {"rows of y in one store", "split.storeRows", tile.store_rows, 1, tilesim::TileOf(near).h},
        {"cores", "data.coreNums", Signed(tiling.data.coreNums), 1, cores_}};
  }
  [[nodiscard]] Rejections WhyNotTogether(const Tiling& tiling, const Tiling& near) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    const PoolTile right = tilesim::TileOf(near);
    const int64_t taps_w = std::max<int64_t>(1, std::min(tile.taps_w, s_.w.window));
    const int64_t w = std::max<int64_t>(1, std::min(tile.w, s_.w.out));
    if (taps_w == right.taps_w && w == right.w) {
      return {};
    }
    return {{"1 where a window's row comes in parts (partW below kw)", "data.wyFactor", w, 1,
             taps_w == right.taps_w ? "data.wyFactor 1 fits" : Say("data.partW ", right.taps_w, " fits"),
             LimitKind::kExact}};
  }
  [[nodiscard]] Rejections WhyNotMemory(const Tiling& tiling) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    Rejections reasons;
    ForEachLimit(s_, tile, [&](const PoolLimit& limit) { CheckLimit(limit, reasons); });
    const MaxPoolBuffers buffers = MaxPoolBuffersOf(s_, tile);
    if (buffers.planes > kMostPoolPlanes) {
      reasons.push_back({"planes of results under way, which the tile program keeps account of",
                         "data.dyFactor", buffers.planes, kMostPoolPlanes,
                         Say("data.dyFactor ", kMostPoolPlanes - 1, " fits")});
    }
    CheckUb(Say(": ", BytesText(buffers), "; ", kSelectScratchBytes, " of ", ub_bytes_, " are Select's"),
            buffers.total(), ub_bytes_, reasons);
    return reasons;
  }
  [[nodiscard]] std::vector<PoolStep> StepsOf(const Tiling& tiling) const {
    return {{"data.dyFactor", 1, s_.d.out}, {"data.hyFactor", 1, s_.h.out},
            {"data.wyFactor", 1, s_.w.out}, {"data.partH", 1, kMostPoolRows},
            {"data.partW", 1, s_.w.window}, {"split.storeRows", 1, Signed(tiling.data.hyFactor)}};
  }

 private:
  const PoolShape& s_;
  const int64_t ub_bytes_;
  const int64_t cores_;
};

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

Rejections WhyNot(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes, int64_t cores) {
  return PoolJudge(MaxPoolRules(shape, ub_bytes, cores)).WhyNot(tiling);
}

Rejections NotLarger(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  return PoolJudge(MaxPoolRules(shape, ub_bytes, 1)).NotLarger(tiling);
}

std::vector<std::string> Explained(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolBuffers b = MaxPoolBuffersOf(shape, tile);
  std::vector<std::string> lines = {
      Say(Name(tiling.split.strategy), ": ", Counted(tiling.data.totalIdx, "block"), " of ",
          Counted(tile.lanes, "lane"), " x ", tile.d, " x ", tile.h, " x ", tile.w,
          " outputs (D x H x W) on ", Counted(tiling.split.used_cores, "core"), ", lanes are ",
          shape.channels_last ? "channels of one n" : "channels of all n"),
      Say("a load brings up to ", Counted(tile.rows, "row"), " of ",
          Counted(LoadedColumns(shape, tile), "point"), "; ", Counted(b.planes, "plane"),
          " of results under way"),
      Say("UB: ", b.total(), " of ", UsableUbBytes(ub_bytes), " B: ", BytesText(b))};
  if (tile.taps_w < shape.w.window) {
    lines.push_back(Say("a window's row of ", shape.w.window, " taps comes ", tile.taps_w, " at a time"));
  }
  return lines;
}

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
