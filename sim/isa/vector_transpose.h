// TransDataTo5HD: 16 data blocks of UB transposed. Transpose: 16 x 16 elements, and feature maps between NCHW
// and NHWC, which are many of the former.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/core/source_line.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_type.h"
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

// TransDataTo5HD as part of a Transpose.
struct TransposeStep : VectorTranspose {
  static constexpr const char* kName = "Transpose";
};

// dst[i * 16 + j] = src[j * 16 + i]; int16, uint16, fp16. dst is src, or apart from it.
void TransposeTile(Core& core, const Operand& dst, const Operand& src, VectorType type, SourceLine where);

enum class MapOrder : uint8_t { kNchwToNhwc, kNhwcToNchw };

// Integers of 8, 16 and 32 bits, fp16, fp32. All operands in UB and apart from each other.
struct TransposeMaps {
  Operand dst;
  Operand src;
  Operand tmp;  // TmpBytes
  VectorType type = VectorType::kFp16;
  MapOrder order = MapOrder::kNchwToNhwc;
  int64_t n = 0;   // 0 .. 65535; where anything is 0, nothing is done
  int64_t c = 0;   // 0 .. 4095
  int64_t hw = 0;  // 0 .. 4095, whole data blocks

  [[nodiscard]] int64_t TmpBytes() const;
};
// Issues the steps, with barriers of V between those that depend on each other.
void Transpose(Core& core, const TransposeMaps& maps, SourceLine where);

// What the form of TransDataTo5HD with lists in UB does first: it reads 16 places in UB, 64 bits each.
// Without values they are not known, and `rows` gets places in the list itself (assumed).
struct VectorReadRows {
  static constexpr const char* kName = VectorTranspose::kName;
  Operand list;
  const char* name = "";
  std::span<uint64_t, 16> rows;  // gets them

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
