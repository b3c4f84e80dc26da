#include "sim/ascendc/tensor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sim/core/gm.h"

namespace AscendC::simulator {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Memory;
using tilesim::Pipe;
using tilesim::Say;
using tilesim::isa::VectorType;

ApiState::ApiState() = default;
ApiState::~ApiState() = default;

std::string ApiState::OrderingCalls(Memory memory, uint64_t begin, uint64_t end, Pipe of, Pipe by) const {
  return buffers.OrderingCalls(memory, begin, end, of, by);
}

uint32_t KeepShape(Core& core, const ShapeInfo& info) {
  std::vector<ShapeInfo>& shapes = State(core).shapes;
  const auto found = std::ranges::find_if(shapes, [&](const ShapeInfo& known) {
    return known.shapeDim == info.shapeDim && known.originalShapeDim == info.originalShapeDim &&
           known.dataFormat == info.dataFormat && std::ranges::equal(known.shape, info.shape) &&
           std::ranges::equal(known.originalShape, info.originalShape);
  });
  if (found != shapes.end()) {
    return static_cast<uint32_t>(found - shapes.begin()) + 1;
  }
  shapes.push_back(info);
  return static_cast<uint32_t>(shapes.size());
}

ShapeInfo KeptShape(Core& core, uint32_t number) {
  return number == 0 ? ShapeInfo() : State(core).shapes.at(number - 1);
}

void CheckStaticTensor(TPosition position, uint64_t address, uint64_t size_bytes, SourceLine where) {
  Core& core = ThisCore();
  const Memory memory = MemoryOf(position);
  core.At("LocalTensor", Pipe::kS, where);
  core.Require(memory != Memory::kGm, FaultKind::kMisuse, "pos",
               "names no memory of a core; use VECCALC, A1, A2, B2, C2, CO1 or C2PIPE2GM, or a GlobalTensor");
  core.Require(address % ONE_BLK_SIZE == 0, FaultKind::kAlignment, "addr", "is ", address,
               ", which is no multiple of 32; round it up");
  core.Require(size_bytes % ONE_BLK_SIZE == 0, FaultKind::kAlignment, "tileSize", "makes ", size_bytes,
               " bytes, which are no multiple of 32; round it up");
  const auto capacity = static_cast<uint64_t>(core.CapacityBytes(memory));
  core.Require(address + size_bytes <= capacity, FaultKind::kBounds, "tileSize", "bytes [", address, ", ",
               address + size_bytes, ") pass the end of ", Name(memory), " at ", capacity, " by ",
               address + size_bytes - capacity, "; make the tensor smaller or put it further down");
}

uint64_t GmLimit(uint64_t address, uint64_t named) {
  const Core* const core = tilesim::internal::current_core;
  const tilesim::GmBuffer* const buffer = core == nullptr ? nullptr : core->gm_space().Find(address);
  const uint64_t end = buffer == nullptr ? named : buffer->address + buffer->size_bytes;
  return named == 0 ? end : std::min(named, end);
}

void RefuseOddNibble(uint64_t offset) {
  ThisCore().Fail(FaultKind::kAlignment, "offset",
                  Say("is ", offset, " elements of int4b_t, of which two make a byte; use an even number"));
}

namespace {

// The bytes from the operand's start; nullptr in a run without values.
const std::byte* BytesAt(Core& core, const char* call, const tilesim::isa::Operand& src,
                         uint64_t size_bytes) {
  core.At(call, Pipe::kS, {});
  const bool readable = src.memory == Memory::kUb || src.memory == Memory::kL1 || src.memory == Memory::kL0C;
  core.Require(readable, FaultKind::kMisuse, "tensor", "is in ", Name(src.memory),
               ", whose bytes cannot be shown; move them to UB, L1 or L0C");
  const auto capacity = static_cast<uint64_t>(core.CapacityBytes(src.memory));
  core.Require(src.begin + size_bytes <= capacity, FaultKind::kBounds, "tensor", "has ", size_bytes,
               " bytes, which pass the end of ", Name(src.memory), " by ", src.begin + size_bytes - capacity,
               "; give a smaller length");
  if (!core.mode().values) {
    return nullptr;
  }
  core.ReachAll();
  const std::byte* memory = src.memory == Memory::kUb   ? core.ub()
                            : src.memory == Memory::kL1 ? core.l1()
                                                        : reinterpret_cast<const std::byte*>(core.l0c());
  return memory == nullptr ? nullptr : memory + src.begin;
}

template <class T>
T Read(const std::byte* at) {
  T value;
  std::memcpy(static_cast<void*>(&value), at, sizeof value);
  return value;
}

std::string TextOf(VectorType type, const std::byte* bytes, uint64_t index) {
  const std::byte* at = bytes + index * static_cast<uint64_t>(ElementBits(type)) / 8;
  char text[32];
  const auto real = [&](float value) {
    std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
    return std::string(text);
  };
  switch (type) {
    case VectorType::kInt4: {
      const int nibble = Read<uint8_t>(at) >> index % 2 * 4 & 0xF;
      return std::to_string((nibble ^ 8) - 8);
    }
    case VectorType::kInt8:
      return std::to_string(Read<int8_t>(at));
    case VectorType::kUint8:
      return std::to_string(Read<uint8_t>(at));
    case VectorType::kInt16:
      return std::to_string(Read<int16_t>(at));
    case VectorType::kUint16:
      return std::to_string(Read<uint16_t>(at));
    case VectorType::kFp16:
      return real(static_cast<float>(Read<half>(at)));
    case VectorType::kBf16:
      return real(static_cast<float>(Read<bfloat16_t>(at)));
    case VectorType::kInt32:
      return std::to_string(Read<int32_t>(at));
    case VectorType::kUint32:
      return std::to_string(Read<uint32_t>(at));
    case VectorType::kFp32:
      return real(Read<float>(at));
    case VectorType::kInt64:
      return std::to_string(Read<int64_t>(at));
    case VectorType::kUint64:
      break;
  }
  return std::to_string(Read<uint64_t>(at));
}

}  // namespace

void PrintElements(const tilesim::isa::Operand& src, VectorType type, uint64_t elements) {
  const auto bits = static_cast<uint64_t>(ElementBits(type));
  const std::byte* bytes = BytesAt(ThisCore(), "Print", src, (elements * bits + 7) / 8);
  if (bytes == nullptr) {
    return;
  }
  const uint64_t line = ONE_BLK_SIZE * 8 / bits;
  std::string text;
  for (uint64_t i = 0; i < elements; ++i) {
    text += i % line == 0 ? Say(i == 0 ? "[" : "\n[", i, "] ") : " ";
    text += TextOf(type, bytes, i);
  }
  text += '\n';
  std::fputs(text.c_str(), stdout);
}

int32_t WriteElements(const tilesim::isa::Operand& src, uint64_t size_bytes, const std::string& file) {
  const std::byte* bytes = BytesAt(ThisCore(), "ToFile", src, size_bytes);
  std::FILE* out = bytes == nullptr ? nullptr : std::fopen(file.c_str(), "wb");
  if (out == nullptr) {
    return -1;
  }
  const bool written = std::fwrite(bytes, 1, size_bytes, out) == size_bytes;
  return std::fclose(out) == 0 && written ? 0 : -1;
}

}  // namespace AscendC::simulator
