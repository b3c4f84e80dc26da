#pragma once
#include <span>

#include "tiling/conv_backprop/input_tiling.h"
#include "tiling/knowledge_fields.h"

namespace tilesim {

// Of the records of Conv3DBackpropInputV2: names and order are the vendor's.

// The problem, 38 keys; the transposed convolution's is that of its gradient. Formats: 32 NDC1HWC0, 33
// FRACTAL_Z_3D.
KnowledgeRows InputInfo(const InputProblem& problem);

// The tiling, 64 keys. Splits of the kernel, of K over cores, full loads of L1 and work of the vector cores
// are never used here; all of dk is added up in L0C.
std::span<const KnowledgeField<InputProblem, InputTiling>> InputKnowledge();

}  // namespace tilesim
