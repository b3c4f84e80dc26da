#pragma once

namespace tilesim::host {

// Rows and result files are those of a command. A program of `tilesim cc` that is started by hand with
// --output or --format in TILESIM_OPTIONS becomes `tilesim run` of itself, with those options and its own
// words; this returns where it does not, or where there is no tilesim to become: where it is installed, in
// the build, on the PATH.
void RunByCommandWhereAsked();

}  // namespace tilesim::host
