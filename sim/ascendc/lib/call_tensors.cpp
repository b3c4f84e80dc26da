#include "sim/ascendc/lib/call_tensors.h"

#include <algorithm>

namespace AscendC::simulator {

CallTensors& CallTensors::Add(const char* name, CallTensor::Use use, const LibraryOperand& operand,
                              uint64_t elements) {
  if (operand.is == LibraryOperand::kTensor && operand.bytes.memory() == tilesim::Memory::kUb) {
    const uint64_t begin = operand.bytes.GetPhyAddr();
    const auto bits = static_cast<uint64_t>(tilesim::isa::ElementBits(operand.type));
    // What passes the tensor's end is told by the steps that do.
    const uint64_t bytes = std::min<uint64_t>(elements * bits / 8, operand.bytes.GetSize());
    tensors_.push_back({name, use, begin, begin + bytes});
  }
  return *this;
}

void CallTensors::RequireApart(tilesim::Core& core) const {
  for (const CallTensor& result : tensors_) {
    if (result.use == CallTensor::kSource) {
      continue;
    }
    for (const CallTensor& other : tensors_) {
      const bool in_place = result.use == CallTensor::kResult && other.use == CallTensor::kSource &&
                            result.begin == other.begin && result.end <= other.end;
      core.Require(&result == &other || in_place || !result.MeetsBytes(other.begin, other.end),
                   tilesim::FaultKind::kMisuse, result.name, "is bytes [", result.begin, ", ", result.end,
                   ") of UB, which lie across those of ", other.name, ", [", other.begin, ", ", other.end,
                   "); give it a tensor of its own",
                   result.use == CallTensor::kResult && other.use == CallTensor::kSource
                       ? ", or let it begin where that one does and be no longer"
                       : "");
    }
  }
}

void CallTensors::RequireApartFrom(tilesim::Core& core, const char* scratch, uint64_t begin,
                                   uint64_t end) const {
  for (const CallTensor& tensor : tensors_) {
    core.Require(!tensor.MeetsBytes(begin, end), tilesim::FaultKind::kMisuse, scratch,
                 "the call works in bytes [", begin, ", ", end, ") of UB, which lie across those of ",
                 tensor.name, ", [", tensor.begin, ", ", tensor.end,
                 "); give scratch that is apart from all tensors of the call");
  }
}

}  // namespace AscendC::simulator
