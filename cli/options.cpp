#include "cli/options.h"

#include <algorithm>

#include "formats/error.h"
#include "ops/cases/case_file.h"

namespace tilesim {
namespace {

using enum Subject;

constexpr std::string_view kCases = "run compare plan trace explain report";
constexpr std::string_view kProblems = "run compare plan tune trace explain report diff";
constexpr std::string_view kRuns = "run compare tune trace explain report";
constexpr std::string_view kTimed = "run compare trace explain report diff";
constexpr std::string_view kBatches = "run compare";
constexpr std::string_view kOnFiles = "run tune trace explain report";
constexpr std::string_view kAll = "run compare plan tune trace explain report diff convert list validate";

constexpr Option kOptions[] = {
    {"help", "", "", "this text", kAll},
    {"config", "FILE", "", "options from an INI file, `key = value`; the command line wins", kAll},
    {"cases", "FILE", "", "a case file (CSV), or the name of one in configs/cases", kProblems, kCase},
    {"id", "ID[,ID...]", "all", "only these cases of the file; or the id of the one case given here",
     kProblems, kCase},
    {"soc", "NAME|FILE", "ascend910b2",
     "the part: a name in configs/ or a .cfg file (list: of its parameters)",
     "run compare plan tune trace explain report diff list"},
    {"set", "key=value", "", "one parameter of the part (`tilesim list parameters`); may be repeated",
     kProblems, kBoth, true},
    {"set", "key=value", "", "one parameter of every part; may be repeated", "validate", kBoth, true},
    {"instructions", "FILE", "the shipped ones",
     "measured instructions: columns of configs/measured/instructions_910b.csv", "validate"},
    {"kernels", "FILE", "the shipped ones", "measured kernels: columns of configs/measured/kernels_910b.csv",
     "validate"},
    {"id", "ID[,ID...]", "all", "only these rows", "validate"},
    {"only", "GROUP[,GROUP]", "all", "only these groups: micro, matmul, copy, conv, other", "validate"},
    {"target", "GROUP=PERCENT[,...]", "micro=5,matmul=8,copy=10,conv=20",
     "the mean error that a group shall not exceed; the exit code is 1 where one does", "validate"},
    {"threads", "N", "all of the machine", "host threads; results do not depend on it", "validate"},
    {"planner", "op|api", "op", "op: all cores, whole L1, checked; api: as the shipped tiling class answers",
     kCases, kCase},
    {"tiling", "FILE", "the planner's", "tiling data given by hand, JSON as `plan` prints it; validated",
     kCases, kCase},
    {"kb", "FILE", "", "tilings known from `tune`; the planner is for cases it has no record of", kCases,
     kCase},
    {"kb", "FILE", "", "a base whose record of the case, or of the nearest one, the search begins with",
     "tune", kCase},
    {"objective", "time|traffic|l1|pareto", "time",
     "the fastest; of those at most 5 % slower the least GM traffic or L1; or all that nothing beats; of a "
     "kernel file: time (cycles), traffic or pareto",
     "tune"},
    {"budget", "TIME|RUNS", "30s",
     "for each case, or the file: 500ms, 30s or 30, 1.5m, 2h; 0: the planners, or the first values, alone; "
     "200runs: tilings run on all cores, or combinations",
     "tune"},
    {"vary", "NAME=A,B,C", "",
     "of a file: values of a macro, a scalar --arg, a field of a struct or {NAME} behind --; also "
     "FROM:TO:STEP; the first of each are run in any case",
     "tune", kFile, true},
    {"where", "EXPRESSION", "", "of a file: only combinations for which it holds: 'TILE*STAGES<=256'", "tune",
     kFile, true},
    {"kb-out", "FILE", "",
     "knowledge base to write; grows case by case as FILE.part, from which the same command goes on; of a "
     "kernel "
     "file: the combinations that were run, likewise",
     "tune"},
    {"shard", "I/N|mpi|slurm", "all",
     "only every N-th case or combination, from the I-th on; the files get .I-of-N in their names", "tune"},
    {"merge", "FILE[,FILE...]", "",
     "put these knowledge bases together in --kb-out; of a kernel file: take over what these have", "tune",
     kBoth, true},
    {"cores", "N", "all of the part",
     "AI cores (of operators for vector cores, such as poolings: vector cores) that may be used", kProblems},
    {"mode", "full|functional|timing", "full",
     "full: values, cycles, hazards; functional: values; timing: cycles", "run compare report"},
    {"threads", "N", "all of the machine", "host threads; results do not depend on it", kTimed},
    {"threads", "N", "all of the machine", "host threads", "tune"},
    {"sequence", "op|aclnn", "op",
     "op: the operator's own kernel; aclnn: with the kernels that a framework call launches around it",
     "run compare plan", kCase},
    {"order", "file|size", "file", "order of the cases; size: the least work first", kBatches, kCase},
    {"drop-sync", "FILE:LINE", "", "leave out the synchronising call of that line: a planted bug", kBatches,
     kCase},
    {"strict-sync", "", "", "vector cores: the compiler orders nothing by itself (its auto-sync is off)",
     kRuns},
    {"launch", "N|NAME", "all", "of a file: only this launch, or those of this kernel", kOnFiles, kFile},
    {"kernel", "NAME", "",
     "of a file: the kernel to launch in place of its main, 'add<half, 2>' of a template", kOnFiles, kFile},
    {"arg", "NAME=VALUE", "",
     "with --kernel: a parameter: x.npy, normal:fp16:8x2048, out:fp16:8x2048, int32:5, struct:{...}",
     kOnFiles, kFile, true},
    {"blocks", "N", "all cores", "with --kernel: blocks to launch", kOnFiles, kFile},
    {"tiling-key", "N", "0", "with --kernel: the tiling key that the kernel is compiled for", kOnFiles,
     kFile},
    {"expect", "NAME=FILE.npy", "", "with --kernel: what an output must be", kOnFiles, kFile, true},
    {"tolerance", "T", "two units in the last place", "with --kernel: relative and absolute, for --expect",
     kOnFiles, kFile},
    {"watchdog", "N", "4000000",
     "of a file: instructions, and prints, without progress after which a core is stopped", kOnFiles, kFile},
    {"window", "FROM:TO", "all", "cycles to show, for example 1000:5000", "trace report"},
    {"pareto", "FILE", "",
     "tuned.csv of `tune --objective pareto`: draws the tilings that none beats beside the one that is run",
     "report", kCase},
    {"events", "N", "20000", "instructions in the timelines of a page, together", "report"},
    {"binary", "FILE", "", "write the bytes of one case's tiling data", "plan"},
    {"from", "FORMAT", "", "format of the input (`tilesim list formats`)", "convert"},
    {"to", "FORMAT", "", "format of the output", "convert"},
    {"shape", "AxBxC...", "from the file",
     "logical extents (n,c,d,h,w), (o,i,d,h,w) or (m,n); needed for a blocked input", "convert"},
    {"dtype", "TYPE", "the file's", "element type of the output; uint16 is read as the bits of bf16",
     "convert"},
    {"c0", "N", "32 bytes: 16 for fp16 and bf16, 8 for fp32",
     "elements of C0, 4 to 64; a filter gradient (fp32) of fp16 or bf16 inputs has 16", "convert"},
    {"groups", "N", "1", "groups of the convolution; filters only", "convert"},
    {"output", "DIR", "nothing is written",
     "folder of result tensors (.npy) and reports (2x3x4: output_shape)", kCases, kBoth, true},
    {"output", "DIR", "nothing is written", "folder of tuned.csv and the tilings (2x3x4: output_shape)",
     "tune", kBoth, true},
    {"output", "DIR", "nothing is written", "folder of validation.csv and validation.svg", "validate"},
    {"format", "table|csv|json", "table (plan: json)", "how rows are printed; json: an object a line",
     "run compare plan tune trace explain report diff list validate"},
    {"quiet", "", "", "no progress, no closing line", kAll},
};

std::vector<Option> MakeOptions() {
  std::vector<Option> options(std::begin(kOptions), std::end(kOptions));
  for (const CaseColumn& column : CaseColumns()) {
    if (column.name == "id" || column.name == "soc" || column.name == "sequence") {
      continue;  // --id and --soc say it; one case is no sequence of cases
    }
    options.push_back({.name = column.name == "output" ? kOutputShape : column.name,
                       .value = "VALUE",
                       .otherwise = column.otherwise,
                       .says = column.says,
                       .commands = kProblems,
                       .subject = kCase,
                       .case_column = true});
  }
  return options;
}

// "  --name VALUE      says [default]"
std::string Line(const Option& option) {
  std::string text = Say("  --", option.name, option.value.empty() ? "" : " ", option.value);
  text.resize(std::max<size_t>(text.size() + 1, 28), ' ');
  text += option.says;
  if (!option.otherwise.empty()) {
    text += Say(" [", option.otherwise, "]");
  }
  return text + "\n";
}

std::string Indented(std::string_view lines) {
  std::string text = "  ";
  for (const char letter : lines) {
    text += letter;
    if (letter == '\n') {
      text += "  ";
    }
  }
  return text + "\n";
}

}  // namespace

bool Option::BelongsTo(std::string_view command) const {
  return Say(" ", commands, " ").find(Say(" ", command, " ")) != std::string::npos;
}

const std::vector<Option>& AllOptions() {
  static const std::vector<Option> kAllOptions = MakeOptions();
  return kAllOptions;
}

const Option* FindOption(std::string_view name, std::string_view command) {
  const Option* any = nullptr;
  for (const Option& option : AllOptions()) {
    if (option.name == name && option.BelongsTo(command)) {
      return &option;
    }
    any = option.name == name ? &option : any;
  }
  return any;
}

std::string ProgramHelp() {
  std::string text =
      "tilesim: runs tile programs of an Ascend-style AI core in simulation\n\n"
      "usage: tilesim <command> [options]\n\ncommands:\n";
  for (const Command& command : Commands()) {
    std::string line = Say("  ", command.name);
    line.resize(12, ' ');
    text += Say(line, command.says, !command.is_there() ? " (comes with a later version)" : "", "\n");
  }
  text +=
      "\n`tilesim <command> --help` gives its options and an example; `tilesim --version` the version.\n\n"
      "exit codes: 0 done, and equal where compared; 1 results differ, or nothing legal was found;\n"
      "  2 a mistake in options, files or shapes; 3 a fault of the kernel; 4 a bug of this program;\n"
      "  130 interrupted (finished rows are kept). With several the highest counts.\n";
  return text;
}

std::string CommandHelp(const Command& command) {
  std::string text = Say("tilesim ", command.name, ": ", command.says, "\n\nusage: tilesim ", command.name,
                         " ", command.words, command.words.empty() ? "" : " ", "[options]\n");
  std::string options;
  std::string columns;
  for (const Option& option : AllOptions()) {
    if (option.BelongsTo(command.name)) {
      (option.case_column ? columns : options) += Line(option);
    }
  }
  text += options.empty() ? "" : Say("\noptions [default]:\n", options);
  if (!columns.empty()) {
    text += Say("\none case on the command line, by the columns of the case file [default]:\n", columns);
  }
  if (!command.prints.empty()) {
    text += Say("\nprints:\n", Indented(command.prints));
  }
  return text + Say("\nexample:\n", Indented(command.example));
}

}  // namespace tilesim
