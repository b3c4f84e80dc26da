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

// One column of a report. In a table its cells are `table_width` wide; 0: not shown, kMessage: on lines of
// their own below the row where it is not empty.
struct ReportColumn {
  static constexpr int kMessage = -1;
  enum class In : uint8_t { kAll, kTable, kJson };
  std::string_view name;
  int table_width = 0;
  std::string_view table_name = {};  // a shorter name above a table
  In in = In::kAll;                  // the only format that has it
};

using ReportCell = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;
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

// Six significant digits, "inf", "-inf", "nan"; empty for an empty cell. Several texts are joined by "; ".
std::string PlainText(const ReportCell& cell);

}  // namespace tilesim
