// A problem and its tiling in the words of the vendor's knowledge bases.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"

namespace tilesim {

using KnowledgeValue = std::variant<int64_t, bool, std::string>;

// One key of a problem, `info_dict`.
struct KnowledgeRow {
  std::string name;
  KnowledgeValue value;

  friend bool operator==(const KnowledgeRow&, const KnowledgeRow&) = default;
};
using KnowledgeRows = std::vector<KnowledgeRow>;

// One key of a tiling, `knowledge`: a field of the tiling's text, or what is computed of it.
template <class Problem, class Tiling>
struct KnowledgeField {
  using Value = KnowledgeValue (*)(const Problem&, const Tiling&);

  std::string_view name;
  std::string_view section = {};  // of the tiling's text; empty: none has it
  std::string_view field = {};
  Value value = nullptr;  // of what the text does not have; none: 0, a feature that tilings here never use
};

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
