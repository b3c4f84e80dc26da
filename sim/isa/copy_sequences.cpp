#include "sim/isa/copy_sequences.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/isa/ub_move.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kMostBlocks = 4095;  // of one move

// Calls f(first, number) for `count` rows in moves of 4095 at most.
template <class F>
void ForRows(int64_t count, F&& f) {
  for (int64_t first = 0; first < count; first += kMostBlocks) {
    f(first, std::min(kMostBlocks, count - first));
  }
}

// Of one side of a slice copy.
struct Side {
  int64_t bursts = 0;
  int64_t gap_bytes = 0;         // between bursts
  std::vector<int64_t> offsets;  // bytes, of the first burst of each choice of outer indices
};

void CheckRange(Core& core, const std::string& name, const SliceRange& range) {
  core.Require(range.start <= range.end, FaultKind::kLimit, name.c_str(), "startIndex = ", range.start,
               ", must be at most endIndex = ", range.end);
  core.Require(
      range.extent > 0, FaultKind::kLimit, name.c_str(),
      "shapeValue = 0; tilesim does not model yet extents from a tensor's ShapeInfo: give the extent "
      "of every dimension in shapeValue");
}

Side SideOf(Core& core, const char* operand, std::span<const SliceRange> ranges, int64_t element_bytes) {
  constexpr size_t kMostChoices = 1536;
  const int64_t block_elements = kDataBlockBytes / element_bytes;
  const SliceRange& inner = ranges.front();
  const std::string first = Say(operand, "Info[0]");
  CheckRange(core, first, inner);
  const int64_t burst = inner.burst_blocks * block_elements;
  core.Require(burst > 0, FaultKind::kLimit, first.c_str(), "burstLen = 0, must be at least 1");
  const int64_t length = inner.end - inner.start + 1;
  core.Require((length + inner.stride) % (burst + inner.stride) == 0, FaultKind::kLimit, first.c_str(),
               "indices ", inner.start, " to ", inner.end, " are ", length,
               " elements, must be whole bursts of ", burst, " with ", inner.stride, " between them");
  core.Require(inner.end < inner.extent, FaultKind::kLimit, first.c_str(), "endIndex = ", inner.end,
               ", must be less than shapeValue = ", inner.extent);
  Side side{.bursts = (length + inner.stride) / (burst + inner.stride),
            .gap_bytes = inner.stride * element_bytes,
            .offsets = {inner.start * element_bytes}};
  int64_t pitch = inner.extent * element_bytes;  // from index to index of the dimension in hand
  for (size_t d = 1; d < ranges.size(); ++d) {
    const SliceRange& range = ranges[d];
    const std::string name = Say(operand, "Info[", d, "]");
    CheckRange(core, name, range);
    core.Require(range.burst_blocks == 1, FaultKind::kLimit, name.c_str(), "burstLen = ", range.burst_blocks,
                 ", must be 1 in all dimensions but the first");
    const int64_t step = 1 + range.stride;
    const int64_t picked = (range.end - range.start + step) / step;
    const int64_t last = range.start + (picked - 1) * step;
    core.Require(last < range.extent, FaultKind::kLimit, name.c_str(), "takes index ", last,
                 ", must be less than shapeValue = ", range.extent);
    core.Require(side.offsets.size() * Unsigned(picked) <= kMostChoices, FaultKind::kLimit, name.c_str(),
                 "makes ", side.offsets.size() * Unsigned(picked), " moves, must be ", kMostChoices,
                 " at most; copy in parts");
    const std::vector<int64_t> within = std::exchange(side.offsets, {});
    for (int64_t k = 0; k < picked; ++k) {
      for (const int64_t offset : within) {
        side.offsets.push_back((range.start + k * step) * pitch + offset);
      }
    }
    pitch *= range.extent;
  }
  return side;
}

}  // namespace

void IssueNd2NzToUb(Core& core, const CopyNd2Nz& copy, SourceLine where) {
  copy.CheckLimits(core);
  if (copy.IsNop()) {
    return;
  }
  const int64_t size = copy.element_bytes;
  const int64_t row_bytes = copy.columns * size;
  VectorRegisters& registers = core.registers().vector;
  const auto kept = std::pair(registers.pad_value_set, registers.pad_value_bits);
  for (int64_t i = 0; i < copy.num_matrices; ++i) {
    for (int64_t at = 0; at < row_bytes; at += kDataBlockBytes) {
      const int64_t here = std::min(kDataBlockBytes, row_bytes - at);
      const int64_t strip = at / kDataBlockBytes;
      ForRows(copy.rows, [&](int64_t first, int64_t number) {
        core.Issue(CopyPadFromGm{.dst = Behind(copy.dst, i * copy.dst_matrix_stride * size +
                                                             (strip * copy.dst_strip_stride_blocks +
                                                              first * copy.dst_row_stride_blocks) *
                                                                 kDataBlockBytes),
                                 .src = Behind(
                                     copy.src,
                                     (i * copy.src_matrix_stride + first * copy.src_row_stride) * size + at),
                                 .element_bytes = size,
                                 .count = number,
                                 .block_bytes = here,
                                 .src_gap_bytes = number > 1 ? copy.src_row_stride * size - here : 0,
                                 .dst_gap_blocks = copy.dst_row_stride_blocks - 1,
                                 .is_pad = here < kDataBlockBytes,
                                 .right_pad = (kDataBlockBytes - here) / size},
                   where);
      });
    }
  }
  std::tie(registers.pad_value_set, registers.pad_value_bits) = kept;
}

void IssueNz2NdToGm(Core& core, const CopyNz2Nd& copy, SourceLine where) {
  constexpr int64_t kStripColumns = 16;
  core.Require(copy.element_bytes == 2 || copy.element_bytes == 4, FaultKind::kLimit, "src",
               "has elements of ", copy.element_bytes, " bytes, must be of 2 or 4");
  RequireRange(core, "ndNum", copy.num_matrices, 0, 4095, "move fewer matrices at once");
  RequireRange(core, "nValue", copy.rows, 1, 8192, "move fewer rows at once");
  RequireRange(core, "dValue", copy.columns, 1, 8192, "move fewer columns at once");
  core.Require(copy.columns % kStripColumns == 0, FaultKind::kLimit, "dValue", "dValue = ", copy.columns,
               ", must be a multiple of 16");
  RequireRange(core, "srcNdMatrixStride", copy.src_matrix_stride, 1, 512, "move matrix by matrix");
  RequireRange(core, "srcNStride", copy.src_strip_stride, 0, 4096, "move strip by strip");
  core.Require(copy.rows == 1 || copy.dst_row_stride >= kStripColumns, FaultKind::kLimit, "dstDStride",
               "dstDStride = ", copy.dst_row_stride,
               " elements from row to row, must be at least 16, the columns that one move writes of a row");
  const int64_t size = copy.element_bytes;
  const int64_t strip_bytes = kStripColumns * size;
  for (int64_t i = 0; i < copy.num_matrices; ++i) {
    for (int64_t c = 0; c < copy.columns; c += kStripColumns) {
      ForRows(copy.rows, [&](int64_t first, int64_t number) {
        core.Issue(
            CopyPadToGm{.dst = Behind(copy.dst,
                                      (i * copy.dst_matrix_stride + first * copy.dst_row_stride + c) * size),
                        .src = Behind(copy.src, (i * copy.src_matrix_stride * 256 +
                                                 c * copy.src_strip_stride + first * kStripColumns) *
                                                    size),
                        .element_bytes = size,
                        .count = number,
                        .block_bytes = strip_bytes,
                        .dst_gap_bytes = number > 1 ? copy.dst_row_stride * size - strip_bytes : 0},
            where);
      });
    }
  }
}

void IssueSliceCopy(Core& core, const SliceCopy& copy, SourceLine where) {
  RequireRange(core, "dimValue", copy.dims, 1, SliceCopy::kMostDims, "merge dimensions");
  const auto dims = static_cast<size_t>(copy.dims);
  core.Require(copy.dst_ranges[0].burst_blocks == copy.src_ranges[0].burst_blocks, FaultKind::kLimit,
               "dstInfo[0]", "burstLen = ", copy.dst_ranges[0].burst_blocks, ", must be that of srcInfo[0], ",
               copy.src_ranges[0].burst_blocks);
  const Side to = SideOf(core, "dst", {copy.dst_ranges, dims}, copy.element_bytes);
  const Side from = SideOf(core, "src", {copy.src_ranges, dims}, copy.element_bytes);
  core.Require(to.bursts == from.bursts && to.offsets.size() == from.offsets.size(), FaultKind::kLimit,
               "dstInfo", "takes ", to.offsets.size(), " times ", to.bursts, " bursts and srcInfo ",
               from.offsets.size(), " times ", from.bursts, "; both must take as many");
  const bool to_ub = copy.dst.memory == Memory::kUb;
  const int64_t ub_gap = to_ub ? to.gap_bytes : from.gap_bytes;
  core.Require(to.bursts == 1 || ub_gap % kDataBlockBytes == 0, FaultKind::kAlignment,
               to_ub ? "dstInfo[0]" : "srcInfo[0]", "stride is ", ub_gap,
               " bytes of UB, must be a multiple of 32");
  const int64_t bytes = copy.src_ranges[0].burst_blocks * kDataBlockBytes;
  for (size_t i = 0; i < to.offsets.size(); ++i) {
    const Operand dst = Behind(copy.dst, to.offsets[i]);
    const Operand src = Behind(copy.src, from.offsets[i]);
    if (to_ub) {
      core.Issue(CopyPadFromGm{.dst = dst,
                               .src = src,
                               .element_bytes = copy.element_bytes,
                               .count = to.bursts,
                               .block_bytes = bytes,
                               .src_gap_bytes = from.gap_bytes,
                               .dst_gap_blocks = ub_gap / kDataBlockBytes},
                 where);
    } else {
      core.Issue(CopyPadToGm{.dst = dst,
                             .src = src,
                             .element_bytes = copy.element_bytes,
                             .count = to.bursts,
                             .block_bytes = bytes,
                             .src_gap_blocks = ub_gap / kDataBlockBytes,
                             .dst_gap_bytes = to.gap_bytes},
                 where);
    }
  }
}

}  // namespace tilesim::isa
