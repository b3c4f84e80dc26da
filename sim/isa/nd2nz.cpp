#include <algorithm>
#include <cstring>

#include "formats/units.h"
#include "sim/core/gm.h"
#include "sim/core/gm_window.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/cost.h"
#include "sim/isa/data_move.h"
#include "sim/isa/gm_access.h"

namespace tilesim::isa {
namespace {

Region SrcOf(const CopyNd2Nz& copy) {
  return RegionOf(copy.src, Use::kRead, "src",
                  {0, Unsigned(copy.columns * copy.element_bytes),
                   Times(copy.rows, copy.src_row_stride * copy.element_bytes),
                   Times(copy.num_matrices, copy.src_matrix_stride * copy.element_bytes)});
}

}  // namespace

void CopyNd2Nz::Check(Core& core) const {
  RequirePath(core, src, dst, dst.memory == Memory::kL1);
  CheckLimits(core);
}

void CopyNd2Nz::CheckLimits(Core& core) const {
  core.Require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4, FaultKind::kLimit, "dst",
               "has elements of ", element_bytes, " bytes, must be of 1, 2 or 4; move wider ones as pairs");
  RequireRange(core, "ndNum", num_matrices, 0, 4095, "move fewer matrices at once");
  RequireRange(core, "nValue", rows, 0, 16384, "move fewer rows at once");
  RequireRange(core, "dValue", columns, 0, 65535, "move fewer columns at once");
  if (IsNop()) {
    return;
  }
  RequireRange(core, "srcNdMatrixStride", src_matrix_stride, 0, 65535, "move matrix by matrix");
  RequireRange(core, "srcDValue", src_row_stride, 1, 65535, "move row by row");
  RequireRange(core, "dstNzC0Stride", dst_strip_stride_blocks, 1, 16384, "move strip by strip");
  RequireRange(core, "dstNzNStride", dst_row_stride_blocks, 1, 16384, "move row by row");
  RequireRange(core, "dstNzMatrixStride", dst_matrix_stride, 0, 65535, "move matrix by matrix");
  core.Require(num_matrices == 1 || dst_matrix_stride * element_bytes % kDataBlockBytes == 0,
               FaultKind::kAlignment, "dst", "dstNzMatrixStride = ", dst_matrix_stride, " elements of ",
               element_bytes, " bytes, must be a multiple of ", kDataBlockBytes / element_bytes,
               " so that each matrix starts on a data block of 32 bytes");
}

Operands CopyNd2Nz::Footprint(Core& /*core*/) const {
  Operands operands;
  if (IsNop()) {
    return operands;
  }
  const int64_t strips = CeilDiv(columns * element_bytes, kDataBlockBytes);
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, kDataBlockBytes, Times(rows, dst_row_stride_blocks * kDataBlockBytes),
                         Times(strips, dst_strip_stride_blocks * kDataBlockBytes),
                         Times(num_matrices, dst_matrix_stride * element_bytes)}));
  operands.Add(SrcOf(*this));
  return operands;
}

void CopyNd2Nz::Execute(Core& core) const {
  if (IsNop()) {
    return;
  }
  const int64_t row_bytes = columns * element_bytes;
  std::byte chunk[2048];
  for (int64_t i = 0; i < num_matrices; ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      const uint64_t from =
          src.begin + Unsigned((i * src_matrix_stride + r * src_row_stride) * element_bytes);
      std::byte* to = core.l1() + dst.begin + i * dst_matrix_stride * element_bytes +
                      r * dst_row_stride_blocks * kDataBlockBytes;
      for (int64_t at = 0; at < row_bytes; at += static_cast<int64_t>(sizeof(chunk))) {
        const int64_t here = std::min<int64_t>(sizeof(chunk), row_bytes - at);
        const int64_t filled = AlignUp(here, kDataBlockBytes);
        core.gm().Read(from + Unsigned(at), chunk, Unsigned(here));
        std::memset(chunk + here, 0, Unsigned(filled - here));
        for (int64_t block = 0; block < filled; block += kDataBlockBytes) {
          std::memcpy(to, chunk + block, kDataBlockBytes);
          to += dst_strip_stride_blocks * kDataBlockBytes;
        }
      }
    }
  }
}

InstructionTime CopyNd2Nz::TimeOn(Core& core) const {
  if (IsNop()) {
    return Cost{};
  }
  const GmBuffer* const buffer = core.gm_space().Find(src.begin);
  const int64_t starts[] = {static_cast<int64_t>(src.begin - (buffer == nullptr ? 0 : buffer->address)),
                            src_row_stride * element_bytes,
                            num_matrices > 1 ? src_matrix_stride * element_bytes : 0};
  const bool aligned =
      std::ranges::all_of(starts, [](int64_t bytes) { return bytes % kDataBlockBytes == 0; });
  return GmPassage{
      SrcOf(*this),
      Nd2NzRule({.rows = num_matrices * rows, .row_bytes = columns * element_bytes, .aligned = aligned})};
}

}  // namespace tilesim::isa
