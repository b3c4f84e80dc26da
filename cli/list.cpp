// `tilesim list`: what this version knows.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/list_kernels.h"
#include "cli/list_parameters.h"
#include "cli/options.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "formats/layout.h"
#include "ops/cases/case_file.h"
#include "sim/ascendc/call_rows.h"
#include "sim/isa/instruction_row.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

constexpr ReportColumn kListColumns[] = {{"kind", 12}, {"name", 24}, {"says", 80}};
constexpr ReportColumn kInstructionColumns[] = {{"family", 18},     {"name", 28},  {"pipe", 6},
                                                {"types", 36},      {"forms", 62}, {"cost", 44},
                                                {"provenance", 11}, {"source", 40}};

struct Entry {
  std::string_view kind;
  std::string name;
  std::string says;
};

void AddOperators(std::vector<Entry>& entries) {
  for (const CaseOperator& op : CaseOperators()) {
    entries.push_back({"operator", std::string(op.name), std::string(op.says)});
  }
}

void AddSocs(std::vector<Entry>& entries) {
  for (const std::string& name : KnownSocs()) {
    const SocConfig soc = LoadSoc(name);
    entries.push_back(
        {"soc", name,
         Say(soc.aic_cores, " cube cores, ", soc.aiv_per_aic, " vector cores each, ", soc.clock_mhz,
             " MHz, L1 ", soc.l1_bytes / 1024, " KiB, L0A ", soc.l0a_bytes / 1024, " KiB, L0C ",
             soc.l0c_bytes / 1024, " KiB, L2 ", soc.l2_bytes / 1024 / 1024, " MiB")});
  }
}

void AddFormats(std::vector<Entry>& entries) {
  for (int i = 0; i < kNumFormats; ++i) {
    const auto format = static_cast<Format>(i);
    const std::string_view axes = Axes(format);
    entries.push_back({"format", std::string(Name(format)),
                       Say("of (", axes, "), ",
                           axes == "mn"     ? "matrices"
                           : axes[0] == 'o' ? "filters"
                                            : "features",
                           IsPlain(format) ? "" : ", blocked by C0")});
  }
}

isa::InstructionRows Instructions(const SocConfig& soc) {
  isa::InstructionRows rows = isa::AllInstructions(soc);
  AddCallRows(rows);
  return rows;
}

void AddInstructions(std::vector<Entry>& entries) {
  for (const isa::InstructionRow& row : Instructions(LoadSoc(FindOption("soc", "list")->otherwise))) {
    entries.push_back(
        {"instruction", row.name, Say(row.family, "; ", row.pipe, row.types.empty() ? "" : ": ", row.types)});
  }
}

// With all that is known of each, family by family.
Outcome ListInstructions(const Arguments& arguments) {
  const SocConfig soc = LoadSoc(arguments.Text("soc", FindOption("soc", "list")->otherwise));
  isa::InstructionRows rows = Instructions(soc);
  std::vector<std::string_view> families;
  for (const isa::InstructionRow& row : rows) {
    if (std::ranges::find(families, row.family) == families.end()) {
      families.push_back(row.family);
    }
  }
  std::ranges::stable_sort(rows, {}, [&](const isa::InstructionRow& row) {
    return std::ranges::find(families, row.family) - families.begin();
  });
  RowPrinter printer(FormatOf(arguments, "table"), kInstructionColumns, "");
  for (const isa::InstructionRow& row : rows) {
    printer.Print({std::string(row.family), row.name, row.pipe, row.types, std::string(row.forms),
                   row.cost.says, std::string(Name(row.cost.provenance)), row.cost.source});
  }
  return Outcome::kDone;
}

struct Kind {
  std::string_view name;
  void (*add)(std::vector<Entry>&);
};
constexpr Kind kKinds[] = {{"operators", AddOperators},
                           {"socs", AddSocs},
                           {"formats", AddFormats},
                           {"instructions", AddInstructions}};

}  // namespace

CommandEnd ListCommand(const Arguments& arguments) {
  const std::string wanted = arguments.words().empty() ? "" : arguments.words().front();
  const std::string more = arguments.words().size() > 1            ? arguments.words()[1]
                           : !arguments.compiler_options().empty() ? arguments.compiler_options().front()
                           : !arguments.program_words().empty()    ? "--"
                                                                   : "";
  RequireUser(wanted == "kernels" || more.empty(), "unexpected argument '", more,
              "'; a file and options of the compiler are for `tilesim list kernels FILE`");
  if (wanted == "parameters") {
    return ListParameters(arguments);
  }
  if (wanted == "instructions") {
    return ListInstructions(arguments);
  }
  RequireUser(!arguments.Has("soc"), "--soc = '", arguments.Text("soc", ""),
              "': of `list` it belongs to `list parameters` and `list instructions`; leave it out");
  if (wanted == "kernels") {
    return ListKernels(arguments);
  }
  std::vector<Entry> entries;
  for (const Kind& kind : kKinds) {
    if (wanted.empty() || wanted == kind.name) {
      kind.add(entries);
    }
  }
  RequireUser(!entries.empty(), "list: unknown kind '", wanted,
              "'; must be operators, socs, formats, instructions, parameters or kernels FILE");
  RowPrinter printer(FormatOf(arguments, "table"), kListColumns, "");
  for (const Entry& entry : entries) {
    printer.Print({std::string(entry.kind), entry.name, entry.says});
  }
  return Outcome::kDone;
}

}  // namespace tilesim
