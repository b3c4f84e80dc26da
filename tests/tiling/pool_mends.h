// What the mends of a refused pooling tiling make of it, taken at their word. Tilings are JSON.
#pragma once

#include <functional>
#include <string>

#include "tiling/rejection.h"

namespace tilesim::testing {

// The tiling with every "a.b 3 with c.d 4, e.f word fits" of the reasons in it.
std::string Mended(const std::string& tiling, const Rejections& reasons);

// Calls f(path, tiling) for each number of the tiling by itself with values near to its own and far from it.
void ForEachSpoiltNumber(const std::string& tiling,
                         const std::function<void(const std::string&, const std::string&)>& f);

}  // namespace tilesim::testing
