// TransDataTo5HD: 16 data blocks of UB transposed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

// Element i of dst row j is element j of source row i; rows are data blocks at any address. 16-bit types: 16
// rows of 16. 32-bit: a row of 16 results is dst rows 2j (of sources 0..7) and 2j + 1. 8-bit: the lower or
// upper 16 of 32 elements of each row. Not bf16. Repeat r moves rows by r strides, an only one by 1.
template <class Rows>
struct TransposeOfRows {
  static constexpr const char* kName = "TransDataTo5HD";
  Rows dst;
  Rows src;
  VectorType type = VectorType::kFp16;
  bool dst_high = false;  // 8-bit types: the upper half of each row of dst
  bool src_high = false;
  int64_t repeats = 1;            // repeatTimes, 0 .. 255
  int64_t dst_repeat_stride = 0;  // data blocks, 0 .. 65535
  int64_t src_repeat_stride = 0;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  bool RunAtOnce(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};
using VectorTranspose = TransposeOfRows<std::array<Operand, 16>>;
// Rows known by their places in UB only, in bytes: checked where they are seen to fit, or by the footprint.
using VectorTransposeAt = TransposeOfRows<std::span<const uint64_t, 16>>;

}  // namespace tilesim::isa
