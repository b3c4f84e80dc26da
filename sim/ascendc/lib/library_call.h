#pragma once

#include "sim/ascendc/vector_mask.h"

namespace AscendC::simulator {

// A function of the library while it runs: faults of its instructions name them as steps of the function that
// the kernel called.
class LibraryCall {
 public:
  // `name`: a literal.
  LibraryCall(const char* name, SourceLine where) : core_(VectorCore(name, where)) {
    if (core_ != nullptr) {
      outer_ = core_->BeginStepsOf({name, where});
      if (outer_.name != nullptr) {  // another function calls this one
        core_->BeginStepsOf(outer_);
      }
    }
  }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  ~LibraryCall() {
    if (core_ != nullptr) {
      core_->BeginStepsOf(outer_);
    }
  }

  // nullptr on a cube core, where the function does nothing.
  [[nodiscard]] tilesim::Core* core() const { return core_; }

 private:
  tilesim::Core* core_;
  tilesim::Core::KernelCall outer_ = {};
};

}  // namespace AscendC::simulator
