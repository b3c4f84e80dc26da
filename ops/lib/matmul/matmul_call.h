// A call of the Matmul object, for as long as it is at work.
#pragma once

#include "kernel_operator.h"

namespace AscendC::simulator {

// What the object does meanwhile is told by the call and its line in the kernel, and not by lines of its own.
class MatmulCall {
 public:
  // `name`: a literal.
  MatmulCall(const char* name, SourceLine where)
      : core_(ThisCore()), call_{name, where}, outer_(core_.BeginStepsOf(call_)) {}
  // Of the kernel's own function that the object calls: it is told by its own lines.
  MatmulCall() : MatmulCall(nullptr, {}) {}
  MatmulCall(const MatmulCall&) = delete;
  MatmulCall& operator=(const MatmulCall&) = delete;
  ~MatmulCall() { core_.BeginStepsOf(outer_); }

  // Names it for messages, as the call in hand.
  void Name() const { core_.At(call_.name, tilesim::Pipe::kS, call_.where); }

 private:
  tilesim::Core& core_;
  tilesim::Core::KernelCall call_;
  tilesim::Core::KernelCall outer_;
};

}  // namespace AscendC::simulator
