#include "cli/run_file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/case_source.h"
#include "cli/faults_file.h"
#include "cli/json_text.h"
#include "cli/kernel_file.h"
#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/result_row.h"
#include "formats/counted.h"
#include "formats/error.h"
#include "sim/core/unwritten_gm.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// A launch an object, with its faults as the parts they are made of and as one line.
std::string FaultsJson(const FileRun& run) {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  for (const FileLaunch& launch : run.launches) {
    nlohmann::ordered_json faults = nlohmann::ordered_json::array();
    for (const Fault& fault : launch.watched.result.faults) {
      faults.push_back({{"kind", Name(fault.kind)},
                        {"core", fault.core},
                        {"cores", fault.cores},
                        {"pipe", fault.pipe},
                        {"instruction", fault.instruction},
                        {"operand", fault.operand},
                        {"cycle", fault.cycle},
                        {"file", fault.where.file},
                        {"line", fault.where.line},
                        {"text", fault.Text()}});
    }
    launches.push_back({{"launch", launch.result.id}, {"faults", std::move(faults)}});
  }
  return JsonText(launches, 1) + "\n";
}

// `is_host`: the command line is, whose program has told which outputs were not written.
void TellNotices(const FileRun& run, bool is_host) {
  for (const FileLaunch& launch : run.launches) {
    for (const std::string& notice : launch.watched.result.notices) {
      if (is_host && IsUnwrittenGmNotice(notice)) {
        continue;
      }
      std::fprintf(stderr, "tilesim: %s: %s\n", launch.result.id.c_str(), notice.c_str());
    }
  }
}

// The cores that are started decide which units' shares a table shows.
ResultTable TableOf(const FileRun& run) {
  bool cube = false;
  bool vector = false;
  bool comparison = false;
  for (const FileLaunch& launch : run.launches) {
    for (const CoreResult& core : launch.watched.result.cores) {
      (core.identity.kind == CoreKind::kAic ? cube : vector) = true;
    }
    comparison |= launch.result.comparison.has_value();
  }
  return {
      .id_width = IdWidth(IdsOf(run)), .comparison = comparison, .cube = cube || !vector, .vector = vector};
}

}  // namespace

CommandEnd RunOnFile(const Arguments& arguments) {
  const SocConfig soc = SocOf(arguments);
  const std::string format = FormatOf(arguments, "table");
  const fs::path folder = arguments.Text("output", "");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  const FileRun run = RunFile(arguments, soc, host::WatchDepth::kResult);
  const std::vector<ReportColumn> columns = ResultColumns(TableOf(run));
  RowPrinter printer(format, columns, folder.empty() ? "" : (folder / "results.csv").string(),
                     Say(arguments.words().front(), " on ", soc.name));
  for (const FileLaunch& launch : run.launches) {
    printer.Print(ToRow(launch.result));
  }
  printer.Finish();
  const auto is_ok = [](const FileLaunch& launch) { return launch.result.verdict == Verdict::kOk; };
  const auto is_written = [](const std::string& arg) { return arg.find("out:") != std::string::npos; };
  if (format == "table" && !arguments.Has("quiet") && arguments.Has("kernel") && !arguments.Has("expect") &&
      std::ranges::all_of(run.launches, is_ok) && std::ranges::any_of(arguments.All("arg"), is_written)) {
    std::puts("  no output was compared; --expect NAME=FILE does");
  }
  if (!folder.empty()) {
    WriteWholeText(folder / "faults.json", FaultsJson(run));
    for (const FileLaunch& launch : run.launches) {  // which the row's message names
      WriteFaults(folder / (FileNameOf(launch) + ".faults.txt"), launch.result);
    }
  }
  TellNotices(run, arguments.Has("kernel"));
  return EndOf(run, arguments);
}

}  // namespace tilesim
