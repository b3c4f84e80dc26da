// Fixpipe: L0C to GM or L1, with conversion and layout on the way.
#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// QuantMode_t, in its order. What is not fp32 -> fp32, fp16, bf16 is refused by name.
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
// operation set, GM is updated in the type of the result. Rows beyond m are not written.
struct Fixpipe {
  static constexpr const char* kName = "Fixpipe";
  Operand dst;  // GM or L1
  Operand src;  // L0C
  FixpipeLayout layout = FixpipeLayout::kRowMajor;
  DType dtype = DType::kFp32;  // of dst: fp32 with kNone, fp16 with kF322F16, bf16 with kF322BF16
  Quant quant = Quant::kNone;
  int64_t n = 0;           // nSize, 0 .. 4095
  int64_t m = 0;           // mSize, NZ 0 .. 65535, row-major 0 .. 8192
  int64_t src_stride = 0;  // rows of 16 elements from strip to strip of 16 columns, 0 .. 65535
  int64_t dst_stride =
      0;  // NZ: data blocks (32 bytes) from strip to strip; row-major: elements from row to row
  int64_t num_matrices = 1;       // ndNum, row-major only
  int64_t src_matrix_stride = 0;  // srcNdStride, fractals of 1024 bytes
  int64_t dst_matrix_stride = 0;  // dstNdStride, elements
  bool relu = false;
  bool channel_split = false;  // NZ, fp32, to GM: strips of 8 columns
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
