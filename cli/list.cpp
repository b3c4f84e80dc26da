// `tilesim list`: what this version knows.
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "formats/layout.h"
#include "ops/case_file.h"
#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

constexpr ReportColumn kColumns[] = {{"kind", 12}, {"name", 24}, {"says", 80}};

struct Entry {
  std::string_view kind;
  std::string name;
  std::string says;
};

void AddOperators(std::vector<Entry>& entries) {
  entries.push_back({"operator", "conv3d_backprop_filter", "weight gradient of a 3D convolution"});
  entries.push_back({"operator", "conv2d_backprop_filter", "weight gradient of a 2D convolution"});
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

void AddInstructions(std::vector<Entry>& entries) {
  const auto add = [&](const char* name, std::string_view says) {
    entries.push_back({"instruction", name, std::string(says)});
  };
  static_assert(std::string_view(isa::CopyFromGm::kName) == isa::CopyToGm::kName);  // one row for both
  add(isa::CopyFromGm::kName,
      "MTE2: GM to L1 or UB, blocks with gaps; Nd2Nz: row-major to fractals; "
      "MTE3: L1 or UB to GM, with atomic add");
  add(isa::LoadDataTransposed::kName, "MTE1: L1 to L0B, fractals transposed");
  add(isa::LoadData2D::kName, "MTE1: L1 to L0A or L0B, whole fractals (2D) or img2col (3D v2)");
  add(isa::InitConst::kName, "MTE1, MTE2: a constant into L0A, L0B or L1");
  add(isa::Mmad::kName, "M: matrix product into L0C; fp16, bf16, fp32, HF32");
  add(isa::Fixpipe::kName, "FIX: L0C to GM or L1, NZ or row-major, quantised, with atomic add");
  add("SetFlag / WaitFlag", "one pipe waits for another; 8 event ids a pair");
  add("PipeBarrier", "a pipe, or all, waits for itself");
  add("CrossCoreSetFlag / CrossCoreWaitFlag", "cores wait for each other");
  add("SyncAll", "all cores wait for all");
}

// The text of `list parameters`: a line a parameter, "  key  what it is [bounds]", with its value in the part
// that is taken by default.
std::string Parameters() {
  const std::string_view part = FindOption("soc", "run")->otherwise;
  std::ifstream file(SocPath(part));
  std::map<std::string, std::string, std::less<>> values;
  namespace po = boost::program_options;
  for (const po::option& option : po::parse_config_file(file, po::options_description(), true).options) {
    values[option.string_key] = option.value.empty() ? "" : option.value.front();
  }
  std::string text = Say("for --set key=value; in brackets what is allowed, then the value of ", part, "\n");
  std::istringstream lines(SocParameterHelp());
  for (std::string line; std::getline(lines, line);) {
    std::string key;
    std::istringstream(line) >> key;
    text += Say(line, " = ", values[key], "\n");
  }
  return text;
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

Outcome ListCommand(const Arguments& arguments) {
  const std::string wanted = arguments.words().empty() ? "" : arguments.words().front();
  if (wanted == "parameters") {
    RequireUser(!arguments.Has("format"), "list parameters: is text only; leave --format out");
    PrintNow(Parameters());
    return Outcome::kDone;
  }
  std::vector<Entry> entries;
  for (const Kind& kind : kKinds) {
    if (wanted.empty() || wanted == kind.name) {
      kind.add(entries);
    }
  }
  RequireUser(!entries.empty(), "list: unknown kind '", wanted,
              "'; must be operators, socs, formats, instructions or parameters");
  RowPrinter printer(FormatOf(arguments, "table"), kColumns, "");
  for (const Entry& entry : entries) {
    printer.Print({std::string(entry.kind), entry.name, entry.says});
  }
  return Outcome::kDone;
}

}  // namespace tilesim
