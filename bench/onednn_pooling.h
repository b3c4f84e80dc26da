// The peers of the poolings' benchmark: oneDNN's max pooling in f32, plain layout.
#pragma once

#include <memory>
#include <string>

#include "bench/contest.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim::bench {

enum class Direction : uint8_t { kForward, kBackward };

// One primitive, forward for training (with workspace) or backward, on tensors in NCDHW (2D: NCHW) filled
// with small numbers. The problem's output size is rounded down.
class OneDnnPooling : public Peer {
 public:
  OneDnnPooling(const PoolProblem& problem, Direction direction);
  ~OneDnnPooling() override;
  void Run() override;
  [[nodiscard]] std::string implementation() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilesim::bench
