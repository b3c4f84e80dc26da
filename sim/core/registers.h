// The registers of a core that instructions read: set by the kernel, in force until set again.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/atomic_type.h"
#include "sim/core/vector_registers.h"

namespace tilesim {

// The feature map that LoadData 3D walks (FMATRIX; there is a left and a right one).
struct FeatureMap {
  int64_t height = 0;
  int64_t width = 0;
  std::array<int64_t, 4> pad{};  // left, right, top, bottom
};

struct CoreRegisters {
  std::array<FeatureMap, 2> feature_map;  // [0] left, [1] right
  uint32_t pad_bits = 0;                  // of LoadData 3D: as many of them as an element has
  int64_t load3d_boundary_bytes = 0;  // SetLoadDataBoundary: where L1 begins anew for LoadData 3D; 0: nowhere
  int64_t load3d_repeat_stride = 0;   // SetLoadDataRepeat
  int64_t load3d_repeat_times = 1;
  bool load3d_repeat_along_k = false;
  bool hf32 = false;            // CTRL[46]: round fp32 cube operands to HF32
  bool hf32_ties_away = false;  // CTRL[47]
  bool ieee = false;            // CTRL[48]: keep inf and NaN in 16-bit results instead of saturating
  AtomicOp atomic = AtomicOp::kNone;
  AtomicType atomic_dtype = DType::kFp32;
  uint64_t quant_word = 0;         // QUANT_PRE: how Fixpipe scales all columns
  uint64_t quant_table_bytes = 0;  // where in FB the words for each column begin
  uint8_t store_atomic_type = 0;   // SetStoreAtomicConfig; 0: none
  uint8_t store_atomic_op = 0;
  VectorRegisters vector;
};

}  // namespace tilesim
