#include "tests/cli/program.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilesim {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "tilesim_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no folder for the test");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScratchFolder::Write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

ProgramEnd RunProgram(const std::string& arguments, const std::string& folder) {
  return RunShell((folder.empty() ? "" : "cd '" + folder + "' && ") + "'" TILESIM_PROGRAM "' " + arguments);
}

ProgramEnd RunShell(const std::string& command) {
  const ScratchFolder scratch;
  const std::string whole =
      "{ " + command + "\n} >" + scratch / "out" + " 2>" + scratch / "err" + " </dev/null";
  const int status = system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(scratch / "out"), ReadFile(scratch / "err")};
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace tilesim
