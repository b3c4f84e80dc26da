#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/gradient_choice.h"

namespace tilesim {

// Rows of dy behind rows [row, row + rows) of dx, empty when end <= begin.
struct InputRowSpan {
  int64_t begin = 0;
  int64_t end = 0;
};
InputRowSpan RowsBehind(const InputProblem& problem, int64_t row, int64_t rows);

// What the busiest core has to do under a cut, and how much of each tensor it meets for the first time. Of
// that it fetches a share from HBM, the rest other cores have fetched. Knows no block and no clock.
struct InputCoreWork {
  int64_t core = 0;
  double tasks = 0;
  double products = 0;     // rows of dx * lines of channels * taps of depth
  double dx = 0;           // rows * lines written
  double dy_new_rows = 0;  // rows of dy, of all output channels of a group, met for the first time
  double weights_new = 0;  // lines * taps of depth met for the first time
  // Shares of the two above, 0 to 1, that come from HBM.
  double dy_fetched = 1;
  double weights_fetched = 1;
};

// The core whose stretch of the list weighs most; of equal ones the first that is neither core 0 nor the
// last, whose rows have neighbours on both sides, and core 0 where only these two are equal.
int64_t HeaviestCore(const InputTaskList& list, int64_t cores);

// The strategies with as many tasks a core that deal these tasks out in different orders: where a
// dimension is one part, its place in the order does not matter.
std::vector<InputStrategy> DifferentOrders(const InputTaskSpace& space);

// The work of the core that has most. Of a list with more tasks than `most_looked_at` a stretch is looked at
// and scaled.
InputCoreWork BusiestCore(const InputProblem& problem, const InputCut& cut, int64_t most_looked_at);

}  // namespace tilesim
