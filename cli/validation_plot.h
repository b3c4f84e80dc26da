#pragma once

#include <span>
#include <string>

#include "ops/validation/validation.h"

namespace tilesim {

// Predicted over measured time as an SVG picture, both axes logarithmic, a dot a row; nothing else is needed
// to show it.
std::string ValidationPlot(std::span<const ValidatedRow> rows);

}  // namespace tilesim
