#include "cli/list_kernels.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/cc/driver.h"
#include "cli/kernel_file.h"
#include "cli/kernel_words.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

// As wide as the rows need.
std::vector<ReportColumn> ColumnsFor(const std::vector<ReportRow>& rows) {
  std::vector<ReportColumn> columns = {{"kernel"}, {"template"}, {"parameters"}, {"signature"}, {"where"}};
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t width = columns[i].name.size();
    for (const ReportRow& row : rows) {
      width = std::max(width, DisplayWidth(PlainText(row[i])));
    }
    columns[i].table_width = static_cast<int>(width);
  }
  return columns;
}

std::string Qualified(const KernelParameter& parameter) { return Say(parameter.type, " ", parameter.name); }

ReportRow RowOf(const KernelDeclaration& kernel) {
  std::string names;
  std::string signature;
  for (const KernelParameter& parameter : kernel.parameters) {
    names += Say(&parameter == kernel.parameters.data() ? "" : ",", parameter.name);
    signature += Say(signature.empty() ? "" : ", ", Qualified(parameter));
  }
  return {kernel.name, kernel.template_head, names, Say(kernel.name, "(", signature, ")"),
          Say(kernel.file, ":", kernel.line)};
}

}  // namespace

Outcome ListKernels(const Arguments& arguments) {
  RequireUser(arguments.words().size() == 2,
              "list kernels: name the source: tilesim list kernels add.asc [-DTILE=64]");
  RequireUser(arguments.program_words().empty(),
              "list kernels: runs no program, so there is none to take the words behind --; leave them out");
  const std::filesystem::path file = arguments.words()[1];
  std::error_code ignored;
  RequireUser(std::filesystem::exists(file, ignored) && IsKernelSource(file), file.string(),
              ": no such source; give one with kernels (.asc, .cpp, ...)");
  // The same program as that of --kernel without --tiling-key, so that both compile once.
  const Compiled compiled =
      BuildForKernels(file, arguments.compiler_options(),
                      {.instances = {}, .extra = {}, .tiling_key = KernelWords::kDefaultTilingKey});
  std::vector<ReportRow> rows;
  for (const KernelDeclaration& kernel : compiled.kernels) {
    if (kernel.is_definition) {
      rows.push_back(RowOf(kernel));
    }
  }
  const std::vector<ReportColumn> columns = ColumnsFor(rows);
  RowPrinter printer(FormatOf(arguments, "table"), columns, "");
  for (const ReportRow& row : rows) {
    printer.Print(row);
  }
  return Outcome::kDone;
}

}  // namespace tilesim
