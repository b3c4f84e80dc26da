#pragma once

#include <string>
#include <vector>

namespace tilesim {

// The cells of one line of a CSV file; blanks around them and quotes go. The line is taken apart on the way.
// Throws RefusedInput for a quote without its end.
std::vector<std::string> SplitCsvLine(char* line);

}  // namespace tilesim
