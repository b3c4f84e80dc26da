// Which figures of a part were chosen to fit which instructions' measurements, and how well such a choice
// predicts a row that had no part in it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/validation/measured_rows.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Keys of the figures that were fitted to the instructions of a family; empty: none were.
std::vector<std::string_view> FittedFigures(std::string_view family);

// The part with other figures for a family, a few percent and a whole cycle up and down, the part itself
// first: the same number of them for every part.
std::vector<SocConfig> FigureCandidates(std::string_view family, const SocConfig& soc);

// The mean absolute error in percent where, for each row, the figures are chosen by the others; none where
// nothing was fitted or there is one row. All rows are of one family and can be simulated.
std::optional<double> LeaveOneOut(std::span<const MeasuredInstruction* const> rows, std::string_view family,
                                  const std::function<const SocConfig&(const std::string&)>& part);

}  // namespace tilesim
