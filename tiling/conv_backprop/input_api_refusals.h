#pragma once
#include "tiling/conv_backprop/input_problem.h"

namespace tilesim {

// On what planner `api` refuses a problem before it plans, and on nothing else: the shipped class's rules,
// and what that class is not defined for. A transposed convolution's sizes are filled in before those are
// looked at.

// Arguments, and products of two, that the shipped class narrows to 32 bits before some of its tests.
Rejections InputApiBeyond32Bits(const InputProblem& problem);

// Types, signs, and extents without which nothing can be computed (I1, I2).
Rejections InputApiBadArguments(const InputProblem& problem);

// Sizes that contradict each other, and limits of the instructions (I4 to I9).
Rejections InputApiBadSizes(const InputProblem& problem);

// A dx without pixels. The shipped class refuses it where it computes the sizes itself; sizes that it is
// given it takes, and gives no meaningful answer.
Rejections InputApiNoPixels(const InputProblem& problem);

// How far the window exceeds the padded input along an axis, 0 when it does not. The shipped class lets it,
// by less than a stride.
int64_t WindowBeyondInput(const InputAxis& axis, bool transpose);

}  // namespace tilesim
