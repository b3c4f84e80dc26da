#include "cli/list_parameters.h"

#include <charconv>
#include <istream>
#include <map>
#include <memory>
#include <sstream>

#include "cli/options.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_file.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

constexpr ReportColumn kParameterColumns[] = {{"key", 38}, {"value", 14}, {"unit", 15},      {"least"},
                                              {"most"},    {"says", 40},  {"provenance", 60}};

// What the file of a part says, by key.
using Settings = std::map<std::string, SocSetting, std::less<>>;

Settings SettingsOf(std::string_view part) {
  const SocSource source = FindSoc(part);
  const std::unique_ptr<std::istream> file = source.Open();
  RequireUser(file != nullptr, source.Where(), ": cannot be opened; give the name or the file of a part");
  Settings settings;
  for (const SocSetting& setting : ReadSocFile(*file, source.Where())) {
    settings.emplace(setting.key, setting);
  }
  return settings;
}

// A number as a number, so that JSON has it as one.
ReportCell NumberCell(const std::string& text) {
  int64_t whole = 0;
  double number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, whole).ptr == end) {
    return whole;
  }
  return std::from_chars(text.data(), end, number).ptr == end ? ReportCell(number) : ReportCell(text);
}

ReportCell BoundCell(double bound) {
  constexpr double kExact = 0x1p53;  // whole numbers up to it are exact
  const bool whole = bound < kExact && bound == static_cast<double>(static_cast<int64_t>(bound));
  return whole ? ReportCell(static_cast<int64_t>(bound)) : ReportCell(bound);
}

// A line a parameter: "  key  what it is [bounds] = value".
std::string Text(std::string_view part, const Settings& settings) {
  std::string text = Say("for --set key=value; in brackets what is allowed, then the value of ", part, "\n");
  std::istringstream lines(SocParameterHelp());
  for (std::string line; std::getline(lines, line);) {
    std::string key;
    std::istringstream(line) >> key;
    text += Say(line, " = ", settings.at(key).value, "\n");
  }
  return text;
}

}  // namespace

Outcome ListParameters(const Arguments& arguments) {
  const std::string part = arguments.Text("soc", FindOption("soc", "list")->otherwise);
  (void)LoadSoc(part);  // refuses a file that is no part or lacks a parameter
  const Settings settings = SettingsOf(part);
  if (!arguments.Has("format")) {
    PrintNow(Text(part, settings));
    return Outcome::kDone;
  }
  RowPrinter printer(FormatOf(arguments, "table"), kParameterColumns, "");
  for (const SocParameter& parameter : SocParameters()) {
    const SocSetting& setting = settings.at(std::string(parameter.key));
    printer.Print({std::string(parameter.key), NumberCell(setting.value), std::string(parameter.unit),
                   BoundCell(parameter.least), BoundCell(parameter.most), std::string(parameter.says),
                   setting.comment});
  }
  return Outcome::kDone;
}

}  // namespace tilesim
