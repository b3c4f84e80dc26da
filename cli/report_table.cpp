#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "cli/reporter.h"
#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

// Four digits, no decimals from 1000 on: enough to compare rows by eye.
std::string TableText(const ReportCell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) {
    return PlainText(cell);
  }
  const double size = std::abs(*number);
  const char* const form = size >= 1e3 && size < 1e12 ? "%.0f"
                           : size >= 1 || size == 0   ? "%.4g"
                           : size >= 1e-3             ? "%.4f"
                                                      : "%.0e";
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), form, *number);
  return digits.data();
}

// Columns of fixed width, so that a row can be printed before the next is known: text to the left, numbers to
// the right.
class TableReporter : public Reporter {
 public:
  explicit TableReporter(std::span<const ReportColumn> columns) : columns_(columns) {}

  [[nodiscard]] std::string Head() const override {
    ReportRow names;
    for (const ReportColumn& column : columns_) {
      names.emplace_back(column.table_width == ReportColumn::kMessage
                             ? ""
                             : std::string(column.table_name.empty() ? column.name : column.table_name));
    }
    return Text(names);
  }

  [[nodiscard]] std::string Text(const ReportRow& row) const override {
    std::string line;
    std::string below;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = TableText(row[i]);
      const int width = columns_[i].table_width;
      if (width == ReportColumn::kMessage) {
        below += cell.empty() ? "" : Say("  ", Indented(cell), "\n");
      } else if (width > 0) {
        const bool number = std::holds_alternative<int64_t>(row[i]) || std::holds_alternative<double>(row[i]);
        const auto missing = static_cast<size_t>(std::max(0, width - static_cast<int>(DisplayWidth(cell))));
        const std::string blanks(missing, ' ');
        line += Say(line.empty() ? "" : "  ", number ? blanks : "", cell, number ? "" : blanks);
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n" + below;
  }

 private:
  static std::string Indented(const std::string& text) {
    std::string indented;
    for (const char letter : text) {
      indented += letter;
      if (letter == '\n') {
        indented += "  ";
      }
    }
    return indented;
  }

  std::span<const ReportColumn> columns_;
};

}  // namespace

std::unique_ptr<Reporter> MakeTableReporter(std::span<const ReportColumn> columns) {
  return std::make_unique<TableReporter>(columns);
}

}  // namespace tilesim
