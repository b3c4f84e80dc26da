#pragma once
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// A planner's problem as the operator's.
inline Conv3dProblem ProblemOf(const ConvProblem& p) {
  Conv3dProblem problem;
  problem.dtype = p.dtype;
  problem.batch = p.batch, problem.cin = p.cin, problem.cout = p.cout, problem.groups = p.groups;
  problem.in = {.d = p.di, .h = p.hi, .w = p.wi};
  problem.out = {.d = p.dout, .h = p.ho, .w = p.wo};
  problem.kernel = {.d = p.dk, .h = p.hk, .w = p.wk};
  problem.stride = {.d = p.stride_d, .h = p.stride_h, .w = p.stride_w};
  problem.dilation = {.d = p.dilation_d, .h = p.dilation_h, .w = p.dilation_w};
  problem.pad = {.front = p.pad_front,
                 .back = p.pad_back,
                 .top = p.pad_up,
                 .bottom = p.pad_down,
                 .left = p.pad_left,
                 .right = p.pad_right};
  return problem;
}

}  // namespace tilesim::testing
