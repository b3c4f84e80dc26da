#include "sim/host/run_by_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "sim/host/option_words.h"
#include "sim/host/process_maps.h"

// In programs that `tilesim cc` made: other programs with these libraries, tilesim among them, have it not.
extern "C" [[gnu::weak]] const char tilesim_made_by_cc;

namespace tilesim::host {
namespace {

std::vector<std::string> WordsOfProcess() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(word);
  }
  return words;
}

bool AsksForCommand(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    return name == "--output" || name == "--format";
  });
}

}  // namespace

void RunByCommandWhereAsked() {
  const char* const line = std::getenv("TILESIM_OPTIONS");
  if (line == nullptr || &tilesim_made_by_cc == nullptr || std::getenv("TILESIM_LAUNCHES") != nullptr ||
      IsInSharedLibrary()) {
    return;
  }
  std::vector<std::string> words;
  try {
    words = WordsOf(line, "");
  } catch (const UserError&) {
    return;  // the program's first call tells
  }
  const std::vector<std::string> own = WordsOfProcess();
  std::array<char, 4096> path{};
  if (!AsksForCommand(words) || own.empty()) {
    return;
  }
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0 || static_cast<size_t>(length) == path.size()) {  // none, or it is cut
    return;
  }
  words.insert(words.begin(), {"tilesim", "run", path.data()});
  words.emplace_back("--");
  words.insert(words.end(), own.begin() + 1, own.end());
  std::vector<char*> arguments;
  std::ranges::transform(words, std::back_inserter(arguments), [](std::string& word) { return word.data(); });
  arguments.push_back(nullptr);
  const std::string options = line;
  unsetenv("TILESIM_OPTIONS");  // the command gives the program its own
  for (const char* const program : {TILESIM_INSTALLED_PROGRAM, TILESIM_OF_BUILD, "tilesim"}) {
    execvp(program, arguments.data());
  }
  setenv("TILESIM_OPTIONS", options.c_str(), 1);
}

}  // namespace tilesim::host
