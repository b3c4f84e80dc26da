// How tilings of a pooling and of its gradient are judged, both alike: fields that repeat the problem, sizes
// that were chosen, what these take together, and fields that follow from them. A broken rule is mended by
// the nearest tiling that breaks none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rejection.h"
#include "tiling/tiling_field.h"

namespace tilesim {

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
inline void CheckLimit(const PoolLimit& limit, Rejections& reasons) {
  if (limit.found > limit.most) {
    reasons.push_back({std::string(limit.rule), std::string(limit.field), limit.found, limit.most, ""});
  }
}

// Refuses a block that takes more of UB than there is; `how` goes on with the rule.
inline void CheckUb(std::string_view how, int64_t needed, int64_t ub_bytes, Rejections& reasons) {
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

}  // namespace tilesim
