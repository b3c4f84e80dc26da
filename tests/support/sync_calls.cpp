#include "tests/support/sync_calls.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

namespace tilesim::testing {
namespace {

constexpr std::array<std::string_view, 10> kCalls = {
    "SetFlag",     "WaitFlag",         "PipeBarrier",       "EnQue",  "DeQue", "FreeTensor",
    "AllocTensor", "CrossCoreSetFlag", "CrossCoreWaitFlag", "SyncAll"};

bool Calls(std::string_view line, std::string_view name) {
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const bool starts =
        at == 0 || (std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0 && line[at - 1] != '_');
    const size_t after = at + name.size();
    if (starts && after < line.size() && (line[after] == '<' || line[after] == '(')) {
      return true;
    }
  }
  return false;
}

// The file under ops/ that a line includes; empty if none.
std::string Included(std::string_view line) {
  constexpr std::string_view kInclude = "#include \"";
  if (!line.starts_with(kInclude)) {
    return "";
  }
  line.remove_prefix(kInclude.size());
  const std::string path(line.substr(0, line.find('"')));
  for (const std::string& candidate : {path, "ops/" + path}) {
    if (candidate.starts_with("ops/") && std::filesystem::exists(candidate)) {
      return candidate;
    }
  }
  return "";
}

void Read(const std::string& file, std::set<std::string>& seen, std::vector<WrittenCall>& calls) {
  if (!seen.insert(file).second) {
    return;
  }
  std::ifstream source(file);
  if (!source.good()) {
    throw std::runtime_error(file + ": cannot be read");
  }
  std::string text;
  for (int number = 1; std::getline(source, text); ++number) {
    const std::string_view line = std::string_view(text).substr(0, text.find("//"));
    if (const std::string included = Included(line); !included.empty()) {
      Read(included, seen, calls);
    }
    for (const std::string_view call : kCalls) {
      if (Calls(line, call)) {
        calls.push_back({file, number, std::string(call)});
      }
    }
  }
}

}  // namespace

std::vector<WrittenCall> SynchronisingCalls(const std::string& file) {
  std::set<std::string> seen;
  std::vector<WrittenCall> calls;
  Read(file, seen, calls);
  return calls;
}

bool IsOf(const SyncSite& site, const WrittenCall& call) {
  const bool made_by_it = call.call == "AllocTensor" || call.call == "SyncAll";
  return site.where.line == call.line && std::string_view(site.where.file).ends_with(call.file) &&
         (site.call == call.call || made_by_it);
}

}  // namespace tilesim::testing
