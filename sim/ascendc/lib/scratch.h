// The scratch of a call of the high-level library: the buffer that the kernel gives, or else what the
// buffers of the TPipe leave of UB.
#pragma once

#include <cstdint>

#include "sim/ascendc/lib/call_tensors.h"
#include "sim/ascendc/tensor.h"

namespace AscendC::simulator {

// Hands out typed pieces, each from a multiple of 32 bytes on, one behind the other. Made on vector cores
// only; it lives as long as the call, and what V does meanwhile is counted as the library's.
class Scratch {
 public:
  // `given`: the kernel's sharedTmpBuffer; nullptr: the call has none. Refused are tensors of the call that
  // lie across each other, and later across what is taken.
  Scratch(tilesim::Core& core, const LocalTensor<uint8_t>* given, CallTensors tensors);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  uint64_t left_bytes() const { return end_ - next_; }
  // Refuses less than `bytes`, by the name of the call in hand. Get<name>MaxMinTmpSize, or `host_function`
  // where it is not nullptr, tells hosts how much it is.
  void Require(uint64_t bytes, const char* name, const char* host_function = nullptr) const;
  // The next `elements` elements. What a call takes it has asked for by Require: more than is left is a bug
  // of the call, std::logic_error.
  template <class T>
  LocalTensor<T> Take(uint32_t elements) {
    return TakeBytes(BytesOf<T>(elements)).template ReinterpretCast<T>();
  }

 private:
  LocalTensor<uint8_t> TakeBytes(uint64_t bytes);

  tilesim::Core& core_;
  CallTensors tensors_;
  int64_t instructions_before_;  // of V
  LocalTensor<uint8_t> memory_;
  bool given_;
  uint64_t next_ = 0;  // bytes from the start of memory_
  uint64_t end_ = 0;
};

}  // namespace AscendC::simulator
