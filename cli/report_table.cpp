#include <algorithm>

#include "cli/reporter.h"
#include "formats/error.h"

namespace tilesim {
namespace {

// Columns of fixed width, so that a row can be printed before the next is known: text to the left, numbers to
// the right.
class TableReporter : public Reporter {
 public:
  explicit TableReporter(std::span<const ReportColumn> columns) : columns_(columns) {}

  [[nodiscard]] std::string Head() const override {
    ReportRow names;
    for (const ReportColumn& column : columns_) {
      names.emplace_back(column.table_width == ReportColumn::kMessage ? "" : std::string(column.name));
    }
    return Text(names);
  }

  [[nodiscard]] std::string Text(const ReportRow& row) const override {
    std::string line;
    std::string below;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = PlainText(row[i]);
      const int width = columns_[i].table_width;
      if (width == ReportColumn::kMessage) {
        below += cell.empty() ? "" : Say("  ", Indented(cell), "\n");
      } else if (width > 0) {
        const bool number = std::holds_alternative<int64_t>(row[i]) || std::holds_alternative<double>(row[i]);
        const auto missing = static_cast<size_t>(std::max(0, width - static_cast<int>(cell.size())));
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
