// The text of a SoC file: its lines, before anyone asks what their keys mean.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/soc/provenance.h"

namespace tilesim {

// One line "key = value  # measured: by whom" below "[section]".
struct SocSetting {
  std::string key;    // "section.key"; as it stands where no section is above it
  std::string value;  // without the blanks around it, maybe empty
  std::string where;  // what messages begin with: "path:line", "--set" for what the command line says
  Provenance provenance = Provenance::kGiven;  // the first word of the comment, if it is one of these
  std::string comment = {};                    // what stands behind '#', without the blanks around it
};

// The settings in the order of their lines. Lines are "[section]", "key = value", "# comment" or blank, and a
// comment may end each of them. `path` is what messages say. Throws UserError with path and line for any
// other line and for a key that stands twice.
[[nodiscard]] std::vector<SocSetting> ReadSocFile(std::istream& file, std::string_view path);

}  // namespace tilesim
