// A case of few cells, and the same with others.
#pragma once

#include "ops/cases/case_file.h"

namespace tilesim {

inline CaseCells PlainCells() {
  return {{"op", "conv3d_backprop_filter"}, {"input", "1x4x6x6x6"}, {"filter", "8x4x3x3x3"}};
}

inline Case ReadPlain(const CaseCells& change) {
  CaseCells cells = PlainCells();
  for (const auto& [column, cell] : change) {
    cells[column] = cell;
  }
  return ReadCase(cells, 0, "");
}

}  // namespace tilesim
