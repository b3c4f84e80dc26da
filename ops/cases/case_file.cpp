#include "ops/cases/case_file.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/error.h"
#include "formats/input_file.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"
#include "ops/cases/csv_library.h"
#include "ops/cases/csv_line.h"
#include "ops/cases/foreign_names.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
std::vector<std::string_view> ColumnNames() {
  std::vector<std::string_view> names;
  for (const CaseColumn& column : CaseColumns()) {
    names.push_back(column.name);
  }
  return names;
}

void RequireHeader(const std::string& path, const std::vector<std::string>& header) {
  const std::vector<std::string_view> known = ColumnNames();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i];
    RequireUser(!name.empty(), path, ": column ", i + 1, " of the header has no name; name it, or remove it");
    RequireUser(name.find_first_of(";\t") == std::string::npos, path, ": header '", Shown(name),
                "': columns must be separated by commas");
    if (std::ranges::find(known, name) == known.end()) {
      const std::string ours = OurColumn(name);
      throw UserError(Say(path, ": unknown column '", Shown(name), "'; ",
                          ours.empty() ? DidYouMean(name, known) : ours,
                          "known columns: ", JoinedNames(known)));
    }
    RequireUser(seen.insert(name).second, path, ": column '", name, "' stands twice; keep one of them");
  }
  for (const CaseColumn& column : CaseColumns()) {
    RequireUser(column.otherwise != "required" || seen.contains(column.name), path, ": column '", column.name,
                "' is missing; each case needs it: ", column.says);
  }
}

// Throws for a row that has not a cell for each column; sets `id` and `sequence` first, where it has one.
CaseCells CellsOf(const std::vector<std::string>& header, char* line, std::string& id,
                  std::string& sequence) {
  const std::vector<std::string> values = SplitCsvLine(line);
  for (const auto& [name, text] : {std::pair("id", &id), std::pair("sequence", &sequence)}) {
    const auto column = static_cast<size_t>(std::ranges::find(header, name) - header.begin());
    if (column < std::min(header.size(), values.size()) && !values[column].empty()) {
      *text = IsPlainText(values[column]) ? values[column] : Shown(values[column]);
    }
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
  return cells;
}

// The rows of a call, as they are read.
class Calls {
 public:
  // Throws RefusedInput for a row that comes after its call has ended, and for a second time of one call.
  void Add(const Case& row) {
    const bool goes_on = row.sequence == last_;
    last_ = row.sequence;
    if (row.sequence.empty()) {
      return;
    }
    const auto [call, fresh] = measured_us_.try_emplace(row.sequence, row.measured_us);
    if (!fresh && !goes_on) {
      throw RefusedInput({"sequence", row.sequence, "its rows must follow each other, others are between",
                          "move the row up, or give it another name"});
    }
    if (row.measured_us && call->second && *row.measured_us != *call->second) {
      throw RefusedInput({"measured_us", Say(*row.measured_us),
                          Say("must be that of the rows above, ", *call->second, ", as all of sequence ",
                              row.sequence, " together was measured"),
                          "give it once"});
    }
    call->second = row.measured_us ? row.measured_us : call->second;
  }

 private:
  std::string last_;
  std::map<std::string, std::optional<double>, std::less<>> measured_us_;
};

void ReadRows(io::LineReader& lines, const std::vector<std::string>& header, const std::string& path,
              CaseFile& file) {
  const std::string folder = fs::path(path).parent_path().string();
  std::set<std::string, std::less<>> ids;
  std::set<std::string, std::less<>> sequences;
  Calls calls;
  int64_t row = 0;
  while (char* line = lines.next_line()) {
    if (io::empty_line_comment::is_comment(line)) {
      continue;
    }
    std::string id = std::to_string(++row);
    std::string sequence;
    const auto place = [&] {
      return Say(path, ":", lines.get_file_line(), ": row ", row, " (", Shown(id), ")");
    };
    try {
      const CaseCells cells = CellsOf(header, line, id, sequence);
      const bool fresh = ids.insert(id).second;
      if (!sequence.empty()) {
        sequences.insert(sequence);
      }
      Case read = ReadCase(cells, row, folder);
      if (!fresh) {
        throw RefusedInput({"id", id, "must differ from the ids of the rows above", "rename one of them"});
      }
      if (sequences.contains(id)) {  // the sum of a sequence is a row of its name
        throw RefusedInput({"id", id, "must differ from the sequences of all rows", "rename one of them"});
      }
      if (ids.contains(sequence)) {
        throw RefusedInput(
            {"sequence", sequence, "must differ from the ids of all rows", "rename one of them"});
      }
      calls.Add(read);
      read.place = place();
      file.cases.push_back(std::move(read));
    } catch (const RefusedInput& refused) {
      file.errors.push_back({row, id, place(), refused.refusals(), sequence});
    }
  }
}

void CountCalls(CaseFile& file) {
  std::map<std::string, int64_t, std::less<>> rows;
  for (const Case& row : file.cases) {
    ++rows[row.sequence];
  }
  for (const CaseError& row : file.errors) {
    ++rows[row.sequence];
  }
  for (Case& row : file.cases) {
    row.sequence_rows = row.sequence.empty() ? 0 : rows[row.sequence];
  }
}

}  // namespace

std::string Sentence(const CaseError& error) { return Say(error.place, ": ", Lines(error.refusals)); }

CaseFile ReadCaseFile(const std::string& path) {
  std::error_code ignored;
  RequireUser(fs::exists(path, ignored), path, ": no such file; give a case file (CSV with a header)");
  RequireUser(!fs::is_directory(path, ignored), path, ": is a folder; give a case file (CSV with a header)");
  CaseFile file;
  try {
    const std::string text = ReadInput(path, "; give a case file (CSV with a header)");
    const std::string_view before = std::string_view(text).substr(0, text.find('\0'));
    RequireUser(before.size() == text.size(), path, ":", 1 + std::ranges::count(before, '\n'),
                ": holds a byte 0, must be text; save it as UTF-8");
    io::LineReader lines(path, text.data(), text.data() + text.size());
    char* line = lines.next_line();
    while (line != nullptr && io::empty_line_comment::is_comment(line)) {
      line = lines.next_line();
    }
    RequireUser(line != nullptr, path,
                ": is empty; its first line must name the columns: ", JoinedNames(ColumnNames()));
    const std::vector<std::string> header = SplitCsvLine(line);
    RequireHeader(path, header);
    ReadRows(lines, header, path, file);
    CountCalls(file);
  } catch (const RefusedInput& refused) {
    throw UserError(Say(path, ": header: ", refused.what()));
  } catch (const io::error::base& error) {
    throw UserError(Say(path, ": ", error.what(), " It must be a text file, one case a line."));
  }
  return file;
}

}  // namespace tilesim
