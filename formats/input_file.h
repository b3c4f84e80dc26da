// Files that are read from their beginning to their end, whatever they are. Knows no format.
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace tilesim {

// The file's bytes, to be read and sought in; nullptr: it cannot be opened, or is a folder. What gives its
// bytes only once (a pipe, /dev/stdin, <(command) of a shell) is read to its end and kept for whoever opens
// that path again. Throws UserError for one that has more than 1 GiB.
std::unique_ptr<std::istream> OpenInput(const std::string& path);

// All of it. Throws UserError, with `mend` at its end, for what cannot be opened or read.
std::string ReadInput(const std::string& path, std::string_view mend);

}  // namespace tilesim
