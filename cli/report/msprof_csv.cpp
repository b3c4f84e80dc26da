#include "cli/report/msprof_csv.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::string_view kNotThere = "NA";

struct PipeColumn {
  std::string_view name;  // "cube": aic_cube_time(us), aic_cube_ratio
  Pipe pipe;
};
constexpr PipeColumn kOfAic[] = {{"cube", Pipe::kM},    {"scalar", Pipe::kS},  {"mte1", Pipe::kMte1},
                                 {"mte2", Pipe::kMte2}, {"mte3", Pipe::kMte3}, {"fixpipe", Pipe::kFix}};
constexpr PipeColumn kOfAiv[] = {
    {"vec", Pipe::kV}, {"scalar", Pipe::kS}, {"mte2", Pipe::kMte2}, {"mte3", Pipe::kMte3}};

std::string Fixed(double value) {
  std::array<char, 48> digits{};
  std::snprintf(digits.data(), digits.size(), "%.6f", value);
  return digits.data();
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  }
  return quoted + "\"";
}

std::string Head(std::string_view kind, std::span<const PipeColumn> columns) {
  std::string text = Say(",", kind, "_time(us),", kind, "_total_cycles");
  for (const PipeColumn& column : columns) {
    text += Say(",", kind, "_", column.name, "_time(us),", kind, "_", column.name, "_ratio");
  }
  return text;
}

std::string Cells(const CoreResult& core, std::span<const PipeColumn> columns, bool there,
                  const SocConfig& soc) {
  const CoreStatistics& statistics = core.statistics;
  const auto end = static_cast<double>(statistics.end_cycle);
  std::string text = there ? Say(",", Fixed(end / soc.clock_mhz), ",", statistics.end_cycle)
                           : Say(",", kNotThere, ",", kNotThere);
  for (const PipeColumn& column : columns) {
    const auto busy = static_cast<double>(statistics.busy_cycles[static_cast<size_t>(column.pipe)]);
    text += there ? Say(",", Fixed(busy / soc.clock_mhz), ",", Fixed(end > 0 ? busy / end : 0))
                  : Say(",", kNotThere, ",", kNotThere);
  }
  return text;
}

// The vendor's words for the pipes.
std::string_view MsprofPipe(Pipe pipe) {
  constexpr std::array<std::string_view, kNumPipes> kNames = {"SCALAR", "VECTOR", "CUBE", "MTE1",
                                                              "MTE2",   "MTE3",   "FIXP"};
  return kNames[static_cast<size_t>(pipe)];
}

}  // namespace

std::string PipeUtilizationCsv(const LaunchResult& launch, const SocConfig& soc) {
  std::string text = Say("block_id,sub_block_id", Head("aic", kOfAic), Head("aiv", kOfAiv), "\n");
  for (const CoreResult& core : launch.cores) {
    const bool aic = core.identity.kind == CoreKind::kAic;
    text += Say(core.identity.block, ",", aic ? "cube" : "vector", aic ? 0 : core.identity.sub_block,
                Cells(core, kOfAic, aic, soc), Cells(core, kOfAiv, !aic, soc), "\n");
  }
  return text;
}

std::string MsprofCoreName(const CoreIdentity& core) {
  return core.kind == CoreKind::kAic ? Say("core", core.block, ".cubecore0")
                                     : Say("core", core.block, ".veccore", core.sub_block);
}

std::string InstrExeCsv(const LaunchWatch& watch, size_t core, const SocConfig& soc) {
  std::string text = "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";
  for (const CallSite& site : watch.SitesOf(core)) {
    text +=
        Say(Quoted(site.name), ",", Quoted(Say(site.where.file, ":", site.where.line)), ",",
            MsprofPipe(site.pipe), ",", site.calls, ",", site.busy_cycles, ",",
            Fixed(static_cast<double>(site.busy_cycles) / soc.clock_mhz), ",", Quoted(site.operands), "\n");
  }
  return text;
}

std::string CodeExeCsv(const LaunchWatch& watch, size_t core, const SocConfig& soc) {
  struct Line {
    std::string code;
    int64_t calls = 0;
    int64_t cycles = 0;
  };
  std::vector<Line> lines;
  std::map<std::string, size_t> number;
  for (const CallSite& site : watch.SitesOf(core)) {
    const std::string code = Say(site.where.file, ":", site.where.line);
    const auto [found, is_new] = number.try_emplace(code, lines.size());
    if (is_new) {
      lines.push_back({.code = code});
    }
    lines[found->second].calls += site.calls;
    lines[found->second].cycles += site.busy_cycles;
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), &Line::cycles);
  std::string text = "code,call_count,cycles,running_time(us)\n";
  for (const Line& line : lines) {
    text += Say(Quoted(line.code), ",", line.calls, ",", line.cycles, ",",
                Fixed(static_cast<double>(line.cycles) / soc.clock_mhz), "\n");
  }
  return text;
}

}  // namespace tilesim
