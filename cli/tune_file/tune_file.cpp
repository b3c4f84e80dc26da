#include "cli/tune_file/tune_file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/kernel_file.h"
#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/tune/shard.h"
#include "cli/tune_file/file_tuner.h"
#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFixedColumns[] = {"cycles",  "time_us", "gm_bytes", "lower_bound_us",
                                              "hazards", "verdict", "role",     "message"};

std::vector<ReportColumn> ColumnsOf(const CombinationSpace& space) {
  std::vector<ReportColumn> columns;
  for (const Varied& varied : space.varied()) {
    RequireUser(std::ranges::find(kFixedColumns, varied.name) == std::end(kFixedColumns), "--vary ",
                varied.name, ": a column of the answer has that name; give the macro or parameter another");
    size_t width = DisplayWidth(varied.name);
    for (const std::string& value : varied.values) {
      width = std::max(width, DisplayWidth(value));
    }
    columns.push_back({varied.name, static_cast<int>(width)});
  }
  columns.insert(columns.end(), {{"cycles", 9},
                                 {"time_us", 8},
                                 {"gm_bytes", 11},
                                 {"lower_bound_us", 8, "bound_us"},
                                 {"hazards", 7},
                                 {"verdict", 12},
                                 {"role", 18},
                                 {"message", ReportColumn::kMessage}});
  return columns;
}

ReportRow RowOf(const FileTuner& tuner, size_t number) {
  const Tried& tried = tuner.results().at(number);
  ReportRow row;
  for (const std::string& value : tuner.space().Values(number)) {
    const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos &&
                           value.size() < 19 && (value[0] != '0' || value.size() == 1);
    row.push_back(is_number ? ReportCell(static_cast<int64_t>(std::stoll(value))) : ReportCell(value));
  }
  const bool timed = tried.time_us > 0;
  row.push_back(timed ? ReportCell(tried.cycles) : ReportCell());
  row.push_back(timed ? ReportCell(tried.time_us) : ReportCell());
  row.push_back(timed ? ReportCell(tried.gm_bytes) : ReportCell());
  row.push_back(timed ? ReportCell(tried.lower_bound_us) : ReportCell());
  row.push_back(tried.hazards ? ReportCell(*tried.hazards) : ReportCell());
  row.emplace_back(std::string(Name(tried.verdict)));
  row.emplace_back(tuner.RoleOf(number));
  row.emplace_back(tried.message);
  return row;
}

// "16 of 16 combinations were tried; the best is TILE=256, ..."
std::string Closing(const FileTuner& tuner) {
  const Tried& first = tuner.results().at(0);
  std::string text =
      Say(tuner.results().size(), " of ", tuner.num_candidates(), " combinations were tried; ");
  if (!tuner.Best()) {
    return text + "none gave a right result";
  }
  const size_t number = *tuner.Best();
  const Tried& best = tuner.results().at(number);
  const std::string values = tuner.space().Text(number);
  text += Say(number == 0 ? Say("the first values, ", values, ", are the best") : Say("the best is ", values),
              ": ", PlainText(best.time_us), " us");
  if (first.verdict != TriedVerdict::kOk) {
    text += Say(" (the first values, ", tuner.space().Text(0), ", are no answer: ", Name(first.verdict), ")");
  } else if (number != 0) {
    text += Say(", the first values, ", tuner.space().Text(0), ", take ", PlainText(first.time_us), " us");
  }
  text += Say(". To move the bytes that it moved and do the products that it did takes ",
              PlainText(best.lower_bound_us), " us at least. Compared were the ", tuner.results().size(),
              " that were tried, by their simulated time; ");
  return text + (tuner.results().size() < tuner.num_candidates()
                     ? "the others, and values that --vary does not name, may be faster"
                     : "values that --vary does not name may be faster");
}

}  // namespace

CommandEnd TuneOnFile(const Arguments& arguments) {
  const bool quiet = arguments.Has("quiet");
  const std::string format = FormatOf(arguments, "table");
  const fs::path folder = arguments.Text("output", "");
  NotedInterrupt interrupt("ends the search; the best found are run in full; once more ends the program");
  FileTuner tuner(arguments, interrupt);
  const std::vector<ReportColumn> columns = ColumnsOf(tuner.space());
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  const auto tell = [&](const std::string& line) {
    if (!quiet) {
      std::fprintf(stderr, "tilesim: %s\n", line.c_str());
    }
  };
  for (const Varied& varied : tuner.space().varied()) {
    tell(Say(varied.name, " is ", varied.PlaceText()));
  }
  tell(tuner.Begin());
  tuner.Search();
  if (const std::string told = tuner.RunBestInFull(); !told.empty()) {
    tell(told);
  }
  RowPrinter printer(format, columns,
                     folder.empty() ? "" : ShardOf(arguments).Named(folder / "tuned.csv").string(),
                     Say(arguments.words().front(), " on ", tuner.soc().name));
  for (const size_t number : tuner.InOrder()) {
    printer.Print(RowOf(tuner, number));
  }
  printer.Finish();
  tell(Closing(tuner));
  if (interrupt.asked()) {
    if (const std::string kept = tuner.KeptIn(); !kept.empty()) {
      tell(Say(kept, " holds them; the same command goes on from there"));
    }
    NotedInterrupt::Yield();
  }
  return tuner.Best() ? Outcome::kDone : Outcome::kNo;
}

}  // namespace tilesim
