// Which figures of a part were chosen to fit which instructions' measurements, and how well such a choice
// predicts a row that had no part in it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/validation/measured_rows.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Keys of the figures that were fitted to the instructions of a family; empty: none were.
std::vector<std::string_view> FittedFigures(std::string_view family);

// The mean absolute error in percent of rows by figures that were fitted without them: of each table (an
// instruction on a part) every fifth size is left out in turn, and the family's figures are fitted anew to
// the others of the part, by a search that knows nothing of the figures the part has. None where
// nothing was fitted or a part has fewer than five rows. All rows are of one family and can be simulated.
std::optional<double> LeaveOneOut(std::span<const MeasuredInstruction* const> rows, std::string_view family,
                                  const std::function<const SocConfig&(const std::string&)>& part);

}  // namespace tilesim
