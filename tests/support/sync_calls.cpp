#include "tests/support/sync_calls.h"

#include <algorithm>
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

// The letters, digits and underscores after `before` in the line; empty where it does not stand there.
std::string WordAfter(std::string_view line, std::string_view before) {
  const size_t at = line.find(before);
  if (at == std::string_view::npos) {
    return "";
  }
  line.remove_prefix(at + before.size());
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return std::string(line.begin(), std::find_if_not(line.begin(), line.end(), part));
}

// The flags of a queue: of EnQue and DeQue, and of FreeTensor and AllocTensor.
struct QueueFlags {
  std::string_view position;
  std::string_view forward;
  std::string_view backward;
};
constexpr std::array<QueueFlags, 4> kQueues = {{{"VECIN", "MTE2_V", "V_MTE2"},
                                                {"VECOUT", "V_MTE3", "MTE3_V"},
                                                {"CO1", "M_FIX", "FIX_M"},
                                                {"position", "MTE2_MTE1", "MTE1_MTE2"}}};  // A1 or B1

// Tells the calls of one file what they order.
void SetOrders(std::vector<WrittenCall>& calls, const std::set<std::string>& queues) {
  for (WrittenCall& call : calls) {
    if (!call.orders.empty() || call.call.starts_with("CrossCore") || call.call == "SyncAll") {
      continue;
    }
    const auto flags = queues.size() != 1
                           ? kQueues.end()
                           : std::ranges::find(kQueues, *queues.begin(), &QueueFlags::position);
    if (flags == kQueues.end()) {
      throw std::runtime_error(call.Text() +
                               ": what it orders cannot be read; a file has queues of one kind");
    }
    call.orders = flags->forward;
    call.backward = flags->backward;
  }
}

void Read(const std::string& file, bool without_orders, std::set<std::string>& seen,
          std::vector<WrittenCall>& calls) {
  if (!seen.insert(file).second) {
    return;
  }
  std::ifstream source(file);
  if (!source.good()) {
    throw std::runtime_error(file + ": cannot be read");
  }
  std::string text;
  std::vector<WrittenCall> own;
  std::set<std::string> queues;
  for (int number = 1; std::getline(source, text); ++number) {
    const std::string_view line = std::string_view(text).substr(0, text.find("//"));
    if (const std::string included = Included(line); !included.empty()) {
      Read(included, without_orders, seen, calls);
    }
    for (const std::string_view call : kCalls) {
      if (Calls(line, call)) {
        const std::string event = WordAfter(line, "HardEvent::");
        own.push_back({.file = file,
                       .line = number,
                       .call = std::string(call),
                       .orders = event.empty() ? WordAfter(line, "<PIPE_") : event,
                       .backward = ""});
      }
    }
    if (const std::string position = WordAfter(line, "TQue<"); position == "position") {
      queues.insert(position);
    } else if (position == "AscendC") {
      queues.insert(WordAfter(line, "TPosition::"));
    }
  }
  if (!without_orders) {
    SetOrders(own, queues);
  }
  calls.insert(calls.end(), own.begin(), own.end());
}

}  // namespace

std::string WrittenCall::Text() const { return call + " at " + file + ":" + std::to_string(line); }

std::vector<WrittenCall> SynchronisingCalls(const std::string& file, bool without_orders) {
  std::set<std::string> seen;
  std::vector<WrittenCall> calls;
  Read(file, without_orders, seen, calls);
  return calls;
}

bool IsOf(const SyncSite& site, const WrittenCall& call) {
  const bool made_by_it = call.call == "AllocTensor" || call.call == "SyncAll";
  return site.where.line == call.line && std::string_view(site.where.file).ends_with(call.file) &&
         (site.call == call.call || made_by_it);
}

}  // namespace tilesim::testing
