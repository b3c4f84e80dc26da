#include "cli/printer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

void Put(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  RequireUser(written, "standard output cannot be written (", std::generic_category().message(errno), ")");
}

}  // namespace

RowPrinter::RowPrinter(std::string_view format, std::span<const ReportColumn> columns,
                       const std::string& csv_file, const std::string& title)
    : reporter_(MakeReporter(format, columns)), csv_(MakeCsvReporter(columns)) {
  if (!csv_file.empty()) {
    file_.emplace(csv_file, csv_->Head());
    on_interrupt_.emplace([this] {
      try {
        file_->Finish();
      } catch (const UserError& error) {
        std::fprintf(stderr, "tilesim: %s\n", error.what());
      }
    });
  }
  if (format == "table") {
    head_ = Say(title, title.empty() ? "" : "\n", reporter_->Head());
  } else {
    PrintNow(reporter_->Head());
  }
}

RowPrinter::~RowPrinter() { on_interrupt_.reset(); }

void RowPrinter::Print(const ReportRow& row) {
  const auto hold = HoldInterrupt();  // the row stands in both or in neither
  PutRow(row);
  AddRow(row);
}

void RowPrinter::Show(const ReportRow& row) {
  const auto hold = HoldInterrupt();
  PutRow(row);
}

void RowPrinter::Keep(const ReportRow& row) {
  const auto hold = HoldInterrupt();
  AddRow(row);
}

void RowPrinter::PutRow(const ReportRow& row) {
  Put(std::exchange(head_, "") + reporter_->Text(row));
  RowIsKept();
}

void RowPrinter::AddRow(const ReportRow& row) {
  if (file_) {
    file_->Add(csv_->Text(row));
    RowIsKept();
  }
}

void RowPrinter::Finish() {
  const auto hold = HoldInterrupt();
  if (file_) {
    file_->Finish();
  }
}

void PrintNow(std::string_view text) {
  const auto hold = HoldInterrupt();
  Put(text);
}

std::string FormatOf(const Arguments& arguments, std::string_view otherwise) {
  return arguments.Has("format") ? arguments.Choice("format", ReportFormats()) : std::string(otherwise);
}

}  // namespace tilesim
