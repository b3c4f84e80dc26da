#include "tests/sim/host/started.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/error.h"

namespace tilesim {
namespace {

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Ended Started(const std::string& command) {
  static int number = 0;
  const std::string base =
      (std::filesystem::temp_directory_path() / Say("tilesim_host_test_", getpid(), "_", number++)).string();
  const int status = std::system(Say("{ ", command, "; } > ", base, ".out 2> ", base, ".err").c_str());
  Ended ended{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
              .out = Contents(base + ".out"),
              .err = Contents(base + ".err")};
  std::filesystem::remove(base + ".out");
  std::filesystem::remove(base + ".err");
  return ended;
}

Ended HostProgram(const std::string& scenario, const std::string& options) {
  return Started(Say("TILESIM_OPTIONS='", options, "' ", HOST_PROGRAM, " ", scenario));
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "looked for:\n" << part << "\nin:\n" << text;
}

void ExpectHasNot(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << "did not want:\n" << part << "\nin:\n" << text;
}

}  // namespace tilesim
