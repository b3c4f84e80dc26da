// LoadData: L1 (or GM) to L0A and L0B, as fractals or as img2col.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"
#include "sim/isa/load.h"
#include "sim/isa/load3d.h"

namespace AscendC {

struct LoadData2DParams {
  uint16_t startIndex = 0;  // fractals
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;  // fractals, start to start
  uint8_t sid = 0;
  uint16_t dstGap = 0;  // fractals
  bool ifTranspose = false;
  uint8_t addrMode = 0;  // GM to L1, 1: srcStride back each time; ignored else

  LoadData2DParams() = default;
  LoadData2DParams(uint16_t start_index, uint8_t repeat_times, uint16_t src_stride, uint8_t s_id,
                   uint16_t dst_gap, bool transpose, uint8_t addr_mode)
      : startIndex(start_index),
        repeatTimes(repeat_times),
        srcStride(src_stride),
        sid(s_id),
        dstGap(dst_gap),
        ifTranspose(transpose),
        addrMode(addr_mode) {}
};

using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;  // squares
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;   // squares
  uint16_t dstGap = 0;      // 512 B
  uint16_t dstFracGap = 0;  // 512 B
  uint8_t addrMode = 0;

  LoadData2dTransposeParams() = default;
  LoadData2dTransposeParams(uint16_t start_index, uint8_t repeat_times, uint16_t src_stride, uint16_t dst_gap,
                            uint16_t dst_frac_gap, uint8_t addr_mode = 0)
      : startIndex(start_index),
        repeatTimes(repeat_times),
        srcStride(src_stride),
        dstGap(dst_gap),
        dstFracGap(dst_frac_gap),
        addrMode(addr_mode) {}
};

// The img2col window; ranges are the instruction's, see tilesim::isa::LoadData3D.
template <class T>
struct LoadData3DParamsV2 {
  uint8_t padList[PAD_SIZE] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue = T{};
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;

  LoadData3DParamsV2() = default;
  LoadData3DParamsV2(const uint8_t* pads, uint16_t l1_h, uint16_t l1_w, uint16_t channel_size,
                     uint16_t k_extension, uint16_t m_extension, uint16_t k_start, uint16_t m_start,
                     uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                     uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad_value)
      : l1H(l1_h),
        l1W(l1_w),
        channelSize(channel_size),
        kExtension(k_extension),
        mExtension(m_extension),
        kStartPt(k_start),
        mStartPt(m_start),
        strideW(stride_w),
        strideH(stride_h),
        filterW(filter_w),
        filterH(filter_h),
        dilationFilterW(dilation_w),
        dilationFilterH(dilation_h),
        enTranspose(transpose),
        enSmallK(small_k),
        padValue(pad_value) {
    for (int i = 0; i < PAD_SIZE; ++i) {
      padList[i] = pads[i];
    }
  }
  LoadData3DParamsV2(const uint8_t* pads, uint16_t l1_h, uint16_t l1_w, uint16_t channel_size,
                     uint16_t k_extension, uint16_t m_extension, uint16_t k_start, uint16_t m_start,
                     uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                     uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad_value,
                     bool filter_size_w, bool filter_size_h, bool f_matrix_ctrl)
      : LoadData3DParamsV2(pads, l1_h, l1_w, channel_size, k_extension, m_extension, k_start, m_start,
                           stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h, transpose, small_k,
                           pad_value) {
    filterSizeW = filter_size_w;
    filterSizeH = filter_size_h;
    fMatrixCtrl = f_matrix_ctrl;
  }
};

struct LoadDataRepeatParam {
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;  // 0: along M (stride x 16 elements), 1: along K (stride x 32 B)
  uint8_t reserved = 0;

  LoadDataRepeatParam() = default;
  LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode)
      : repeatStride(stride), repeatTime(times), repeatMode(mode) {}
};

// LoadData3DParamsV2 packed, with the feature map and the pad value from their registers only.
struct LoadData3DParamsV2Pro {
  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;  // mStartPt << 48 | kStartPt << 32 | mExtension << 16 | kExtension
  uint64_t filterConfig =
      0x010101010101;  // dilation h << 40, w << 32, filter h << 24, w << 16, stride h << 8, w

  LoadData3DParamsV2Pro() = default;
  LoadData3DParamsV2Pro(uint16_t channel_size, bool transpose, bool small_k, bool filter_size_w,
                        bool filter_size_h, bool f_matrix_ctrl, uint64_t ext, uint64_t filter)
      : channelSize(channel_size),
        enTranspose(transpose),
        enSmallK(small_k),
        filterSizeW(filter_size_w),
        filterSizeH(filter_size_h),
        fMatrixCtrl(f_matrix_ctrl),
        extConfig(ext),
        filterConfig(filter) {}
};

// What LoadData 3D writes into the registers before it runs.
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                       const FmatrixMode& mode = FmatrixMode::FMATRIX_LEFT) {
  simulator::ThisCore().registers().feature_map[static_cast<size_t>(mode)] = {
      .height = l1H, .width = l1W, .pad = {padList[0], padList[1], padList[2], padList[3]}};
}

// What LoadData 3D puts where the filter leaves the feature map. Of as many bits as T has; of an 8-bit T two
// in a row.
template <class T>
void SetLoadDataPaddingValue(const T value) {
  if constexpr (std::is_same_v<T, int4b_t>) {
    simulator::ThisCore().registers().pad_bits = value.pair;
  } else {
    const uint32_t bits = simulator::BitsOf(value);
    simulator::ThisCore().registers().pad_bits = sizeof(T) == 1 ? bits * 0x101U : bits;
  }
}

// LoadData 3D reads the bytes of L1 beyond the first `boundaryValue` from the start of L1 on; 0: it does not.
inline void SetLoadDataBoundary(uint32_t boundaryValue) {
  simulator::ThisCore().registers().load3d_boundary_bytes = boundaryValue;
}

inline void SetLoadDataRepeat(const LoadDataRepeatParam& params) {
  tilesim::CoreRegisters& registers = simulator::ThisCore().registers();
  registers.load3d_repeat_stride = params.repeatStride;
  registers.load3d_repeat_times = params.repeatTime;
  registers.load3d_repeat_along_k = params.repeatMode != 0;
}

namespace simulator {

template <class T>
void IssueLoad2D(const LocalTensor<T>& dst, const tilesim::isa::Operand& src, const LoadData2DParams& params,
                 tilesim::Core& core, SourceLine where) {
  core.Issue(
      tilesim::isa::LoadData2D{.dst = Of(core, dst, "dst"),
                               .src = src,
                               .dtype = VectorTypeOf<T>(),
                               .start_index = params.startIndex,
                               .repeat_times = params.repeatTimes,
                               .src_stride = params.srcStride,
                               .dst_gap = params.dstGap,
                               .transpose = params.ifTranspose,
                               .backwards = dst.memory() == tilesim::Memory::kL1 && params.addrMode == 1},
      where);
}

}  // namespace simulator

// Fractals L1 -> L0A or L0B, pipe MTE1.
template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "LoadData", where)) {
    return;
  }
  core.At("LoadData", tilesim::Pipe::kMte1, where);
  simulator::IssueLoad2D(dst, simulator::Of(core, src, "src"), params, core, where);
}
// Fractals GM -> L1, L0A or L0B, pipe MTE2.
template <class T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "LoadData", where)) {
    return;
  }
  core.At("LoadData", tilesim::Pipe::kMte2, where);
  simulator::IssueLoad2D(dst, simulator::Of(src), params, core, where);
}

// img2col L1 -> L0A or L0B, pipe MTE1.
template <class T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, class U = T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& params,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "LoadData", where)) {
    return;
  }
  core.At("LoadData", tilesim::Pipe::kMte1, where);
  if constexpr (config.isSetFMatrix) {
    SetFmatrix(params.l1H, params.l1W, params.padList, FmatrixMode::FMATRIX_LEFT);
  }
  if constexpr (config.isSetPadding) {
    SetLoadDataPaddingValue(params.padValue);
  }
  core.Issue(tilesim::isa::LoadData3D{.dst = simulator::Of(core, dst, "dst"),
                                      .src = simulator::Of(core, src, "src"),
                                      .dtype = simulator::VectorTypeOf<T>(),
                                      .channels = params.channelSize,
                                      .k_extension = params.kExtension,
                                      .m_extension = params.mExtension,
                                      .k_start = params.kStartPt,
                                      .m_start = params.mStartPt,
                                      .stride_w = params.strideW,
                                      .stride_h = params.strideH,
                                      .filter_w = params.filterW,
                                      .filter_h = params.filterH,
                                      .dilation_w = params.dilationFilterW,
                                      .dilation_h = params.dilationFilterH,
                                      .transpose = params.enTranspose,
                                      .small_k = params.enSmallK,
                                      .filter_size_w = params.filterSizeW,
                                      .filter_size_h = params.filterSizeH,
                                      .right_feature_map = params.fMatrixCtrl},
             where);
}
// The same with the feature map and the pad value of the registers.
template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& params,
              SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "LoadData", where)) {
    return;
  }
  core.At("LoadData", tilesim::Pipe::kMte1, where);
  const auto extent = [&](int bit) { return static_cast<int64_t>(params.extConfig >> bit & 0xFFFFU); };
  const auto filter = [&](int bit) { return static_cast<int64_t>(params.filterConfig >> bit & 0xFFU); };
  core.Issue(tilesim::isa::LoadData3D{.dst = simulator::Of(core, dst, "dst"),
                                      .src = simulator::Of(core, src, "src"),
                                      .dtype = simulator::VectorTypeOf<T>(),
                                      .channels = params.channelSize,
                                      .k_extension = extent(0),
                                      .m_extension = extent(16),
                                      .k_start = extent(32),
                                      .m_start = extent(48),
                                      .stride_w = filter(0),
                                      .stride_h = filter(8),
                                      .filter_w = filter(16),
                                      .filter_h = filter(24),
                                      .dilation_w = filter(32),
                                      .dilation_h = filter(40),
                                      .transpose = params.enTranspose,
                                      .small_k = params.enSmallK,
                                      .filter_size_w = params.filterSizeW,
                                      .filter_size_h = params.filterSizeH,
                                      .right_feature_map = params.fMatrixCtrl},
             where);
}
// The same as LoadData with LoadData3DParamsV2 under the name that some kernels call.
template <class T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, class U = T>
void LoadDataImpl(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params,
                  SourceLine where = SourceLine::Here()) {
  LoadData<T, config>(dst, src, params, where);
}

// An older form for bfloat16_t, by the configuration alone.
template <const IsResetLoad3dConfig& config>
void LoadData(const LocalTensor<bfloat16_t>& dst, const LocalTensor<bfloat16_t>& src,
              const LoadData3DParamsV2<bfloat16_t>& params, SourceLine where = SourceLine::Here()) {
  LoadData<bfloat16_t, config>(dst, src, params, where);
}

// Transposed squares L1 -> L0A or L0B, pipe MTE1.
template <class T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LoadData2dTransposeParams& params, SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "LoadDataWithTranspose", where)) {
    return;
  }
  core.At("LoadDataWithTranspose", tilesim::Pipe::kMte1, where);
  core.Issue(tilesim::isa::LoadDataTransposed{.dst = simulator::Of(core, dst, "dst"),
                                              .src = simulator::Of(core, src, "src"),
                                              .dtype = simulator::VectorTypeOf<T>(),
                                              .start_index = params.startIndex,
                                              .repeat_times = params.repeatTimes,
                                              .src_stride = params.srcStride,
                                              .dst_gap = params.dstGap,
                                              .dst_fractal_gap = params.dstFracGap},
             where);
}

}  // namespace AscendC
