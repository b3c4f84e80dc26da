#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/json_text.h"
#include "cli/reporter.h"

namespace tilesim {
namespace {

// One object a line (JSON lines); an empty cell is null. What is not finite, which JSON has not, is the
// text "inf", "-inf" or "nan".
class JsonReporter : public Reporter {
 public:
  explicit JsonReporter(std::span<const ReportColumn> columns) : columns_(columns) {}

  [[nodiscard]] std::string Head() const override { return ""; }

  [[nodiscard]] std::string Text(const ReportRow& row) const override {
    nlohmann::ordered_json object;
    for (size_t i = 0; i < row.size(); ++i) {
      if (columns_[i].in != ReportColumn::In::kTable) {
        object[std::string(columns_[i].name)] = Value(row[i]);
      }
    }
    return JsonText(object) + "\n";
  }

 private:
  static nlohmann::ordered_json Value(const ReportCell& cell) {
    if (std::holds_alternative<std::monostate>(cell)) {
      return nullptr;
    }
    if (const auto* const truth = std::get_if<bool>(&cell)) {
      return *truth;
    }
    if (const auto* const whole = std::get_if<int64_t>(&cell)) {
      return *whole;
    }
    if (const auto* const texts = std::get_if<std::vector<std::string>>(&cell)) {
      return *texts;
    }
    const auto* const number = std::get_if<double>(&cell);
    return number != nullptr && std::isfinite(*number) ? nlohmann::ordered_json(*number)
                                                       : nlohmann::ordered_json(PlainText(cell));
  }

  std::span<const ReportColumn> columns_;
};

}  // namespace

std::unique_ptr<Reporter> MakeJsonReporter(std::span<const ReportColumn> columns) {
  return std::make_unique<JsonReporter>(columns);
}

}  // namespace tilesim
