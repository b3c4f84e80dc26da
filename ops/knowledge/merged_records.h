#pragma once

#include <span>
#include <vector>

#include "ops/knowledge/knowledge_base.h"

namespace tilesim {

// The records of several files as one run over all their cases would have written them: by their row in the
// case file, those of one row in the order of the files. Of several for the same case, under the same
// objective, the one with least of what that asks for stays, of equals the first. Throws UserError where
// files are of several models of one part, whose times cannot be compared.
std::vector<KnowledgeRecord> MergedRecords(std::span<const KnowledgeBase> files);

}  // namespace tilesim
