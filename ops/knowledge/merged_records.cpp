#include "ops/knowledge/merged_records.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

void RequireOneModel(const std::vector<KnowledgeRecord>& records) {
  std::map<std::string, const KnowledgeRecord*> first_of_part;
  for (const KnowledgeRecord& record : records) {
    const KnowledgeRecord& first = *first_of_part.emplace(record.origin.soc, &record).first->second;
    RequireUser(first.origin.model == record.origin.model, record.place, ": of model ", record.origin.model,
                " of ", record.origin.soc, ", ", first.place, " is of ", first.origin.model,
                ": their times cannot be compared; tune the older ones again");
  }
}

// The same case, down to its row: equal problems in two rows have a record each.
bool SameCase(const KnowledgeRecord& a, const KnowledgeRecord& b) {
  return a.key == b.key && a.origin.row == b.origin.row && a.origin.id == b.origin.id &&
         a.origin.soc == b.origin.soc && a.origin.cores == b.origin.cores &&
         a.origin.objective == b.origin.objective;
}

// What an objective asks for, the least first.
std::pair<double, double> Rank(const KnowledgeOrigin& origin) {
  if (origin.objective == "traffic") {
    return {static_cast<double>(origin.gm_bytes), origin.time_us};
  }
  if (origin.objective == "l1") {
    return {static_cast<double>(origin.l1_bytes), origin.time_us};
  }
  return {origin.time_us, 0};
}

}  // namespace

std::vector<KnowledgeRecord> MergedRecords(std::span<const KnowledgeBase> files) {
  std::vector<KnowledgeRecord> all;
  for (const KnowledgeBase& file : files) {
    all.insert(all.end(), file.records().begin(), file.records().end());
  }
  RequireOneModel(all);
  std::ranges::stable_sort(all, {}, [](const KnowledgeRecord& record) { return record.origin.row; });
  std::vector<KnowledgeRecord> merged;
  for (KnowledgeRecord& record : all) {
    const auto same =
        std::ranges::find_if(merged, [&](const KnowledgeRecord& other) { return SameCase(other, record); });
    if (same == merged.end()) {
      merged.push_back(std::move(record));
    } else if (Rank(record.origin) < Rank(same->origin)) {
      *same = std::move(record);
    }
  }
  return merged;
}

}  // namespace tilesim
