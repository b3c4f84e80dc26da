// How `tilesim validate` shows what it found: every row in CSV and JSON, instructions by their tables in a
// table.
#include "cli/validation_report.h"

#include <memory>
#include <optional>
#include <span>

#include "cli/printer.h"
#include "formats/error.h"

namespace tilesim {
namespace {

// CSV and JSON: one kind of row for measurements ("row", "left_out", "failed") and sums ("family", "group").
constexpr ReportColumn kValidationColumns[] = {{"kind"},
                                               {"id"},
                                               {"group"},
                                               {"family"},
                                               {"part"},
                                               {"unit"},
                                               {"measured"},
                                               {"predicted"},
                                               {"error_percent"},
                                               {"rows"},
                                               {"failed"},
                                               {"mean_absolute_percent"},
                                               {"bias_percent"},
                                               {"rank_correlation"},
                                               {"leave_one_out_percent"},
                                               {"target_percent"},
                                               {"met"},
                                               {"message"}};

constexpr ReportColumn kRowColumns[] = {{"row", 34},      {"part", 11},      {"rows", 5},    {"unit", 6},
                                        {"measured", 10}, {"predicted", 10}, {"error_%", 8}, {"bias_%", 8}};
constexpr ReportColumn kLeftOutColumns[] = {{"left out", 34}, {"part", 11}, {"rows", 5}, {"why", 80}};
constexpr ReportColumn kFailedColumns[] = {{"failed", 34}, {"part", 11}, {"rows", 5}, {"why", 80}};
constexpr ReportColumn kGroupColumns[] = {
    {"group", 7}, {"family", 18},         {"rows", 5},     {"failed", 6}, {"mean_%", 7}, {"bias_%", 7},
    {"rank", 6},  {"left_one_out_%", 14}, {"target_%", 8}, {"met", 5},    {"fitted", 60}};

template <class T>
ReportCell Cell(const std::optional<T>& value) {
  return value ? ReportCell(*value) : ReportCell();
}

// A mean; of no rows there is none.
ReportCell OfSome(const ValidatedGroup& group, double mean) {
  return group.errors.rows > 0 ? ReportCell(mean) : ReportCell();
}

ReportCell Met(const ValidatedGroup& group) {
  return group.target_percent ? ReportCell(std::string(group.Missed() ? "no" : "yes")) : ReportCell();
}

ReportRow WholeRow(const ValidatedRow& row) {
  ReportRow cells = {std::string(row.pair             ? "row"
                                 : row.failed.empty() ? "left_out"
                                                      : "failed"),
                     row.id,
                     row.group,
                     row.family,
                     row.part,
                     std::string(row.unit)};
  if (row.pair) {
    cells.insert(cells.end(), {row.pair->measured, row.pair->predicted, row.pair->ErrorPercent()});
  }
  cells.resize(std::size(kValidationColumns) - 1);
  cells.emplace_back(row.pair && !row.basis.empty() ? "time: " + row.basis : row.left_out + row.failed);
  return cells;
}

ReportRow WholeRow(const ValidatedGroup& group) {
  return {std::string(group.family.empty() ? "group" : "family"),
          {},
          group.group,
          group.family,
          {},
          {},
          {},
          {},
          {},
          group.errors.rows,
          group.failed,
          OfSome(group, group.errors.mean_absolute_percent),
          OfSome(group, group.errors.bias_percent),
          Cell(group.errors.rank_correlation),
          Cell(group.leave_one_out_percent),
          Cell(group.target_percent),
          Met(group),
          group.fitted.empty() ? "" : "fitted: " + group.fitted};
}

// Rows of one table of measurements: an instruction on a part, or one kernel.
struct Table {
  std::string name;
  const ValidatedRow* first = nullptr;
  std::vector<MeasuredPair> pairs;
  int64_t without_time = 0;
};

std::string TableOf(const ValidatedRow& row) { return row.id.substr(0, row.id.find('/')); }

std::vector<Table> Tables(const ValidationReport& report) {
  std::vector<Table> tables;
  std::map<std::string, size_t> places;
  for (const ValidatedRow& row : report.rows) {
    const std::string key = Say(TableOf(row), "/", row.part, "/", row.left_out, "/", row.failed);
    const auto [place, fresh] = places.try_emplace(key, tables.size());
    if (fresh) {
      tables.push_back({.name = TableOf(row), .first = &row, .pairs = {}});
    }
    Table& table = tables[place->second];
    if (row.pair) {
      table.pairs.push_back(*row.pair);
    } else {
      ++table.without_time;
    }
  }
  return tables;
}

// The tables for which `why` says something; nothing where there are none.
void PrintWithoutTime(const std::vector<Table>& tables, std::span<const ReportColumn> columns,
                      std::string ValidatedRow::*why) {
  RowPrinter printer("table", columns, "", "\n");
  for (const Table& table : tables) {
    if (!(table.first->*why).empty()) {
      printer.Print({table.name, table.first->part, table.without_time, table.first->*why});
    }
  }
  printer.Finish();
}

void PrintTables(const ValidationReport& report) {
  const std::vector<Table> tables = Tables(report);
  RowPrinter rows("table", kRowColumns, "");
  for (const Table& table : tables) {
    if (table.pairs.empty()) {
      continue;
    }
    const ErrorSummary errors = SummariseErrors(table.pairs);
    const bool one = table.pairs.size() == 1;
    rows.Print({table.name, table.first->part, errors.rows, std::string(table.first->unit),
                one ? ReportCell(table.pairs.front().measured) : ReportCell(),
                one ? ReportCell(table.pairs.front().predicted) : ReportCell(), errors.mean_absolute_percent,
                errors.bias_percent});
  }
  rows.Finish();
  PrintWithoutTime(tables, kLeftOutColumns, &ValidatedRow::left_out);
  PrintWithoutTime(tables, kFailedColumns, &ValidatedRow::failed);
  RowPrinter groups("table", kGroupColumns, "", "\n");
  for (const ValidatedGroup& group : report.groups) {
    groups.Print({group.group, group.family.empty() ? std::string("all") : group.family, group.errors.rows,
                  group.failed, OfSome(group, group.errors.mean_absolute_percent),
                  OfSome(group, group.errors.bias_percent), Cell(group.errors.rank_correlation),
                  Cell(group.leave_one_out_percent), Cell(group.target_percent), Met(group), group.fitted});
  }
  groups.Finish();
}

void PrintWhole(const ValidationReport& report, RowPrinter& printer) {
  for (const ValidatedRow& row : report.rows) {
    printer.Print(WholeRow(row));
  }
  for (const ValidatedGroup& group : report.groups) {
    printer.Print(WholeRow(group));
  }
  printer.Finish();
}

}  // namespace

void PrintValidation(const ValidationReport& report, const std::string& format, const std::string& csv_file) {
  if (!csv_file.empty()) {
    std::string text;
    const std::unique_ptr<Reporter> csv = MakeReporter("csv", kValidationColumns);
    text += csv->Head();
    for (const ValidatedRow& row : report.rows) {
      text += csv->Text(WholeRow(row));
    }
    for (const ValidatedGroup& group : report.groups) {
      text += csv->Text(WholeRow(group));
    }
    WriteWholeText(csv_file, text);
  }
  if (format == "table") {
    PrintTables(report);
  } else {
    RowPrinter printer(format, kValidationColumns, "");
    PrintWhole(report, printer);
  }
}

}  // namespace tilesim
