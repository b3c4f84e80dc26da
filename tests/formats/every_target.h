#ifndef TILESIM_TESTS_FORMATS_EVERY_TARGET_H_
#define TILESIM_TESTS_FORMATS_EVERY_TARGET_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace tilesim {

// Runs `check` once for each instruction set that this machine and the libraries have, and leaves the choice
// as it was.
template <class Check>
void OnEveryTarget(const Check& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace tilesim

#endif  // TILESIM_TESTS_FORMATS_EVERY_TARGET_H_
