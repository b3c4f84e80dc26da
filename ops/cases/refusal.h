#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {

// Why an input of the user's is refused: where it stands (a column of the case file, an option of the command
// line), what was found, what is allowed and the mend. Knows neither file nor row.
struct Refusal {
  std::string where;
  std::string found;
  std::string allowed;
  std::string mend;
};

// "pad = '300': must be 0 to 255; give smaller pads"
inline std::string Sentence(const Refusal& refusal) {
  return Say(refusal.where, " = '", Shown(refusal.found), "': ", refusal.allowed, "; ", refusal.mend);
}

// A line a refusal, each behind `before`.
inline std::string Lines(const std::vector<Refusal>& refusals, std::string_view before = "") {
  std::string text;
  for (const Refusal& refusal : refusals) {
    text += Say(text.empty() ? "" : "\n", before, Sentence(refusal));
  }
  return text;
}

// Refusals on their way to the row that caused them; at least one.
class RefusedInput : public UserError {
 public:
  explicit RefusedInput(Refusal refusal) : RefusedInput(std::vector{std::move(refusal)}) {}
  explicit RefusedInput(std::vector<Refusal> refusals)
      : UserError(Lines(refusals)), refusals_(std::move(refusals)) {}
  [[nodiscard]] const Refusal& refusal() const { return refusals_.front(); }
  [[nodiscard]] const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  std::vector<Refusal> refusals_;
};

// Collects what is refused of inputs that are read one by one, so that all of it is told at once.
class Refusals {
 public:
  // Calls `read`; what it refuses is kept, and the next one may be read. A place is refused once.
  template <class Read>
  void Of(Read&& read) {
    try {
      read();
    } catch (const RefusedInput& refused) {
      for (const Refusal& refusal : refused.refusals()) {
        if (std::ranges::find(all_, refusal.where, &Refusal::where) == all_.end()) {
          all_.push_back(refusal);
        }
      }
    }
  }
  // Throws RefusedInput with all there are.
  void RequireNone() const {
    if (!all_.empty()) {
      throw RefusedInput(all_);
    }
  }

 private:
  std::vector<Refusal> all_;
};

}  // namespace tilesim
