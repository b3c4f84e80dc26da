#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilesim {

// Where includes of the user's sources look, and what they may find there: a file that comes to stand in a
// folder which is searched earlier is another one than was compiled. Knows no kernels.

struct IncludePlaces {
  std::vector<std::string> folders;  // of sources, of the options -I and the like, of headers in these
  std::vector<std::string> names;    // that the user's text asks __has_include for
};
// Of a compile with these options, of these sources, that has read these files.
[[nodiscard]] IncludePlaces IncludePlacesOf(const std::vector<std::string>& options,
                                            const std::vector<std::string>& sources,
                                            const std::vector<std::string>& files);

// What stands in the folders now under one of the names, or under the name of one of the files with some of
// the folders before it: "folder/name" of each, sorted.
[[nodiscard]] std::vector<std::string> StandingIn(const IncludePlaces& places,
                                                  const std::vector<std::string>& files);

}  // namespace tilesim
