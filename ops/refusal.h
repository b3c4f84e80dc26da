#pragma once

#include <string>

#include "formats/error.h"

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
  return Say(refusal.where, " = '", refusal.found, "': ", refusal.allowed, "; ", refusal.mend);
}

// A refusal on its way to the row that caused it.
class RefusedInput : public UserError {
 public:
  explicit RefusedInput(Refusal refusal) : UserError(Sentence(refusal)), refusal_(std::move(refusal)) {}
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

}  // namespace tilesim
