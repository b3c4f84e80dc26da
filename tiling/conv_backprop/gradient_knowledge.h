#pragma once
#include <span>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/knowledge_fields.h"

namespace tilesim {

// Of the records of Conv3DBackpropFilterV2 and Conv3DBackpropInputV2: names and order are the vendor's.

// The problem, 35 keys and 38; the transposed convolution's is that of its gradient. Types: 0 fp32, 1 fp16,
// 27 bf16; formats: 32 NDC1HWC0, 33 FRACTAL_Z_3D.
KnowledgeRows FilterInfo(const FilterProblem& problem);
KnowledgeRows InputInfo(const InputProblem& problem);

// The tiling, 44 keys. al1Bound: elements of one L1 copy of A, as bl1Bound has those of B;
// singleCoreBatchDout: the most (batch, dout) that a core has; the kernel's width is never split, streams and
// splits of the kernel are never used.
std::span<const KnowledgeField<FilterProblem, FilterTiling>> FilterKnowledge();
// The tiling, 64 keys. Splits of the kernel, of K over cores, full loads of L1 and work of the vector cores
// are never used here; all of dk is added up in L0C.
std::span<const KnowledgeField<InputProblem, InputTiling>> InputKnowledge();

// The vendor's numbers of types and formats in its knowledge bases.
inline constexpr int kVendorNdc1hwc0 = 32;
inline constexpr int kVendorFractalZ3d = 33;

constexpr int VendorCode(DType dtype) {
  constexpr int kFp32 = 0;
  constexpr int kFp16 = 1;
  constexpr int kBf16 = 27;
  return dtype == DType::kFp16 ? kFp16 : dtype == DType::kBf16 ? kBf16 : kFp32;
}

}  // namespace tilesim
