// How much scratch functions of the high-level library take: the one statement of it, for the
// functions themselves and for the host's Get...MaxMinTmpSize and Get...TmpBufferFactorSize.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/ascendc/lib/library_functions.h"

namespace tilesim::library {

// Scratch of a function that goes through its operands in pieces. A live node is a buffer with 4 bytes for
// each element of a piece, whatever the type of the operands.
struct ScratchNeed {
  static constexpr uint32_t kRepeat = 64;  // elements
  static constexpr uint32_t kNodeElementBytes = 4;

  uint32_t nodes = 0;
  uint32_t extra_bytes = 0;  // whatever the length of a piece
  uint32_t piece = kRepeat;  // elements of the shortest piece; others hold some of these

  constexpr uint32_t BytesFor(uint32_t elements) const {
    const uint32_t pieces = elements / piece + (elements % piece != 0 ? 1 : 0);
    return extra_bytes + nodes * kNodeElementBytes * piece * (pieces == 0 ? 1 : pieces);
  }
  constexpr uint32_t MinBytes() const { return BytesFor(piece); }
  // The longest piece, in elements, that so much scratch allows; 0: too little.
  constexpr uint32_t PieceIn(uint64_t bytes) const {
    const uint64_t piece_bytes = uint64_t{nodes} * kNodeElementBytes * piece;
    return bytes < MinBytes() ? 0 : static_cast<uint32_t>((bytes - extra_bytes) / piece_bytes * piece);
  }
  // Nodes in elements of a type: what the host multiplies with the size of an element.
  constexpr uint32_t NodesOf(uint32_t type_bytes) const {
    return type_bytes == 0 ? nodes : (nodes * kNodeElementBytes + type_bytes - 1) / type_bytes;
  }
};

// Functions that go through rows of more than one tensor.
inline constexpr ScratchNeed kAscendQuant{.nodes = 4};
inline constexpr ScratchNeed kAscendDequant{.nodes = 2};
inline constexpr ScratchNeed kAscendAntiQuant{.nodes = 6};
inline constexpr ScratchNeed kSelectWithBytesMask{.nodes = 2};
inline constexpr ScratchNeed kDropOut{.nodes = 3, .piece = 256};  // bits of a piece are whole data blocks

struct FunctionRow {
  const char* name;
  ScratchNeed need;
};

constexpr const char* NameOr(const char* function, const char* name = nullptr) {
  return name != nullptr ? name : function;
}
// In the order of Function.
inline constexpr FunctionRow kFunctions[] = {
#define TILESIM_FUNCTION(FUNCTION, NODES, TYPES, ...) {NameOr(#FUNCTION __VA_OPT__(, ) __VA_ARGS__), {NODES}},
    TILESIM_LIBRARY_FUNCTIONS(TILESIM_FUNCTION)
#undef TILESIM_FUNCTION
};

constexpr const FunctionRow& RowOf(Function function) { return kFunctions[static_cast<size_t>(function)]; }

}  // namespace tilesim::library
