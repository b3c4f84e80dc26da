// A case and its tiling in the words of a knowledge base.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/cases/case_file.h"
#include "ops/plans/plan.h"
#include "tiling/conv_backprop/gradient_knowledge.h"

namespace tilesim {

// What two cases of one tiling have in common.
struct KnowledgeKey {
  std::string op;      // the vendor's name of a gradient of a convolution; ours of the others
  KnowledgeRows info;  // the problem: the vendor's names, or ours; sizes, types, layouts

  friend bool operator==(const KnowledgeKey& a, const KnowledgeKey& b);  // whatever the order of the names
};

// "matmul dtype=fp16 out=fp16 m=64 ...": the same of equal keys whose names are in the same order.
std::string TextOf(const KnowledgeKey& key);

// Nothing of operators that are not tuned.
std::optional<KnowledgeKey> KeyOf(const Case& problem);

// What an exception of the JSON library says, without its number: "key 'baseM' not found".
std::string PlainText(std::string_view what);

// A tiling as JSON in two parts, a line each: what the vendor's schema has a name for, and the rest. Together
// they are the whole, and no number stands in both.
struct KnowledgeParts {
  std::string knowledge;
  std::string rest;  // by section, as `plan` prints it
};

// A tiling of the case as a record holds it: in the vendor's words as far as they go. Poolings and matrix
// products, of which the vendor has no schema, have all of it in `knowledge`, as `plan` prints it.
KnowledgeParts PartsOf(const Case& problem, const AnyTiling& tiling);
// Back to the JSON of a tiling; keys that are computed of others are left out. Throws UserError that names
// `place` where a part lacks a key or is no object.
std::string JsonOf(const KnowledgeParts& parts, const Case& problem, std::string_view place);
// What is computed of the rest must not say anything else. Throws UserError where the record at `place` has
// other knowledge than `computed`.
void RequireSameKnowledge(const KnowledgeParts& record, const KnowledgeParts& computed,
                          std::string_view place);

}  // namespace tilesim
