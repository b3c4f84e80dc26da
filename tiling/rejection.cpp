#include "tiling/rejection.h"

namespace tilesim {

std::string Sentence(const Rejection& rejection) {
  std::string text = rejection.field + ": " + rejection.rule + ": " + std::to_string(rejection.value) +
                     ", allowed " + std::to_string(rejection.limit);
  if (!rejection.mend.empty()) {
    text += "; " + rejection.mend;
  }
  return text;
}

}  // namespace tilesim
