// The peers of the gradients' benchmark: oneDNN's backward convolutions in f32.
#pragma once

#include <memory>
#include <string>

#include "bench/contest.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim::bench {

enum class Gradient : uint8_t { kFilter, kInput };

// One primitive, backward weights or backward data, its memory in the layouts oneDNN prefers (layout `any`,
// no reorders), filled with small numbers.
class OneDnnGradient : public Peer {
 public:
  OneDnnGradient(const Conv3dProblem& problem, Gradient gradient);
  ~OneDnnGradient() override;
  void Run() override;
  [[nodiscard]] std::string implementation() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilesim::bench
