// Files of the best tilings known: JSON lines in the schema of the vendor's knowledge bases (id, info_dict,
// knowledge, op, version), with what that has no place for under "tilesim".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/knowledge/knowledge_key.h"

namespace tilesim {

// Where a tiling comes from and what it takes, under the model. "tilesim" of the record, with the part of the
// tiling that the schema lacks. Times are of the launch, with its start.
struct KnowledgeOrigin {
  std::string id;         // of the case it was tuned for,
  int64_t row = 0;        // and its row in the case file; 0: from the command line
  std::string soc;        // the part's name
  int64_t cores = 0;      // that could be used
  std::string model;      // ModelVersion of the part
  std::string objective;  // what it is the best by: "time", ...
  double time_us = 0;
  int64_t gm_bytes = 0;  // read and written by all cores
  int64_t l1_bytes = 0;  // of a core; of poolings: of UB
  int64_t used_cores = 0;
  std::optional<double> op_us;   // of planner `op`; none: its answer is not legal
  std::optional<double> api_us;  // of planner `api`
  std::string from;              // whose tiling it is: "op", "api", "search"
  double bound_us = 0;           // no legal tiling takes less
  bool optimal = false;          // proven
  int64_t legal = 0;             // tilings there are; 0: not counted
  int64_t considered = 0;        // whose own bound was computed
  int64_t played = 0;            // that were run on one core
  int64_t simulated = 0;         // on all cores
  std::string sentence;          // how good it is, in words

  friend bool operator==(const KnowledgeOrigin&, const KnowledgeOrigin&) = default;
};

struct KnowledgeRecord {
  KnowledgeKey key;
  KnowledgeParts tiling;
  KnowledgeOrigin origin;
  std::string place = {};  // "kb.jsonl:3", where it was read
};

// A line of a file, with its line end.
std::string LineOf(const KnowledgeRecord& record);

// The records of one file. Of several for the same problem, part and number of cores the last one counts.
class KnowledgeBase {
 public:
  // Throws UserError with the file and the line for what is no record. A byte-order mark and empty lines are
  // passed over.
  static KnowledgeBase Read(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const KnowledgeRecord> records() const { return records_; }

  // The record of that problem, whatever its model; null where there is none.
  [[nodiscard]] const KnowledgeRecord* Find(const KnowledgeKey& key, const std::string& soc,
                                            int64_t cores) const;
  // Of the records of that operator, part, number of cores and model (any: nullopt), of the same kind of
  // problem (window, strides, dilation, groups, types, layout), the one whose extents and pads are nearest:
  // by the sum of the logarithms of their ratios. Null where there is none.
  [[nodiscard]] const KnowledgeRecord* Nearest(const KnowledgeKey& key, const std::string& soc, int64_t cores,
                                               const std::optional<std::string>& model) const;

 private:
  std::string path_;
  std::vector<KnowledgeRecord> records_;
};

}  // namespace tilesim
