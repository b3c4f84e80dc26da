// Files of --config, for a command that takes cases and one that takes files.
#include "cli/arguments.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  const std::string path = fuzz::FileOf(fuzz::TextOf(data, size), "options.cfg");
  for (const std::string_view command : {"run", "tune", "convert"}) {
    fuzz::Reads([&] {
      const std::string words[] = {"--config", path};
      const Arguments arguments(FindCommand(command), words);
      (void)arguments.CaseColumnsGiven();
    });
  }
  return 0;
}
