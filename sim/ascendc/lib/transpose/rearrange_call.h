// What CumSum, Broadcast, the transpositions, Pad and UnPad come to, whatever their types: the functions
// themselves are compiled once, with the simulator.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ascendc/absent.h"
#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/vector_transpose.h"

namespace AscendC::simulator {

struct CumSumCall {
  LibraryOperand dst, last_row, src;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given; so below
  uint32_t rows, columns;
  bool along_rows;
  bool with_last_row;
  SourceLine where;
};
void Run(const CumSumCall& call);

struct BroadcastCall {
  LibraryOperand dst, src;
  const LocalTensor<uint8_t>* scratch;
  uint32_t rows, columns;
  bool of_rows;  // src is a column: each row's element fills the row
  SourceLine where;
};
void Run(const BroadcastCall& call);

struct TransposeCall {
  LibraryOperand dst, src;
  const LocalTensor<uint8_t>* scratch;
  TransposeType type;
  TransposeType tiled_type;  // of the tiling, which has no extents if it is not the call's
  std::array<uint32_t, 4> extents;
  SourceLine where;
};
void Run(const TransposeCall& call);

struct PadCall {
  LibraryOperand dst, src;
  const LocalTensor<uint8_t>* scratch;
  uint32_t rows, width, columns;  // of src: elements from row to row, of which so many are data
  uint32_t left, right;
  int32_t value;
  SourceLine where;
};
void Run(const PadCall& call);
struct UnPadCall {
  LibraryOperand dst, src;
  uint32_t rows, width, left, right;
  SourceLine where;
};
void Run(const UnPadCall& call);

}  // namespace AscendC::simulator
