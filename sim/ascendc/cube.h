// Mmad and Fixpipe: the cube's product and its way out of L0C. Older forms of the
// latter are in fixpipe_forms.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"
#include "sim/isa/cube.h"
#include "sim/isa/fixpipe.h"

namespace AscendC {

struct MmadParams {
  uint16_t m = 0;  // 0..4095; any of them 0: nothing is done
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;  // ignored
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;  // 0 off, 2 wait and leave, 3 wait and flip
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;

  MmadParams() = default;
  MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, bool is_bias, int32_t fm_offset = 0,
             bool sparse = false, bool winograd_a = false, bool winograd_b = false)
      : m(m_in),
        n(n_in),
        k(k_in),
        isBias(is_bias),
        fmOffset(fm_offset),
        enSsparse(sparse),
        enWinogradA(winograd_a),
        enWinogradB(winograd_b) {}
  MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, uint8_t unit_flag, bool c_source, bool c_init)
      : m(m_in), n(n_in), k(k_in), unitFlag(unit_flag), cmatrixSource(c_source), cmatrixInitVal(c_init) {}
};

// C (L0C) = or += A (L0A) * B (L0B), pipe M. fp16, bf16 and fp32 in, fp32 out.
template <class T, class U, class S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
          const MmadParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<U, S>, "Mmad: both operands have one type");
  static_assert(std::is_same_v<T, float>, "Mmad: fp16, bf16 and fp32 products accumulate in float");
  tilesim::Core& core = internal::ThisCore();
  if (!internal::OnCube(core)) {
    return;
  }
  core.At("Mmad", tilesim::Pipe::kM, where);
  core.Issue(tilesim::isa::Mmad{.dst = internal::Of(core, dst, "dst"),
                                .a = internal::Of(core, a, "a"),
                                .b = internal::Of(core, b, "b"),
                                .dtype = internal::DTypeOf<U>(),
                                .m = params.m,
                                .n = params.n,
                                .k = params.k,
                                .init = params.cmatrixInitVal,
                                .bias = params.isBias,
                                .bias_table = params.cmatrixSource,
                                .k_align = params.kDirectionAlign,
                                .unit_flag = params.unitFlag},
             where);
}
// The same under the name that some kernels call.
template <class T, class U, class S>
void MmadImpl(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
              const MmadParams& params, SourceLine where = SourceLine::Here()) {
  Mmad(dst, a, b, params, where);
}

struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ, false};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR, false};

struct FixpipeParamsV220 {
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;  // rows of 16 elements from strip to strip
  uint32_t dstStride = 0;  // NZ: x 32 B from strip to strip; row-major: elements a row
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;

  FixpipeParamsV220() = default;
  FixpipeParamsV220(uint16_t n_size, uint16_t m_size, uint16_t src_stride, uint32_t dst_stride, bool relu)
      : nSize(n_size), mSize(m_size), srcStride(src_stride), dstStride(dst_stride), reluEn(relu) {}
  FixpipeParamsV220(uint16_t n_size, uint16_t m_size, uint16_t src_stride, uint32_t dst_stride, bool relu,
                    QuantMode_t quant_pre, int64_t deq_scalar, uint16_t nd_num, uint16_t src_nd_stride,
                    uint16_t dst_nd_stride, uint8_t unit_flag)
      : FixpipeParamsV220(n_size, m_size, src_stride, dst_stride, relu) {
    quantPre = quant_pre;
    deqScalar = static_cast<uint64_t>(deq_scalar);
    ndNum = nd_num;
    srcNdStride = src_nd_stride;
    dstNdStride = dst_nd_stride;
    unitFlag = unit_flag;
  }
  FixpipeParamsV220(uint16_t n_size, uint16_t m_size, uint16_t src_stride, uint32_t dst_stride, bool relu,
                    QuantMode_t quant_pre, int64_t deq_scalar, uint16_t nd_num, uint16_t src_nd_stride,
                    uint16_t dst_nd_stride, uint8_t unit_flag, bool channel_split)
      : FixpipeParamsV220(n_size, m_size, src_stride, dst_stride, relu, quant_pre, deq_scalar, nd_num,
                          src_nd_stride, dst_nd_stride, unit_flag) {
    isChannelSplit = channel_split;
  }
};

namespace internal {

template <class T, const FixpipeConfig& config>
void IssueFixpipe(const tilesim::isa::Operand& dst, const tilesim::isa::Operand& src,
                  const FixpipeParamsV220& params, tilesim::Core& core, SourceLine where) {
  static_assert(config.format != CO2Layout::COLUMN_MAJOR,
                "Fixpipe: COLUMN_MAJOR does not exist on this part");
  core.Issue(
      tilesim::isa::Fixpipe{.dst = dst,
                            .src = src,
                            .layout = config.format == CO2Layout::NZ ? tilesim::isa::FixpipeLayout::kNz
                                                                     : tilesim::isa::FixpipeLayout::kRowMajor,
                            .dtype = DTypeOf<T>(),
                            .quant = static_cast<tilesim::isa::Quant>(params.quantPre),
                            .n = params.nSize,
                            .m = params.mSize,
                            .src_stride = params.srcStride,
                            .dst_stride = params.dstStride,
                            .num_matrices = params.ndNum,
                            .src_matrix_stride = params.srcNdStride,
                            .dst_matrix_stride = params.dstNdStride,
                            .relu = params.reluEn,
                            .channel_split = params.isChannelSplit,
                            .unit_flag = params.unitFlag},
      where);
}

}  // namespace internal

// L0C -> GM, pipe FIX; an atomic operation in force applies.
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<U, float>, "Fixpipe: L0C holds float");
  tilesim::Core& core = internal::ThisCore();
  if (!internal::OnCube(core)) {
    return;
  }
  core.At("Fixpipe", tilesim::Pipe::kFix, where);
  internal::IssueFixpipe<T, config>(internal::Of(dst), internal::Of(core, src, "src"), params, core, where);
}
// L0C -> L1, pipe FIX.
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<U, float>, "Fixpipe: L0C holds float");
  tilesim::Core& core = internal::ThisCore();
  if (!internal::OnCube(core)) {
    return;
  }
  core.At("Fixpipe", tilesim::Pipe::kFix, where);
  internal::IssueFixpipe<T, config>(internal::Of(core, dst, "dst"), internal::Of(core, src, "src"), params,
                                    core, where);
}

}  // namespace AscendC
