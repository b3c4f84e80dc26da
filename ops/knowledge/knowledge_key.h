// A case and its tiling in the words of a knowledge base (tiling.md 8).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ops/case_file.h"
#include "ops/plan.h"
#include "tiling/knowledge_fields.h"

namespace tilesim {

// What two cases of one tiling have in common.
struct KnowledgeKey {
  std::string op;               // the vendor's name of a gradient of a convolution; ours of the others
  nlohmann::ordered_json info;  // the problem: the vendor's names, or ours; sizes, types, layouts

  friend bool operator==(const KnowledgeKey& a, const KnowledgeKey& b);  // whatever the order of the names
};

// "matmul dtype=fp16 out=fp16 m=64 ...": the same of equal keys whose names are in the same order.
std::string TextOf(const KnowledgeKey& key);

// What the exception says, without its number: "key 'baseM' not found".
std::string PlainText(const nlohmann::json::exception& error);

// Nothing of operators that are not tuned.
std::optional<KnowledgeKey> KeyOf(const Case& problem);

// A tiling of the case as a record holds it: in the vendor's words as far as they go. Poolings and matrix
// products, of which the vendor has no schema, have all of it in `knowledge`, as `plan` prints it.
KnowledgeParts PartsOf(const Case& problem, const AnyTiling& tiling);
// Back to the text of a tiling. Throws nlohmann::json::exception where a part lacks a key or is no object.
nlohmann::ordered_json TilingTextOf(const Case& problem, const KnowledgeParts& parts);

}  // namespace tilesim
