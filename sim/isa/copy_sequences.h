// Copies between GM and UB that the part has no instruction for: each is the sequence of DataCopyPad that
// software makes of it, so that values, time and hazards are those of the moves.
#pragma once

#include <cstdint>

#include "sim/core/core.h"
#include "sim/core/source_line.h"
#include "sim/isa/data_move.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// GM -> UB from row-major to NZ: one move a matrix and column strip, of 4095 rows at most.
void IssueNd2NzToUb(Core& core, const CopyNd2Nz& copy, SourceLine where);

// UB -> GM from NZ to row-major (Nz2NdParamsFull): one move a matrix and strip of 16 columns, of 4095 rows at
// most. Element (i, r, c) goes to dst element i * dst_matrix_stride + r * dst_row_stride + c and comes from
// i * src_matrix_stride * 256 + (c / 16) * src_strip_stride * 16 + r * 16 + c % 16.
struct CopyNz2Nd {
  Operand dst;                    // GM
  Operand src;                    // UB
  int64_t element_bytes = 2;      // 2 or 4
  int64_t num_matrices = 1;       // ndNum, 0 .. 4095
  int64_t rows = 0;               // nValue, 1 .. 8192
  int64_t columns = 0;            // dValue, 1 .. 8192, a multiple of 16
  int64_t src_matrix_stride = 1;  // srcNdMatrixStride, 256 elements, 1 .. 512
  int64_t src_strip_stride = 0;   // srcNStride, 16 elements, 0 .. 4096
  int64_t dst_row_stride = 0;     // dstDStride, elements
  int64_t dst_matrix_stride = 1;  // dstNdMatrixStride, elements
};
void IssueNz2NdToGm(Core& core, const CopyNz2Nd& copy, SourceLine where);

// What of one dimension of a tensor a slice takes. The innermost: bursts of `burst_blocks` data blocks with
// `stride` elements between them. Others: every (1 + stride)-th index.
struct SliceRange {
  int64_t start = 0;
  int64_t end = 31;  // the last index that may be taken
  int64_t stride = 0;
  int64_t burst_blocks = 32;
  int64_t extent = 0;  // of the tensor
};

// GM -> UB or UB -> GM: one move for each choice of the outer indices, the second dimension fastest.
struct SliceCopy {
  static constexpr int64_t kMostDims = 8;
  Operand dst;
  Operand src;
  int64_t element_bytes = 2;
  int64_t dims = 1;  // 1 .. 8
  SliceRange dst_ranges[kMostDims] = {};
  SliceRange src_ranges[kMostDims] = {};
};
void IssueSliceCopy(Core& core, const SliceCopy& copy, SourceLine where);

}  // namespace tilesim::isa
