#include "cli/tune/merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/tune/tuned_row.h"
#include "formats/error.h"
#include "ops/knowledge/merged_records.h"

namespace tilesim {
namespace {

// Options that say what to tune, where nothing is tuned.
void RefuseOthers(const Arguments& arguments) {
  for (const char* name :
       {"cases", "id", "shard", "budget", "threads", "cores", "objective", "soc", "set", "output"}) {
    RequireUser(!arguments.Has(name), "--merge and --", name,
                " exclude each other: records are put together, nothing is tuned");
  }
  RequireUser(arguments.CaseColumnsGiven().empty(),
              "--merge and a case exclude each other: records are put together, nothing is tuned");
  RequireUser(arguments.Has("kb-out"), "--merge: needs --kb-out FILE, the knowledge base to write");
}

}  // namespace

Outcome MergeRecords(const Arguments& arguments) {
  RefuseOthers(arguments);
  std::vector<KnowledgeBase> files;
  for (const std::string& list : arguments.All("merge")) {
    for (const std::string& path : SplitAtCommas(list)) {
      files.push_back(KnowledgeBase::Read(path));
    }
  }
  RequireUser(!files.empty(), "--merge = '", arguments.Text("merge", ""),
              "': names no file; give FILE[,FILE...] of knowledge bases");
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
