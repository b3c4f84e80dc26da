// The cells of a case that convolutions and pooling have in common.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/case_cells.h"
#include "ops/cases/window.h"

namespace tilesim {

DType ReadDType(const CellReader& cells);
// Of x, y, dx and dy: NCDHW or NDHWC, 2D NCHW or NHWC.
Format ReadLayout(const CellReader& cells, bool is_2d);
Rounding ReadRounding(const CellReader& cells);

// A shape in the order of its format, as canonical extents of five axes (D = 1 in 2D).
std::array<int64_t, 5> ReadShape(const CellReader& cells, std::string_view column, Format format);

// One number for all axes, or one an axis; `otherwise` where the cell is empty. Depth is 1 in 2D.
Extents3 ReadPerAxis(const CellReader& cells, std::string_view column, bool is_2d, Extents3 otherwise = {});
// The same with 1 for an empty cell, and refused where a number is below 1: such strides divide by nothing.
Extents3 ReadPositivePerAxis(const CellReader& cells, std::string_view column, bool is_2d);

// valid, same, one number, one an axis, or two an axis. `windows` has all but its pads.
Pads ReadPads(const CellReader& cells, const Windows& windows, Rounding rounding, bool is_2d);

}  // namespace tilesim
