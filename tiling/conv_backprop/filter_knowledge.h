#pragma once
#include <span>

#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/knowledge_fields.h"

namespace tilesim {

// Of the records of Conv3DBackpropFilterV2: names and order are the vendor's.

// The problem, 35 keys. Types: 0 fp32, 1 fp16, 27 bf16; formats: 32 NDC1HWC0, 33 FRACTAL_Z_3D.
KnowledgeRows FilterInfo(const FilterProblem& problem);

// The tiling, 44 keys. al1Bound: elements of one L1 copy of A, as bl1Bound has those of B;
// singleCoreBatchDout: the most (batch, dout) that a core has; the kernel's width is never split, streams and
// splits of the kernel are never used.
std::span<const KnowledgeField<FilterProblem, FilterTiling>> FilterKnowledge();

}  // namespace tilesim
