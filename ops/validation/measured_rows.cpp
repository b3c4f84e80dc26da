#include "ops/validation/measured_rows.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <sstream>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"
#include "ops/cases/csv_library.h"
#include "ops/cases/csv_line.h"

namespace tilesim {
namespace {

constexpr std::string_view kInstructionColumns[] = {"id",   "instruction", "part",   "unit",
                                                    "size", "repeats",     "cycles", "clock_mhz",
                                                    "way",  "banks",       "data",   "source"};
constexpr std::string_view kKernelColumns[] = {"id",  "group",   "part",   "says",     "case",
                                               "set", "time_us", "covers", "left_out", "source"};

void RequireColumns(const std::string& path, const std::vector<std::string>& header,
                    std::span<const std::string_view> known) {
  std::set<std::string_view> seen;
  for (const std::string& name : header) {
    RequireUser(std::ranges::find(known, name) != known.end(), path, ": unknown column '", Shown(name), "'; ",
                DidYouMean(name, known), "known columns: ", JoinedNames(known));
    RequireUser(seen.insert(name).second, path, ": column '", name, "' stands twice; keep one of them");
  }
}

// Calls `read` with the cells of each row.
void ForRows(const std::string& path, std::span<const std::string_view> columns,
             const std::function<void(const CaseCells&)>& read) {
  std::error_code ignored;
  RequireUser(std::filesystem::is_regular_file(path, ignored), path,
              ": no such file; give a CSV file with the columns ", JoinedNames(columns));
  unsigned line_number = 0;
  try {
    io::LineReader lines(path);
    std::vector<std::string> header;
    while (char* line = lines.next_line()) {
      line_number = lines.get_file_line();
      if (io::empty_line_comment::is_comment(line) || line[0] == '#') {
        continue;
      }
      const std::vector<std::string> values = SplitCsvLine(line);
      if (header.empty()) {
        header = values;
        RequireColumns(path, header, columns);
        continue;
      }
      if (values.size() != header.size()) {
        throw RefusedInput({"row", Say(values.size(), " cells"),
                            Say("the header names ", header.size(), " columns"),
                            "give each column a cell, empty for its default"});
      }
      CaseCells cells;
      for (size_t i = 0; i < header.size(); ++i) {
        if (!values[i].empty()) {
          cells.emplace(header[i], values[i]);
        }
      }
      read(cells);
    }
    RequireUser(!header.empty(), path,
                ": is empty; its first line must name the columns: ", JoinedNames(columns));
  } catch (const RefusedInput& refused) {
    throw UserError(Say(path, ":", line_number, ": ", refused.what()));
  } catch (const io::error::base& error) {
    throw UserError(Say(path, ": ", error.what(), " It must be a text file, one row a line."));
  }
}

std::string Needed(const CellReader& cells, std::string_view column) {
  if (!cells.Has(column)) {
    cells.Refuse(column, "must be there", "each row needs it");
  }
  return cells.Text(column, "");
}

double Positive(const CellReader& cells, std::string_view column) {
  const double value = cells.Number(column, 0);
  if (value <= 0) {
    cells.Refuse(column, "must be above 0", "give what was measured");
  }
  return value;
}

MeasuredInstruction InstructionOf(const CaseCells& row) {
  static constexpr std::string_view kUnits[] = {"bytes", "elements", "mxkxn"};
  static constexpr std::string_view kWays[] = {"back_to_back", "waited"};
  static constexpr std::string_view kBanks[] = {"apart", "shared", "with_dst"};
  static constexpr std::string_view kPlaces[] = {"l2", "hbm"};
  const CellReader cells(row);
  MeasuredInstruction read;
  read.instruction = Needed(cells, "instruction");
  read.part = Needed(cells, "part");
  const std::string unit = cells.Choice("unit", kUnits);
  read.unit = static_cast<MeasuredUnit>(std::ranges::find(kUnits, unit) - std::begin(kUnits));
  const size_t counts[] = {read.unit == MeasuredUnit::kMxkxn ? size_t{3} : size_t{1}};
  read.size = cells.List("size", counts, counts[0] == 3 ? "16x16x128" : "4096");
  read.repeats = cells.Whole("repeats", 0, 1, 255);
  read.cycles = Positive(cells, "cycles");
  read.clock_mhz = Positive(cells, "clock_mhz");
  read.waited = cells.Choice("way", kWays) == "waited";
  if (const std::string banks = cells.Choice("banks", kBanks); cells.Has("banks")) {
    read.banks = static_cast<MeasuredBanks>(std::ranges::find(kBanks, banks) - std::begin(kBanks));
  }
  if (const std::string data = cells.Choice("data", kPlaces); cells.Has("data")) {
    read.in_hbm = data == "hbm";
  }
  read.id = cells.Text("id", Say(read.instruction, "/", read.part, "/", cells.Text("size", "")));
  return read;
}

// "op=max_pool2d input=1x2x3x4" as cells of a case.
CaseCells CaseOf(const CellReader& cells) {
  CaseCells found;
  std::istringstream words(cells.Text("case", ""));
  for (std::string word; words >> word;) {
    const size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      cells.Refuse("case", "must be column=value pairs with blanks between", "for example op=max_pool2d");
    }
    found[word.substr(0, sign)] = word.substr(sign + 1);
  }
  return found;
}

MeasuredKernel KernelOf(const CaseCells& row) {
  static constexpr std::string_view kGroups[] = {"matmul", "copy", "conv", "other"};
  static constexpr std::string_view kCovers[] = {"task", "cores", "call"};
  const CellReader cells(row);
  MeasuredKernel read;
  read.id = Needed(cells, "id");
  read.group = cells.Choice("group", kGroups);
  read.part = Needed(cells, "part");
  read.says = cells.Text("says", "");
  read.cells = CaseOf(cells);
  std::istringstream settings(cells.Text("set", ""));
  for (std::string setting; settings >> setting;) {
    read.set.push_back(setting);
  }
  read.left_out = cells.Text("left_out", "");
  if (read.cells.empty() == read.left_out.empty()) {
    cells.Refuse("case", "must be there, or left_out must say why not", "give one of the two");
  }
  read.time_us = read.left_out.empty() ? Positive(cells, "time_us") : cells.Number("time_us", 0);
  const std::string covers = cells.Choice("covers", kCovers);
  read.with_launch = covers != "cores";
  read.aclnn = covers == "call";
  return read;
}

template <class Row>
void RequireNewId(const Row& row, std::set<std::string>& ids) {
  if (!ids.insert(row.id).second) {
    throw RefusedInput({"id", row.id, "must differ from the ids of the rows above", "rename one of them"});
  }
}

}  // namespace

std::vector<MeasuredInstruction> ReadMeasuredInstructions(const std::string& path) {
  std::vector<MeasuredInstruction> rows;
  std::set<std::string> ids;
  ForRows(path, kInstructionColumns, [&](const CaseCells& cells) {
    rows.push_back(InstructionOf(cells));
    RequireNewId(rows.back(), ids);
  });
  return rows;
}

std::vector<MeasuredKernel> ReadMeasuredKernels(const std::string& path) {
  std::vector<MeasuredKernel> rows;
  std::set<std::string> ids;
  ForRows(path, kKernelColumns, [&](const CaseCells& cells) {
    rows.push_back(KernelOf(cells));
    rows.back().folder = std::filesystem::path(path).parent_path().string();
    RequireNewId(rows.back(), ids);
  });
  return rows;
}

}  // namespace tilesim
