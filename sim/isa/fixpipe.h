// Fixpipe: L0C to GM or L1, with conversion and layout on the way.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// QuantMode_t, in its order: what L0C holds and dst gets, and where the words that say how come from (see
// QuantWord). kNone: fp32 or int32 as it is. kF322F16, kF322BF16: fp32, rounded. kDeqF16: int32 to fp16.
// kQf322B8: fp32, kReq8: int32, to int8 or uint8. The same with V: a word for each column.
enum class Quant : uint8_t {
  kNone,
  kF322F16,
  kF322BF16,
  kDeqF16,
  kVdeqF16,
  kQf322B8,
  kVqf322B8,
  kReq8,
  kVreq8
};

enum class FixpipeLayout : uint8_t { kNz, kRowMajor };

// FixpipeParamsV220; DataCopyCO12DstParams and the legacy FixpipeParams translate into it. With an atomic
// operation set, GM is updated in the type of the result. Rows beyond m are not written. The word of scalar
// modes is in the quantisation register, those of V modes lie in FB from the address in its register on, 8
// bytes for each column from column 0 of each matrix.
struct Fixpipe {
  static constexpr const char* kName = "Fixpipe";
  Operand dst;  // GM or L1
  Operand src;  // L0C
  FixpipeLayout layout = FixpipeLayout::kRowMajor;
  CubeType dtype = DType::kFp32;  // of dst, as `quant` says
  Quant quant = Quant::kNone;
  int64_t n = 0;           // nSize, 0 .. 4095
  int64_t m = 0;           // mSize, NZ 0 .. 65535, row-major 0 .. 8192
  int64_t src_stride = 0;  // rows of 16 elements from strip to strip of 16 columns, 0 .. 65535
  // NZ: data blocks (32 bytes) from strip to strip of 16 columns, with 8-bit results of 32; row-major:
  // elements from row to row.
  int64_t dst_stride = 0;
  int64_t num_matrices = 1;       // ndNum, row-major only
  int64_t src_matrix_stride = 0;  // srcNdStride, fractals of 1024 bytes
  int64_t dst_matrix_stride = 0;  // dstNdStride, elements
  bool relu = false;
  bool channel_split = false;  // NZ, fp32, to GM: strips of 8 columns
  bool src_int32 = false;      // L0C holds int32, not fp32
  int unit_flag = 0;           // 0, 2, 3

  [[nodiscard]] bool IsNop() const {
    return m == 0 || n == 0 || (layout == FixpipeLayout::kRowMajor && num_matrices == 0);
  }
  [[nodiscard]] Pipe pipe() const { return Pipe::kFix; }
  [[nodiscard]] int UnitFlag() const { return unit_flag; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
