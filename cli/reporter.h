#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilesim {

// One column of a report. In a table its cells are `table_width` wide; 0: not shown, kMessage: on a line of
// its own below the row where it is not empty.
struct ReportColumn {
  static constexpr int kMessage = -1;
  std::string_view name;
  int table_width = 0;
};

using ReportCell = std::variant<std::monostate, bool, int64_t, double, std::string>;
using ReportRow = std::vector<ReportCell>;  // a cell a column

// Turns rows into text, each on its own so that they can be printed as they come. Knows no column's meaning.
// To add a format: its file, its row in reporter.cpp.
class Reporter {
 public:
  virtual ~Reporter() = default;
  // The text of what stands above the rows; may be empty.
  [[nodiscard]] virtual std::string Head() const = 0;
  [[nodiscard]] virtual std::string Text(const ReportRow& row) const = 0;
};

std::unique_ptr<Reporter> MakeTableReporter(std::span<const ReportColumn> columns);
std::unique_ptr<Reporter> MakeCsvReporter(std::span<const ReportColumn> columns);
std::unique_ptr<Reporter> MakeJsonReporter(std::span<const ReportColumn> columns);

// "table", "csv", "json".
std::span<const std::string_view> ReportFormats();
std::unique_ptr<Reporter> MakeReporter(std::string_view format, std::span<const ReportColumn> columns);

// Six significant digits, "inf", "nan"; empty for an empty cell.
std::string PlainText(const ReportCell& cell);

}  // namespace tilesim
