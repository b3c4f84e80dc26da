#include "cli/tune_file/tried_file.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "formats/error.h"
#include "formats/json_whole.h"
#include "ops/knowledge/knowledge_key.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The whole lines.
std::string LeftText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  return text;
}

Json JsonOf(const std::vector<std::string>& values, const Tried& tried) {
  return {{"values", values},
          {"verdict", Name(tried.verdict)},
          {"cycles", tried.cycles},
          {"time_us", tried.time_us},
          {"gm_bytes", tried.gm_bytes},
          {"lower_bound_us", tried.lower_bound_us},
          {"hazards", tried.hazards ? Json(*tried.hazards) : Json()},
          {"message", tried.message},
          {"launches", tried.num_launches}};
}

Tried TriedOf(const Json& from) {
  const auto whole = [&](const char* name) { return WholeNumber(from.at(name), name); };
  Tried tried{.verdict = TriedVerdictNamed(from.at("verdict").get<std::string>()).value(),
              .cycles = whole("cycles"),
              .time_us = from.at("time_us"),
              .gm_bytes = whole("gm_bytes"),
              .lower_bound_us = from.at("lower_bound_us"),
              .hazards = {},
              .message = from.at("message"),
              .num_launches = whole("launches"),
              .launches = {}};
  if (!from.at("hazards").is_null()) {
    tried.hazards = whole("hazards");
  }
  return tried;
}

void RequireSame(const fs::path& path, const TriedIdentity& theirs, const TriedIdentity& ours) {
  for (const auto& [name, value] : ours) {
    const auto found = theirs.find(name);
    RequireUser(found != theirs.end() && found->second == value, path.string(), ": its ", name, " is '",
                found == theirs.end() ? "" : found->second, "', that of this run '", value,
                "': their results cannot be mixed; give another file, or remove it to begin anew");
  }
}

}  // namespace

std::optional<TriedResults> ReadTried(const fs::path& path, const TriedIdentity& identity) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::nullopt;
  }
  std::istringstream lines(LeftText(path));
  std::string line;
  if (!std::getline(lines, line)) {
    return std::nullopt;  // a run that was stopped before it had anything
  }
  const auto reads = [&](const auto& read) {
    try {
      read(Json::parse(line));
    } catch (const std::exception& error) {  // of JSON, of a number, or a verdict that there is none of
      throw UserError(
          Say(path.string(), ": '", line.substr(0, 60),
              "' is no combination of a kernel file; give a file that `tilesim tune FILE` wrote, or "
              "another name (",
              PlainText(std::string_view(error.what())), ")"));
    }
  };
  TriedIdentity theirs;
  reads([&](const Json& head) { head.at("of").get_to(theirs); });
  RequireSame(path, theirs, identity);
  TriedResults results;
  while (std::getline(lines, line)) {
    reads([&](const Json& from) {
      if (from.contains("values_off")) {
        results.values_off = from["values_off"];
      } else {
        results.by_values[from.at("values").get<std::vector<std::string>>()] = TriedOf(from);
      }
    });
  }
  return results;
}

TriedFile::TriedFile(fs::path path, const TriedIdentity& identity)
    : path_(std::move(path)),
      file_(OpenAlone(path_, Say("--kb-out = '", path_.string(), "':"), "give another name")) {
  (void)ReadTried(path_,
                  identity);  // what another process wrote before this one had the file is of this run, too
  std::error_code error;
  const std::string left = LeftText(path_);
  const uintmax_t size = fs::file_size(path_, error);
  if (!error && size > left.size()) {
    fs::resize_file(path_, left.size(), error);  // without a line that was cut short
    RequireUser(!error, "--kb-out = '", path_.string(),
                "': its last line was cut short and cannot be removed (", error.message(),
                "); give another name");
  }
  if (left.empty()) {
    Write(JsonText({{"of", identity}}) + "\n");
  }
}

void TriedFile::SetValuesOff(bool off) { Write(JsonText({{"values_off", off}}) + "\n"); }

void TriedFile::Add(const std::vector<std::string>& values, const Tried& tried) {
  Write(JsonText(JsonOf(values, tried)) + "\n");
}

void TriedFile::Write(const std::string& line) {
  const auto hold = HoldInterrupt();
  const bool written =
      std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
  RequireUser(written, path_.string(), ": cannot be written (", SystemsWord(),
              "); give --kb-out a place that can");
}

}  // namespace tilesim
