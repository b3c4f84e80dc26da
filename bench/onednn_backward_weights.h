// The peer of the filter gradient's benchmark: oneDNN's backward-weights convolution in f32.
#pragma once

#include <memory>
#include <string>

#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim::bench {

// One primitive, its memory in the layouts oneDNN prefers (layout `any`, no reorders), filled with small
// numbers.
class OneDnnBackwardWeights {
 public:
  explicit OneDnnBackwardWeights(const Conv3dProblem& problem);
  ~OneDnnBackwardWeights();
  void Run();
  // oneDNN's name of the implementation, e.g. "jit:avx512_core".
  std::string implementation() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilesim::bench
