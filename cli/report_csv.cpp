#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "cli/reporter.h"
#include "formats/error.h"

namespace tilesim {
namespace {

// RFC 4180, lines end with a line feed.
class CsvReporter : public Reporter {
 public:
  explicit CsvReporter(std::span<const ReportColumn> columns) : columns_(columns) {}

  [[nodiscard]] std::string Head() const override {
    std::string text;
    for (const ReportColumn& column : columns_) {
      if (column.in == ReportColumn::In::kAll) {
        text += Say(text.empty() ? "" : ",", column.name);
      }
    }
    return text + "\n";
  }

  [[nodiscard]] std::string Text(const ReportRow& row) const override {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) {
      if (columns_[i].in == ReportColumn::In::kAll) {
        text += Say(i == 0 ? "" : ",", Quoted(PlainText(row[i])));
      }
    }
    return text + "\n";
  }

 private:
  static std::string Quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      return cell;
    }
    std::string quoted = "\"";
    for (const char letter : cell) {
      quoted += letter == '\n' ? "; " : std::string(1, letter);
      if (letter == '"') {
        quoted += letter;
      }
    }
    return quoted + "\"";
  }

  std::span<const ReportColumn> columns_;
};

}  // namespace

std::unique_ptr<Reporter> MakeCsvReporter(std::span<const ReportColumn> columns) {
  return std::make_unique<CsvReporter>(columns);
}

}  // namespace tilesim
