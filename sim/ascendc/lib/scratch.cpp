#include "sim/ascendc/lib/scratch.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/ascendc/workspace.h"

namespace AscendC::simulator {

namespace {

LocalTensor<uint8_t> RestOfUb(tilesim::Core& core) {
  const uint64_t used = State(core).buffers.used_bytes(tilesim::Memory::kUb);
  const auto end = static_cast<uint64_t>(core.CapacityBytes(tilesim::Memory::kUb));
  return {TPosition::VECCALC, used, end - used, Lease{}};
}

}  // namespace

Scratch::Scratch(tilesim::Core& core, const LocalTensor<uint8_t>* given, CallTensors tensors)
    : core_(core),
      tensors_(std::move(tensors)),
      instructions_before_(core.statistics().instructions[static_cast<size_t>(tilesim::Pipe::kV)]),
      memory_(given != nullptr ? *given : RestOfUb(core)),
      given_(given != nullptr) {
  tensors_.RequireApart(core);
  const uint64_t begin = OffsetOf(core, memory_, "sharedTmpBuffer");
  end_ = memory_.GetSize();
  next_ = std::min<uint64_t>(AlignUp(static_cast<uint32_t>(begin), ONE_BLK_SIZE) - begin, end_);
}

Scratch::~Scratch() { core_.CountAsLibrary(instructions_before_); }

void Scratch::Require(uint64_t bytes, const char* name, const char* host_function) const {
  if (bytes <= left_bytes()) {
    return;
  }
  const std::string told_by =
      host_function != nullptr ? host_function : tilesim::Say("Get", name, "MaxMinTmpSize");
  const std::string how = tilesim::Say("; ", told_by, " tells the host how much a call needs");
  core_.Require(!given_, tilesim::FaultKind::kCapacity, "sharedTmpBuffer", "holds ", left_bytes(),
                " bytes, the call needs at least ", bytes, how);
  core_.Require(given_, tilesim::FaultKind::kCapacity, "scratch", "the buffers of the TPipe leave ",
                left_bytes(), " bytes of UB, the call needs at least ", bytes,
                "; make buffers smaller, or give it a sharedTmpBuffer", how);
}

LocalTensor<uint8_t> Scratch::TakeBytes(uint64_t bytes) {
  const uint64_t rounded = (bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
  if (rounded > left_bytes()) {
    throw std::logic_error(tilesim::Say("scratch: ", rounded, " bytes are taken of ", left_bytes(),
                                        " that are left: the call's Require asked for too few"));
  }
  const uint64_t begin = memory_.GetPhyAddr() + next_;
  if (memory_.memory() == tilesim::Memory::kUb) {
    tensors_.RequireApartFrom(core_, given_ ? "sharedTmpBuffer" : "scratch", begin, begin + rounded);
  }
  LocalTensor<uint8_t> piece = memory_[static_cast<uint32_t>(next_)];
  piece.SetSize(static_cast<uint32_t>(rounded));
  next_ += rounded;
  return piece;
}

}  // namespace AscendC::simulator
