#include "sim/core/fault.h"

#include <array>

#include "formats/error.h"

namespace tilesim {

std::string_view Name(FaultKind kind) {
  constexpr std::array<std::string_view, 11> kNames = {
      "out of bounds", "misaligned",         "over capacity", "over a limit", "flag", "queue",
      "deadlock",      "uninitialised read", "hazard",        "misuse",       "crash"};
  return kNames[static_cast<size_t>(kind)];
}

std::string Fault::Text() const {
  std::string text = cores == 1 ? core : Say("on ", cores, " cores, first ", core);
  if (!instruction.empty()) {
    text += Say(text.empty() ? "" : ", ", instruction);
  }
  if (!pipe.empty()) {
    text += Say(" on ", pipe);
  }
  if (cycle >= 0) {
    text += Say(" at cycle ", cycle);
  }
  if (!tile.empty()) {
    text += Say(", tile ", tile);
  }
  if (where.line != 0) {
    text += Say(", ", where.file, ":", where.line);
  }
  text += Say(text.empty() ? "" : ": ", "[", Name(kind), "] ");
  if (!operand.empty()) {
    text += Say(operand, ": ");
  }
  return text + what;
}

}  // namespace tilesim
