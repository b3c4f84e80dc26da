#include "cli/commands.h"

#include <algorithm>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"

namespace tilesim {
namespace {

constexpr std::string_view kRunPrints =
    "a row a case, as each finishes. verdict: ok; mismatch (results differ); hazard or fault (the "
    "kernel's);\n"
    "no_tiling (nothing legal); refused (a mistake in the case); error (a bug of this program).\n"
    "--output DIR also gets results.csv and <id>.dw.npy (input gradients: <id>.dx.npy; pooling: <id>.y.npy "
    "and\n"
    "<id>.argmax.npy).";

constexpr Command kCommands[] = {
    {.name = "run",
     .says = "runs each case's tile program in simulation: values, cycles, checks in one pass",
     .run = RunCommand,
     .words = "[FILE]",
     .most_words = 1,
     .takes_file = true,
     .prints = kRunPrints,
     .example = "tilesim run --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1\n"
                "tilesim run --cases conv3d_backprop_filter --id bench_01 --mode timing --format csv"},
    {.name = "compare",
     .says = "run, and the result against a direct loop and any expected files: first and worst mismatch",
     .run = CompareCommand,
     .prints = kRunPrints,
     .example =
         "tilesim compare --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1"},
    {.name = "plan",
     .says = "the tiling planner alone: tiling data, why it was chosen, or why nothing is legal",
     .run = PlanCommand,
     .prints = "a JSON object a case: id, legal, planner, reasons, why, tiling {params, dwTiling, "
               "basicBlockTiling, split}\n(input gradient: tiling {conv3DDxTiling, split}; pooling: tiling "
               "{data, split}).\n"
               "--output DIR gets <id>.tiling.json.",
     .example =
         "tilesim plan --op conv3d_backprop_filter --input 2x32x16x32x32 --filter 64x32x3x3x3 --planner api"},
    {.name = "tune",
     .says = "searches tilings with the simulator's cost, or values of a kernel file's macros and arguments",
     .run = TuneCommand,
     .words = "[FILE]",
     .most_words = 1,
     .takes_file = true,
     .prints =
         "a row a case, as each ends: the planners' times, the best found, what it gains, the bound no "
         "tiling undercuts,\nthe gap to it, and how many tilings were looked at. Ctrl-C ends the search "
         "in hand and keeps its best; again,\nor before a search, it ends the program. --output DIR gets "
         "tuned.csv.\n"
         "Of a FILE (tilesim tune add.asc --vary TILE=64,128) a row a combination, best first. verdict: ok "
         "(run in "
         "full);\ntimed (without values: right or not is not known); mismatch (the program's exit code says "
         "so); "
         "hazard, fault;\nrefused; not_compiled.",
     .example = "tilesim tune --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 "
                "--budget 2s"},
    {.name = "trace",
     .says = "one case's timeline as Chrome-trace JSON (Perfetto, chrome://tracing, MindStudio Insight)",
     .run = TraceCommand,
     .words = "[FILE]",
     .most_words = 1,
     .takes_file = true,
     .prints = "the trace; with --output DIR it goes to <id>.trace.json, and a row says how large it is.",
     .example = "tilesim trace --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 "
                "--window 0:20000 --output traces"},
    {.name = "explain",
     .says = "why cases take as long as they do: idle time by cause, critical path, bounds, what if",
     .run = ExplainCommand,
     .words = "[FILE]",
     .most_words = 1,
     .takes_file = true,
     .prints = "rows a case, of its busiest core: all, with the verdict; of each pipe how long it was busy "
               "and why it was "
               "idle (adds "
               "up\nto the cycles); the critical path by cause and by instruction (likewise); how long the "
               "launch would "
               "take if\nsomething took no time, timed again; how long each thing it needs takes at least.",
     .example =
         "tilesim explain --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1"},
    {.name = "report",
     .says =
         "one self-contained HTML page for a case or a batch: verdict, timeline, stalls, roofline, tiling",
     .run = ReportCommand,
     .words = "[FILE]",
     .most_words = 1,
     .takes_file = true,
     .prints = "the page; with --output DIR it goes to <id>.html, of several cases to report.html, and a row "
               "a case says "
               "so.\nDIR/OPPROF_<id> then gets PipeUtilization.csv and, of each core, "
               "simulator/core*/core*_instr_exe.csv and\ncore*_code_exe.csv, in the columns of the vendor's "
               "profiler.",
     .example = "tilesim report --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 "
                "--output out"},
    {.name = "cc",
     .says = "compiles .asc and C++ files with kernels and `<<<...>>>` to a program that runs on the "
             "simulated part",
     .words = "FILE...",
     .prints = "what the compiler says, as it is. The program needs no toolkit: run it as on a device. "
               "Options are those of "
               "g++ (-o -c\n-shared -I -D -O -g -std -l ...), $CXX chooses the compiler; those of the device "
               "compiler "
               "(-xcce, --npu-arch=dav-2201,\n--cce-..., -mllvm ...) are taken and mean nothing here. "
               "--kernel 'add<half, 2>' "
               "makes that instance of a kernel\ntemplate known to a program without main.",
     .example = "tilesim cc -O2 add.asc -o add",
     .run_words = CcCommand},
    {.name = "convert",
     .says = ".npy between NCDHW, NDHWC, NDC1HWC0, FRACTAL_Z_3D, ...",
     .run = ConvertCommand,
     .words = "FROM.npy TO.npy",
     .most_words = 2,
     .example = "tilesim run --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --id tiny "
                "--output out\n"
                "tilesim convert out/tiny.dw.npy out/tiny.fz.npy --from OIDHW --to FRACTAL_Z_3D --c0 16\n"
                "tilesim convert out/tiny.fz.npy out/back.npy --from FRACTAL_Z_3D --to OIDHW --c0 16 "
                "--shape 16x16x3x3x3"},
    {.name = "diff",
     .says = "two tilings of one case: fields that differ and what each costs",
     .run = DiffCommand,
     .words = "A.json B.json",
     .most_words = 2,
     .prints = "the first tiling; then a row a field that differs, with the second's value in it, where that "
               "does not fit\n"
               "alone with as few others as do; the second tiling. more_...: against the first. "
               "stall_cycles: of the core\n"
               "that ends last, in which its busiest pipe stood idle.",
     .example = "tilesim plan --op conv3d_backprop_filter --input 2x32x16x32x32 --filter 64x32x3x3x3 --pad 1 "
                "--id op --output out\n"
                "tilesim plan --op conv3d_backprop_filter --input 2x32x16x32x32 --filter 64x32x3x3x3 --pad 1 "
                "--planner api --id api --output out\n"
                "tilesim diff out/api.tiling.json out/op.tiling.json --op conv3d_backprop_filter "
                "--input 2x32x16x32x32 "
                "--filter 64x32x3x3x3 --pad 1"},
    {.name = "list",
     .says = "operators, SoCs, formats, instructions, parameters known; the kernels of a file",
     .run = ListCommand,
     .words = "[operators|socs|formats|instructions|parameters|kernels FILE]",
     .most_words = 2,
     .takes_file = true,
     .example = "tilesim list socs"},
    {.name = "validate",
     .says = "the clock against published measurements: predicted, measured, error, and the targets",
     .run = ValidateCommand,
     .prints = "a row an instruction's table or a kernel (csv, json: a row a measurement), those left out "
               "with the reason, and a row\na group: mean absolute error, bias, rank correlation, the error "
               "of rows left out of the fit, the target.\n--output DIR gets validation.csv and "
               "validation.svg.",
     .example = "tilesim validate --only conv\n"
                "tilesim validate --only conv --set gm.read_latency_cycles=250 --target conv=25"},
};

}  // namespace

std::span<const Command> Commands() { return kCommands; }

const Command& FindCommand(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &Command::name);
  if (found == std::end(kCommands)) {
    std::vector<std::string_view> names;
    for (const Command& command : kCommands) {
      if (command.is_there()) {
        names.push_back(command.name);
      }
    }
    throw UserError(
        Say("unknown command '", name, "'; ", DidYouMean(name, names), "`tilesim --help` lists all"));
  }
  RequireUser(found->is_there(), "command '", name,
              "' comes with a later version; `tilesim --help` lists what is there");
  return *found;
}

}  // namespace tilesim
