#pragma once

#include "cli/outcome.h"
#include "ops/harness/harness.h"

namespace tilesim {

// How a command ends because of one case.
inline Outcome OutcomeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return Outcome::kDone;
    case Verdict::kMismatch:
    case Verdict::kNoTiling:
      return Outcome::kNo;
    case Verdict::kRefused:
      return Outcome::kUserMistake;
    case Verdict::kHazard:
    case Verdict::kFault:
      return Outcome::kKernelFault;
    case Verdict::kError:
      return Outcome::kOurBug;
  }
  return Outcome::kOurBug;
}

}  // namespace tilesim
