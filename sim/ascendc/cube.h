// Mmad and Fixpipe: the cube's product and its way out of L0C. Older forms of the
// latter are in fixpipe_forms.h.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/vector_types.h"
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

namespace simulator {

// The fault of operands that no product takes, at run time: published kernels name some and never run them.
template <class T, class U, class S>
void RequireProduct(tilesim::Core& core) {
  using tilesim::isa::VectorType;
  constexpr VectorType kA = VectorTypeOf<U>();
  constexpr bool kWhole = kA == VectorType::kInt8 || kA == VectorType::kInt4;
  constexpr VectorType kC = kWhole ? VectorType::kInt32 : VectorType::kFp32;
  core.Require(std::is_same_v<U, S>, tilesim::FaultKind::kMisuse, "b", "has elements of type ",
               tilesim::isa::Name(VectorTypeOf<S>()), ", must be of the type of a, ", tilesim::isa::Name(kA));
  core.Require(VectorTypeOf<T>() == kC, tilesim::FaultKind::kMisuse, "dst", "has elements of type ",
               tilesim::isa::Name(VectorTypeOf<T>()), ", but products of ", tilesim::isa::Name(kA),
               " accumulate in ", tilesim::isa::Name(kC));
}

template <class T, class U, class S>
tilesim::isa::Mmad ProductOf(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& a,
                             const LocalTensor<S>& b, const MmadParams& params) {
  RequireUnmixed<T, U, S>();
  RequireProduct<T, U, S>(core);
  return {.dst = Of(core, dst, "dst"),
          .a = Of(core, a, "a"),
          .b = Of(core, b, "b"),
          .dtype = VectorTypeOf<U>(),
          .m = params.m,
          .n = params.n,
          .k = params.k,
          .init = params.cmatrixInitVal,
          .start = std::nullopt,
          .k_align = params.kDirectionAlign,
          .unit_flag = params.unitFlag};
}

}  // namespace simulator

// C (L0C) = or += A (L0A) * B (L0B), pipe M. half, bfloat16_t and float in, float out; int8_t and int4b_t in,
// int32_t out. cmatrixInitVal and not isBias: C starts at 0; else at what it holds or, with cmatrixSource, at
// the row of n values at the start of BT. The fields from fmOffset to enWinogradB are ignored.
template <class T, class U, class S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
          const MmadParams& params, SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "Mmad", where)) {
    return;
  }
  core.At("Mmad", tilesim::Pipe::kM, where);
  tilesim::isa::Mmad mmad = simulator::ProductOf(core, dst, a, b, params);
  mmad.bias = params.isBias;
  if (params.cmatrixSource) {
    mmad.start = tilesim::isa::Operand{.memory = tilesim::Memory::kBt};
  }
  core.Issue(mmad, where);
}
// The same, where C starts at `bias` unless cmatrixInitVal: a row of n values in BT (C2), or a matrix in L0C
// (CO1) that lies as C does. float or int32_t as C is. isBias and cmatrixSource are ignored.
template <class T, class U, class S, class V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
          const LocalTensor<V>& bias, const MmadParams& params, SourceLine where = SourceLine::Here()) {
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::IsForCube(core, "Mmad", where)) {
    return;
  }
  core.At("Mmad", tilesim::Pipe::kM, where);
  tilesim::isa::Mmad mmad = simulator::ProductOf(core, dst, a, b, params);
  core.Require(std::is_same_v<T, V>, tilesim::FaultKind::kMisuse, "bias", "has elements of type ",
               tilesim::isa::Name(simulator::VectorTypeOf<V>()), ", must be of the type of dst, ",
               tilesim::isa::Name(simulator::VectorTypeOf<T>()));
  core.Require(mmad.dtype != tilesim::isa::VectorType::kInt4, tilesim::FaultKind::kMisuse, "bias",
               "there is no product of int4 with a bias on this part; add it after");
  mmad.start = simulator::Of(core, bias, "bias");
  core.Issue(mmad, where);
}
// The same under the name that some kernels call.
template <class T, class U, class S>
void MmadImpl(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
              const MmadParams& params, SourceLine where = SourceLine::Here()) {
  Mmad(dst, a, b, params, where);
}
template <class T, class U, class S, class V>
void MmadImpl(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b,
              const LocalTensor<V>& bias, const MmadParams& params, SourceLine where = SourceLine::Here()) {
  Mmad(dst, a, b, bias, params, where);
}

// In which order the fractals of C are made: along N first or along M first. No value and no time of this
// model depends on it.
inline void SetMMRowMajor() {}
inline void SetMMColumnMajor() {}
inline void SetMMLayoutTransform(bool /*along_n_first*/) {}

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

// What Fixpipe makes of elements that it scales, by a word of 64 bits: for all columns (deqScalar,
// SetFixpipePreQuantFlag), or one for each in FB. Bits [31:0]: an fp32 scale, whose low 13 bits do not count;
// normal or 0. [36]: shift int32 right first, by [35:32] + 1, ending at the limits of int16. [45:37]: offset
// of 8-bit results, two's complement. [46]: 8-bit results are signed. Results round to nearest, ties to even,
// and end at the limits of their type; the offset does not count for half; a NaN counts as 0.

// In force for every later DataCopy out of L0C of this core with DEQF16, QF322B8_PRE or REQ8; Fixpipe in
// these modes writes its deqScalar here.
inline void SetFixpipePreQuantFlag(uint64_t config) { simulator::ThisCore().registers().quant_word = config; }

// Words for each column come from `quantPre` (C2PIPE2GM) from now on, for the modes with V. `isUnitFlag`:
// L0C is free of unit flags. `reluPre` has no effect on this part.
template <class T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false,
                      SourceLine where = SourceLine::Here()) {
  static_assert(!setRelu, "SetFixPipeConfig: setRelu is reserved on this part");
  tilesim::Core& core = simulator::ThisCore();
  if (!simulator::OnCube(core)) {
    return;
  }
  core.At("SetFixPipeConfig", tilesim::Pipe::kS, where);
  if (isUnitFlag) {
    core.ClearUnitFlags();
  }
  if (preData.memory() == tilesim::Memory::kL0C && isUnitFlag) {
    return;  // only the flags
  }
  const tilesim::isa::Operand words = simulator::Of(core, preData, "preData");
  tilesim::isa::RequireMemory(core, "preData", words, tilesim::Memory::kFb, tilesim::Memory::kFb);
  core.registers().quant_table_bytes = words.begin / 128 * 128;
}
template <class T>
void SetFixPipeConfig(const LocalTensor<T>& /*reluPre*/, const LocalTensor<T>& quantPre,
                      bool isUnitFlag = false, SourceLine where = SourceLine::Here()) {
  SetFixPipeConfig<T>(quantPre, isUnitFlag, where);
}

namespace simulator {

constexpr bool HasWordForAll(QuantMode_t mode) {
  return mode == QuantMode_t::DEQF16 || mode == QuantMode_t::QF322B8_PRE || mode == QuantMode_t::REQ8;
}
constexpr bool HasWordsForColumns(QuantMode_t mode) {
  return mode == QuantMode_t::VDEQF16 || mode == QuantMode_t::VQF322B8_PRE || mode == QuantMode_t::VREQ8;
}

// Does L0C hold int32, not float? A fault where it is neither.
template <class U>
bool HoldsInt32(tilesim::Core& core) {
  core.Require(std::is_same_v<U, float> || std::is_same_v<U, int32_t>, tilesim::FaultKind::kMisuse, "src",
               "has elements of type ", tilesim::isa::Name(VectorTypeOf<U>()), "; L0C holds fp32 or int32");
  return std::is_same_v<U, int32_t>;
}

// T: of dst; U: of L0C.
template <class T, class U>
void IssueFixpipe(bool row_major, const tilesim::isa::Operand& dst, const tilesim::isa::Operand& src,
                  const FixpipeParamsV220& params, tilesim::Core& core, SourceLine where) {
  core.Issue(tilesim::isa::Fixpipe{.dst = dst,
                                   .src = src,
                                   .layout = row_major ? tilesim::isa::FixpipeLayout::kRowMajor
                                                       : tilesim::isa::FixpipeLayout::kNz,
                                   .dtype = VectorTypeOf<T>(),
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
                                   .src_int32 = HoldsInt32<U>(core),
                                   .unit_flag = params.unitFlag},
             where);
}

// Fixpipe as the API says it: with the word for all columns out of the parameters.
template <class T, class U>
void IssueFixpipeWithWord(bool row_major, const tilesim::isa::Operand& dst, const tilesim::isa::Operand& src,
                          const FixpipeParamsV220& params, tilesim::Core& core, SourceLine where) {
  if (HasWordForAll(params.quantPre)) {
    core.registers().quant_word = params.deqScalar;
  }
  IssueFixpipe<T, U>(row_major, dst, src, params, core, where);
}

// Fixpipe with a word for each column in L1, which is software on this part: 256 columns at most, or 128
// after the other, each time with their words copied to FB before. `dst` and `src`: as operands of column 0.
template <class T, class U, class S>
void IssueFixpipeWithWords(bool row_major, tilesim::isa::Operand dst, tilesim::isa::Operand src,
                           const LocalTensor<S>& words, FixpipeParamsV220 params, tilesim::Core& core,
                           SourceLine where) {
  static_assert(sizeof(S) == 8, "Fixpipe: quantisation words have 64 bits");
  core.Require(HasWordsForColumns(params.quantPre), tilesim::FaultKind::kMisuse, "quantPre",
               "quantPre = ", static_cast<int>(params.quantPre),
               " with a tensor of words, must be VDEQF16, VQF322B8_PRE or VREQ8; leave the tensor out");
  Of(core, words, "cbufWorkspace");  // may be used
  const uint32_t columns = params.nSize;
  const uint32_t most = columns <= 256 ? 256 : 128;
  const int64_t bits = tilesim::isa::ElementBits(VectorTypeOf<T>());
  const uint64_t strip = bits == 8 ? 32 : 16;  // columns
  for (uint32_t done = 0; done < columns; done += most) {
    params.nSize = static_cast<uint16_t>(columns - done < most ? columns - done : most);
    // FB is filled in units of 16 words, whatever the tensor holds of the last one.
    const auto units = static_cast<uint16_t>((params.nSize + 15U) / 16);
    const LocalTensor<uint64_t> table(TPosition::C2PIPE2GM, 0, units * 128U, Lease{});
    const LocalTensor<uint64_t> here(static_cast<TPosition>(words.GetPosition()), words.GetPhyAddr(done),
                                     units * 128U, words.lease());
    DataCopy(table, here, DataCopyParams(1, units, 0, 0), where);
    core.registers().quant_table_bytes = 0;
    core.At("Fixpipe", tilesim::Pipe::kFix, where);
    core.Barrier(tilesim::Pipe::kFix, where);
    core.At("Fixpipe", tilesim::Pipe::kFix, where);
    IssueFixpipe<T, U>(row_major, dst, src, params, core, where);
    dst.begin += row_major ? most * static_cast<uint64_t>(bits) / 8 : most / strip * params.dstStride * 32;
    src.begin += most / 16 * params.srcStride * 64;
  }
}

template <const FixpipeConfig& config>
constexpr bool IsRowMajor() {
  static_assert(config.format != CO2Layout::COLUMN_MAJOR,
                "Fixpipe: COLUMN_MAJOR does not exist on this part");
  return config.format == CO2Layout::ROW_MAJOR;
}

template <class T>
tilesim::isa::Operand OutOf(tilesim::Core& /*core*/, const GlobalTensor<T>& dst) {
  return Of(dst);
}
template <class T>
tilesim::isa::Operand OutOf(tilesim::Core& core, const LocalTensor<T>& dst) {
  return Of(core, dst, "dst");
}

// The core that a call out of L0C runs on; none where it does nothing.
inline tilesim::Core* FixCore(const char* name, SourceLine where) {
  tilesim::Core& core = ThisCore();
  if (!IsForCube(core, name, where)) {
    return nullptr;
  }
  core.At(name, tilesim::Pipe::kFix, where);
  return &core;
}

}  // namespace simulator

// L0C -> GM, pipe FIX; an atomic operation in force applies.
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWord<T, U>(simulator::IsRowMajor<config>(), simulator::OutOf(*core, dst),
                                          simulator::Of(*core, src, "src"), params, *core, where);
  }
}
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR, class S = uint64_t>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParamsV220& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWords<T, U>(simulator::IsRowMajor<config>(), simulator::OutOf(*core, dst),
                                           simulator::Of(*core, src, "src"), cbufWorkspace, params, *core,
                                           where);
  }
}
// L0C -> L1, pipe FIX; NZ, no channel split.
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWord<T, U>(simulator::IsRowMajor<config>(), simulator::OutOf(*core, dst),
                                          simulator::Of(*core, src, "src"), params, *core, where);
  }
}
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR, class S = uint64_t>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParamsV220& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWords<T, U>(simulator::IsRowMajor<config>(), simulator::OutOf(*core, dst),
                                           simulator::Of(*core, src, "src"), cbufWorkspace, params, *core,
                                           where);
  }
}

}  // namespace AscendC
