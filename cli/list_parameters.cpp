#include "cli/list_parameters.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/options.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

constexpr ReportColumn kParameterColumns[] = {{"key", 38}, {"value", 14}, {"unit", 15},      {"least"},
                                              {"most"},    {"says", 40},  {"provenance", 60}};

// One line of a part's file: "key = value  # provenance".
struct Figure {
  std::string value;
  std::string provenance;  // "documented: AD, 512 KiB"
};
using Figures = std::map<std::string, Figure, std::less<>>;

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  const size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

// Of a file that the loader has taken.
Figures FiguresOf(std::string_view part) {
  std::ifstream file(SocPath(part));
  Figures figures;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    const size_t comment = std::min(line.find('#'), line.size());
    const std::string setting = Trimmed(std::string_view(line).substr(0, comment));
    const size_t sign = setting.find('=');
    if (setting.starts_with('[')) {
      section = setting.substr(1, setting.find(']') - 1);
    } else if (sign != std::string::npos) {
      const std::string key = Trimmed(std::string_view(setting).substr(0, sign));
      figures[section.empty() ? key : Say(section, ".", key)] = {
          Trimmed(std::string_view(setting).substr(sign + 1)),
          comment < line.size() ? Trimmed(std::string_view(line).substr(comment + 1)) : ""};
    }
  }
  return figures;
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
std::string Text(std::string_view part, const Figures& figures) {
  std::string text = Say("for --set key=value; in brackets what is allowed, then the value of ", part, "\n");
  std::istringstream lines(SocParameterHelp());
  for (std::string line; std::getline(lines, line);) {
    std::string key;
    std::istringstream(line) >> key;
    text += Say(line, " = ", figures.at(key).value, "\n");
  }
  return text;
}

}  // namespace

Outcome ListParameters(const Arguments& arguments) {
  const std::string part = arguments.Text("soc", FindOption("soc", "list")->otherwise);
  (void)LoadSoc(part);  // refuses a file that is no part
  const Figures figures = FiguresOf(part);
  if (!arguments.Has("format")) {
    PrintNow(Text(part, figures));
    return Outcome::kDone;
  }
  RowPrinter printer(FormatOf(arguments, "table"), kParameterColumns, "");
  for (const SocParameter& parameter : SocParameters()) {
    const Figure& figure = figures.find(parameter.key)->second;
    printer.Print({std::string(parameter.key), NumberCell(figure.value), std::string(parameter.unit),
                   BoundCell(parameter.least), BoundCell(parameter.most), std::string(parameter.says),
                   figure.provenance});
  }
  return Outcome::kDone;
}

}  // namespace tilesim
