// `tilesim cc`: the compiler driver as a command.
#include <string>
#include <vector>

#include "cli/cc/driver.h"
#include "cli/commands.h"

namespace tilesim {

CommandEnd CcCommand(std::span<const std::string> words) {
  const CcRequest request{.words = std::vector<std::string>(words.begin(), words.end()), .pass = {}};
  return RunCc(request).ok ? Outcome::kDone : Outcome::kUserMistake;
}

}  // namespace tilesim
