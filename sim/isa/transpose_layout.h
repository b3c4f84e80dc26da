// Transpose: 16 x 16 elements, and feature maps between NCHW and NHWC, which are many of the former.
#pragma once

#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/core/source_line.h"
#include "sim/isa/operand.h"
#include "sim/isa/vector_transpose.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

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
