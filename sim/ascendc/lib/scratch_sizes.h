// How much scratch the elementwise functions of the high-level library take: the one statement of it, for the
// functions themselves and for the host's Get...MaxMinTmpSize and Get...TmpBufferFactorSize.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tilesim::library {

// Scratch of a function that goes through its operands in pieces. A live node is a buffer with 4 bytes for
// each element of a piece, whatever the type of the operands; pieces are whole repeats of 64 elements.
struct ScratchNeed {
  static constexpr uint32_t kRepeat = 64;  // elements
  static constexpr uint32_t kNodeElementBytes = 4;

  uint32_t nodes = 0;
  uint32_t extra_bytes = 0;  // whatever the length of a piece

  constexpr uint32_t BytesFor(uint32_t elements) const {
    const uint32_t repeats = elements / kRepeat + (elements % kRepeat != 0 ? 1 : 0);
    return extra_bytes + nodes * kNodeElementBytes * kRepeat * (repeats == 0 ? 1 : repeats);
  }
  // For pieces of one repeat.
  constexpr uint32_t MinBytes() const { return BytesFor(kRepeat); }
  // The longest piece, in elements, that so much scratch allows; 0: too little.
  constexpr uint32_t PieceIn(uint64_t bytes) const {
    const uint64_t repeat_bytes = uint64_t{nodes} * kNodeElementBytes * kRepeat;
    return bytes < MinBytes() ? 0 : static_cast<uint32_t>((bytes - extra_bytes) / repeat_bytes * kRepeat);
  }
  // Nodes in elements of a type: what the host multiplies with the size of an element.
  constexpr uint32_t NodesOf(uint32_t type_bytes) const {
    return (nodes * kNodeElementBytes + type_bytes - 1) / (type_bytes == 0 ? 1 : type_bytes);
  }
};

// The functions, each with its row in kFunctions.
enum class Function : uint8_t { kSigmoid, kTanh };

struct FunctionRow {
  const char* name;  // the host function is Get<host_name>MaxMinTmpSize
  ScratchNeed need;
  const char* host_name = name;
};

inline constexpr FunctionRow kFunctions[] = {
    {"Sigmoid", {2}},
    {"Tanh", {4}},
};

constexpr const FunctionRow& RowOf(Function function) { return kFunctions[static_cast<size_t>(function)]; }

}  // namespace tilesim::library
