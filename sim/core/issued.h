// One instruction as the observers see it.
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/instruction.h"
#include "sim/core/source_line.h"

namespace tilesim {

// The tile a tile program says it is working on; unset axes stay out of messages. Names are string literals,
// kept as they are.
struct TileLabel {
  const char* names[3] = {nullptr, nullptr, nullptr};
  int64_t indices[3] = {0, 0, 0};

  friend bool operator==(const TileLabel&, const TileLabel&) = default;
  std::string Text() const;  // "m 2, n 0, k 5"; empty where nothing was said
};

struct Issued {
  const char* name = "";  // a string literal (InstructionName): kept, not copied
  Pipe pipe = Pipe::kS;
  SourceLine where;
  TileLabel tile;
  int64_t run = 0;  // its number among the core's instructions, from 0; flags and barriers are none
  bool ordered_in_pipe = true;  // the pipe itself orders it behind its earlier instructions
  bool unit_flag = false;       // ordered against its partner by the unit flags of L0C
};

}  // namespace tilesim
