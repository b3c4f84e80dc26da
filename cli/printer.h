#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/output_files.h"
#include "cli/reporter.h"

namespace tilesim {

// Prints rows on standard output in the chosen --format, each whole and at once, and keeps the same rows as
// CSV in a file of the output folder. Rows printed before Ctrl-C stay.
class RowPrinter {
 public:
  // `csv_file`: empty for none. `title`: a line above a table, for what all rows have in common; a table
  // without rows has neither title nor head. The columns must outlive the printer.
  RowPrinter(std::string_view format, std::span<const ReportColumn> columns, const std::string& csv_file,
             const std::string& title = "");
  ~RowPrinter();
  RowPrinter(const RowPrinter&) = delete;
  RowPrinter& operator=(const RowPrinter&) = delete;

  void Print(const ReportRow& row);
  // Only one of both: where the printed table leaves things out that the file has.
  void Show(const ReportRow& row);
  void Keep(const ReportRow& row);
  // Gives the CSV its name. Throws UserError when that fails; without this call the destructor only tells.
  void Finish();

 private:
  void PutRow(const ReportRow& row);
  void AddRow(const ReportRow& row);

  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<Reporter> csv_;
  std::string head_;  // that is to be printed before the first row
  std::optional<GrowingFile> file_;
  std::optional<OnInterrupt> on_interrupt_;
};

// Text on standard output, whole and at once. Throws UserError when nobody can take it.
void PrintNow(std::string_view text);

// --format, the given name when it is absent.
std::string FormatOf(const Arguments& arguments, std::string_view otherwise);

}  // namespace tilesim
