#include "cli/tune/merge.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/tune/shard.h"
#include "cli/tune/tuned_row.h"
#include "formats/error.h"
#include "ops/knowledge/merged_records.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// Options that say what to tune, where nothing is tuned.
void RefuseOthers(const Arguments& arguments) {
  for (const char* name :
       {"cases", "id", "shard", "budget", "threads", "cores", "objective", "soc", "set", "kb", "output"}) {
    RequireUser(!arguments.Has(name), "--merge and --", name,
                " exclude each other: records are put together, nothing is tuned");
  }
  RequireUser(arguments.CaseColumnsGiven().empty(),
              "--merge and a case exclude each other: records are put together, nothing is tuned");
  RequireUser(arguments.Has("kb-out"), "--merge: needs --kb-out FILE, the knowledge base to write");
}

}  // namespace

// Of files that are named as the shares of a run, all shares must be there: without one the merged base lacks
// every n-th case. Shares may stand in several folders, and files of other names beside them.
void RequireAllShares(const std::vector<std::string>& paths) {
  std::map<std::pair<fs::path, size_t>, std::set<size_t>> given;  // by the whole's name and number of shares
  for (const std::string& path : paths) {
    if (const std::optional<SharedName> name = SharedNameOf(path)) {
      given[{name->whole.filename(), name->shard.count}].insert(name->shard.number);
    }
  }
  for (const auto& [whole, numbers] : given) {
    const auto& [name, count] = whole;
    size_t number = 1;
    while (numbers.contains(number)) {
      ++number;
    }
    RequireUser(number > count, "--merge: of the ", count, " shares of ", name.string(), " there are ",
                numbers.size(), ", share ", number, " (", Shard{number, count}.Named(name).string(),
                ") is missing",
                count - numbers.size() > 1 ? Say(" and ", count - numbers.size() - 1, " more") : "",
                "; give all of them, after `tilesim tune --shard ", number, "/", count,
                "` with the options of the others; or, to do without, give the others names of their own");
  }
}

Outcome MergeRecords(const Arguments& arguments) {
  RefuseOthers(arguments);
  std::vector<std::string> paths;
  for (const std::string& list : arguments.All("merge")) {
    std::ranges::copy(SplitAtCommas(list), std::back_inserter(paths));
  }
  RequireUser(!paths.empty(), "--merge = '", arguments.Text("merge", ""),
              "': names no file; give FILE[,FILE...] of knowledge bases");
  RequireAllShares(paths);
  std::vector<KnowledgeBase> files;
  for (const std::string& path : paths) {
    files.push_back(KnowledgeBase::Read(path));
  }
  const std::vector<KnowledgeRecord> merged = MergedRecords(files);
  std::string text;
  size_t longest = 4;
  for (const KnowledgeRecord& record : merged) {
    text += LineOf(record);
    longest = std::max(longest, record.origin.id.size());
  }
  WriteWholeText(arguments.Text("kb-out", ""), text);
  const std::vector<ReportColumn> columns = TunedColumns(static_cast<int>(longest));
  RowPrinter printer(FormatOf(arguments, "table"), columns, "");
  for (const KnowledgeRecord& record : merged) {
    printer.Print(TunedRow(record, std::nullopt));
  }
  return Outcome::kDone;
}

}  // namespace tilesim
