#include "tiling/rejection.h"

#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

std::string_view Demand(const Rejection& rejection) {
  switch (rejection.kind) {
    case LimitKind::kExact:
      return "must be ";
    case LimitKind::kMultiple:
      return "must be a multiple of ";
    case LimitKind::kEither:
    case LimitKind::kInWords:
      break;
  }
  return rejection.value > rejection.limit ? "must be at most " : "must be at least ";
}

}  // namespace

Rejection WrongWord(std::string field, std::string_view rule, std::string_view found,
                    std::string_view must_be) {
  std::string mend = Say(field, " ", must_be, " fits");
  return {Say(rule, ": found ", found, ", must be ", must_be),
          std::move(field),
          0,
          0,
          std::move(mend),
          LimitKind::kInWords};
}

std::string Sentence(const Rejection& rejection) {
  std::string text = Say(rejection.field, ": ", rejection.rule);
  if (rejection.kind != LimitKind::kInWords) {
    text += Say(": found ", rejection.value, ", ", Demand(rejection), rejection.limit);
  }
  if (!rejection.mend.empty()) {
    text += "; " + rejection.mend;
  }
  return text;
}

std::vector<std::string> SentencesOf(const Rejections& rejections) {
  std::vector<std::string> sentences;
  for (const Rejection& rejection : rejections) {
    sentences.push_back(Sentence(rejection));
  }
  return sentences;
}

void MendAsOneOfAnotherProblem(const Rejections& rest, Rejections& reasons) {
  if (rest.empty() || reasons.back().mend.empty()) {  // the rule says the mend
    return;
  }
  for (Rejection& reason : reasons) {
    reason.mend.clear();
  }
  reasons.back().mend = "other fields are of another problem, too: plan this one";
}

void CheckExact(std::string_view rule, std::string_view field, int64_t value, int64_t fits,
                Rejections& reasons) {
  const ValueRange range = {rule, field, value, fits, fits};
  CheckRanges({&range, 1}, reasons);
}

void CheckRanges(std::span<const ValueRange> ranges, Rejections& reasons) {
  for (const ValueRange& range : ranges) {
    const auto refuse = [&](int64_t limit, int64_t fits, LimitKind kind) {
      reasons.push_back({std::string(range.rule), std::string(range.field), range.value, limit,
                         Say(range.field, " ", fits, " fits"), kind});
    };
    if (range.value < range.least || range.value > range.most) {
      const int64_t limit = range.value < range.least ? range.least : range.most;
      refuse(limit, limit, range.least == range.most ? LimitKind::kExact : LimitKind::kEither);
    } else if (range.value % range.multiple_of != 0) {
      const int64_t below = range.value / range.multiple_of * range.multiple_of;
      refuse(range.multiple_of, below < range.least ? below + range.multiple_of : below,
             LimitKind::kMultiple);
    }
  }
}

}  // namespace tilesim
