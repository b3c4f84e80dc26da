// The order in which the calls of the convolution backprop objects may come.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace ConvBackpropApi {

// Init; the setters; Iterate and GetTensorC in turn until Iterate gives false; then the setters again for the
// next single shape, or End. Each member stands for a call, and one that comes out of order is a fault that
// names the rule. Knows no data and no object.
class CallOrder {
 public:
  __aicore__ inline void Init() {
    ascendc_assert(stage_ == Stage::kMade, "Init is to be called exactly once, before everything else");
    stage_ = Stage::kReady;
  }
  // A setter: after Init and never between the blocks of a single shape.
  __aicore__ inline void Set() const {
    ascendc_assert(stage_ != Stage::kMade, "call Init before the setters");
    ascendc_assert(stage_ != Stage::kEnded, "nothing can be set after End");
    ascendc_assert(
        BetweenShapes(),
        "setters are not allowed between the blocks of a single shape: go on until Iterate gives false");
  }
  // Iterate where isFirstIter_ says that a single shape begins,
  __aicore__ inline void IterateFirst() const {
    ascendc_assert(stage_ != Stage::kMade, "Iterate: call Init and the setters first");
    ascendc_assert(stage_ != Stage::kEnded, "Iterate: not after End");
    ascendc_assert(BetweenShapes(),
                   "Iterate: isFirstIter_ is true in the middle of a single shape; set it only after Iterate "
                   "gave false");
  }
  // and where it does not.
  __aicore__ inline void IterateNext() const {
    ascendc_assert(stage_ != Stage::kFinished,
                   "Iterate: this single shape is finished; set ctx.isFirstIter_ = true before the next one");
    ascendc_assert(stage_ == Stage::kWritten, "Iterate: call GetTensorC after each Iterate that gives true");
  }
  // What Iterate gave.
  __aicore__ inline void Iterated(bool block) { stage_ = block ? Stage::kBlock : Stage::kFinished; }
  __aicore__ inline void GetTensorC() {
    ascendc_assert(stage_ == Stage::kBlock, "GetTensorC: only after an Iterate that gave true, and once");
    stage_ = Stage::kWritten;
  }
  __aicore__ inline void End() {
    ascendc_assert(stage_ != Stage::kMade && stage_ != Stage::kEnded, "End: once, after Init");
    ascendc_assert(
        BetweenShapes(),
        "End: a single shape is not finished; go on with Iterate and GetTensorC until Iterate gives false");
    stage_ = Stage::kEnded;
  }

 private:
  enum class Stage : uint8_t { kMade, kReady, kBlock, kWritten, kFinished, kEnded };

  [[nodiscard]] bool BetweenShapes() const { return stage_ == Stage::kReady || stage_ == Stage::kFinished; }

  Stage stage_ = Stage::kMade;
};

}  // namespace ConvBackpropApi
