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

// Where a tiling comes from. "tilesim" of the record, with the part of the tiling that the schema lacks.
struct KnowledgeOrigin {
  std::string id;          // of the case it was tuned for
  std::string soc;         // the part's name
  int64_t cores = 0;       // that could be used
  std::string model;       // ModelVersion of the part
  int64_t cycles = 0;      // of the launch, simulated
  double time_us = 0;      // of the launch, with its start
  double bound_us = 0;     // no legal tiling takes less under the model
  bool optimal = false;    // proven, under the model
  int64_t candidates = 0;  // legal tilings considered
  int64_t simulated = 0;   // of these
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
  // Of the records of that operator, part, number of cores and model, with the same words in the problem, the
  // one whose numbers are nearest: by the sum of the logarithms of their ratios. Null where there is none.
  [[nodiscard]] const KnowledgeRecord* Nearest(const KnowledgeKey& key, const std::string& soc, int64_t cores,
                                               const std::string& model) const;

 private:
  std::string path_;
  std::vector<KnowledgeRecord> records_;
};

}  // namespace tilesim
