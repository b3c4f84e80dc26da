// Where the tensors of a call of the high-level library lie, and which of them may lie across others.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/tensor.h"

namespace AscendC::simulator {

// What a call reads or writes of a tensor in UB. Knows no values.
struct CallTensor {
  enum Use : uint8_t { kSource, kResult, kResultApart };  // the last may not take the place of a source

  const char* name = "";
  Use use = kSource;
  uint64_t begin = 0;  // bytes
  uint64_t end = 0;    // begin: nothing of UB

  [[nodiscard]] bool MeetsBytes(uint64_t other_begin, uint64_t other_end) const {
    return begin < other_end && other_begin < end;
  }
};

// Those of a call. Absent ones and numbers are left out.
class CallTensors {
 public:
  CallTensors& Source(const char* name, const LibraryOperand& operand, uint64_t elements) {
    return Add(name, CallTensor::kSource, operand, elements);
  }
  CallTensors& Result(const char* name, const LibraryOperand& operand, uint64_t elements) {
    return Add(name, CallTensor::kResult, operand, elements);
  }
  // For calls that read all places in an order of their own.
  CallTensors& ResultApart(const char* name, const LibraryOperand& operand, uint64_t elements) {
    return Add(name, CallTensor::kResultApart, operand, elements);
  }

  // Refuses results that lie across another tensor. A result that begins where a source does and is not
  // longer takes its place, as kernels have it.
  void RequireApart(tilesim::Core& core) const;
  // Refuses scratch, bytes [begin, end) of UB, that lies across a tensor.
  void RequireApartFrom(tilesim::Core& core, const char* scratch, uint64_t begin, uint64_t end) const;

 private:
  CallTensors& Add(const char* name, CallTensor::Use use, const LibraryOperand& operand, uint64_t elements);

  std::vector<CallTensor> tensors_;
};

}  // namespace AscendC::simulator
