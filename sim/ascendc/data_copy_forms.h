// The rarer forms of DataCopy: with DataCopyEnhancedParams, from NZ in UB to row-major in GM, slices, and the
// forms from UB to L1, which are refused: they need the server of a Matmul object.
#pragma once

#include <cstdint>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/data_copy_pad.h"
#include "sim/ascendc/local_copy.h"
#include "sim/isa/copy_sequences.h"

enum pad_t {
  PAD_NONE = 0,
  PAD_MODE1,
  PAD_MODE2,
  PAD_MODE3,
  PAD_MODE4,
  PAD_MODE5,
  PAD_MODE6,
  PAD_MODE7,
  PAD_MODE8
};

namespace AscendC {

enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

// Between GM and L1 or UB and within UB this part ignores all of it.
struct DataCopyEnhancedParams {
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;

  DataCopyEnhancedParams() = default;
  DataCopyEnhancedParams(BlockMode block_mode, DeqScale scale, uint64_t scale_value, uint8_t store_mode,
                         bool relu, pad_t pad_mode, uint64_t pad_value)
      : blockMode(block_mode),
        deqScale(scale),
        deqValue(scale_value),
        sidStoreMode(store_mode),
        isRelu(relu),
        padMode(pad_mode),
        padValue(pad_value) {}
};

// NZ in UB to row-major matrices in GM. A strip has 16 columns for 32-bit types, too.
struct Nz2NdParamsFull {
  uint16_t ndNum = 1;              // 0..4095
  uint16_t nValue = 0;             // rows, 1..8192
  uint16_t dValue = 0;             // columns, 1..8192, a multiple of 16
  uint16_t srcNdMatrixStride = 1;  // x 256 elements, 1..512
  uint16_t srcNStride = 0;         // x 16 elements, from strip to strip, 0..4096
  uint16_t dstDStride = 0;         // elements a row of dst
  uint16_t dstNdMatrixStride = 1;  // elements

  Nz2NdParamsFull() = default;
  Nz2NdParamsFull(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd_matrix_stride,
                  uint16_t src_n_stride, uint16_t dst_d_stride, uint16_t dst_nd_matrix_stride)
      : ndNum(nd_num),
        nValue(n_value),
        dValue(d_value),
        srcNdMatrixStride(src_nd_matrix_stride),
        srcNStride(src_n_stride),
        dstDStride(dst_d_stride),
        dstNdMatrixStride(dst_nd_matrix_stride) {}
};

// What a slice copy takes of one dimension; dimension 0 is the innermost.
struct SliceInfo {
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;               // dimension 0: elements between bursts; else indices left out
  uint32_t burstLen = ONE_BLK_SIZE;  // dimension 0: x 32 B; else 1
  uint32_t shapeValue = 0;           // the extent of the dimension

  SliceInfo() = default;
  SliceInfo(uint32_t start, uint32_t end, uint32_t step, uint32_t burst, uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(step), burstLen(burst), shapeValue(shape) {}
};

namespace simulator {

inline void TakeRanges(const SliceInfo* info, uint32_t dims, tilesim::isa::SliceRange* ranges) {
  for (uint32_t d = 0; d < dims && d < tilesim::isa::SliceCopy::kMostDims; ++d) {
    ranges[d] = {.start = info[d].startIndex,
                 .end = info[d].endIndex,
                 .stride = info[d].stride,
                 .burst_blocks = info[d].burstLen,
                 .extent = info[d].shapeValue};
  }
}

template <class T>
void CopySlices(tilesim::Core& core, const tilesim::isa::Operand& dst, const tilesim::isa::Operand& src,
                const SliceInfo* dst_info, const SliceInfo* src_info, uint32_t dims, SourceLine where) {
  static_assert(sizeof(T) <= 4, "DataCopy of slices: 8-, 16- and 32-bit types");
  tilesim::isa::SliceCopy copy{.dst = dst, .src = src, .element_bytes = sizeof(T), .dims = dims};
  TakeRanges(dst_info, dims, copy.dst_ranges);
  TakeRanges(src_info, dims, copy.src_ranges);
  tilesim::isa::IssueSliceCopy(core, copy, where);
}

// UB -> L1; and every other pair of memories, which none of these forms joins.
template <class T>
void RefuseToL1(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, SourceLine where) {
  tilesim::Core& core = ThisCore();
  core.At(name, tilesim::Pipe::kMte3, where);
  if (src.memory() != tilesim::Memory::kUb || dst.memory() != tilesim::Memory::kL1) {
    tilesim::isa::RefusePath(core, src.memory(), dst.memory());
  }
  if (!OnCube(core)) {
    tilesim::isa::RefuseUbToL1(core);
  }
  core.NoteForOthers(name, where);
}

}  // namespace simulator

// As without DataCopyEnhancedParams, which this part ignores.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams& /*enhanced*/, SourceLine where = SourceLine::Here()) {
  DataCopy(dst, src, params, where);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams& /*enhanced*/, SourceLine where = SourceLine::Here()) {
  DataCopy(dst, src, params, where);
}
// The same within UB, to BT and to FB. L1 -> L0C, which only this form has, is not modelled and refused.
template <class T, class U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams& /*enhanced*/, SourceLine where = SourceLine::Here()) {
  if (src.memory() == tilesim::Memory::kL1 && dst.memory() == tilesim::Memory::kL0C) {
    tilesim::Core& core = simulator::ThisCore();
    core.At("DataCopy", tilesim::Pipe::kMte1, where);
    core.Require(!simulator::OnCube(core), tilesim::FaultKind::kMisuse, "dst",
                 "is in L0C and src in L1: tilesim does not model yet DataCopy from L1 to L0C "
                 "(DataCopyEnhancedParams); give Mmad the values to start from");
    core.NoteForOthers("DataCopy", where);
    return;
  }
  DataCopy(dst, src, params, where);
}

// UB NZ -> GM row-major, 16- and 32-bit types, pipe MTE3: a DataCopyPad a strip of 16 columns. An atomic
// operation in force applies.
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& params,
              SourceLine where = SourceLine::Here()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "DataCopy with Nz2NdParamsFull: 16- and 32-bit types");
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsHere(core, src, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte3, where);
  tilesim::isa::IssueNz2NdToGm(core,
                               {.dst = simulator::Of(dst),
                                .src = simulator::Of(core, src, "src"),
                                .element_bytes = sizeof(T),
                                .num_matrices = params.ndNum,
                                .rows = params.nValue,
                                .columns = params.dValue,
                                .src_matrix_stride = params.srcNdMatrixStride,
                                .src_strip_stride = params.srcNStride,
                                .dst_row_stride = params.dstDStride,
                                .dst_matrix_stride = params.dstNdMatrixStride},
                               where);
}

// Slices, 8-, 16- and 32-bit types, up to 8 dimensions; a DataCopyPad for each choice of the outer indices,
// of which there are 1536 at most. dst and src have bursts of one length, and as many of them. The stride in
// UB is a multiple of 32 bytes; that in GM is free. GM -> UB: pipe MTE2.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsHere(core, dst, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte2, where);
  simulator::CopySlices<T>(core, simulator::Of(core, dst, "dst"), simulator::Of(src), dstSliceInfo,
                           srcSliceInfo, dimValue, where);
}
// UB -> GM: pipe MTE3.
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsHere(core, src, "DataCopy", where)) {
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kMte3, where);
  simulator::CopySlices<T>(core, simulator::Of(dst), simulator::Of(core, src, "src"), dstSliceInfo,
                           srcSliceInfo, dimValue, where);
}

// UB -> L1: refused.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& /*params*/,
              SourceLine where = SourceLine::Here()) {
  simulator::RefuseToL1("DataCopy", dst, src, where);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& /*params*/,
                 const Nd2NzParams& /*nd2nz*/, SourceLine where = SourceLine::Here()) {
  simulator::RefuseToL1("DataCopyPad", dst, src, where);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& /*params*/,
                 const Nd2NzParams& /*nd2nz*/, SourceLine where = SourceLine::Here()) {
  simulator::RefuseToL1("DataCopyPad", dst, src, where);
}

}  // namespace AscendC
