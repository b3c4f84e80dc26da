// Two older ways to say Fixpipe: DataCopy out of L0C, and Fixpipe with FixpipeParams. Both are the same
// instruction as Fixpipe with FixpipeParamsV220.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/cube.h"
#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

struct DataCopyCO12DstParams {
  uint8_t sid = 0;
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint32_t dstStride = 0;   // NZ: x 32 B from strip to strip; row-major: elements a row
  uint16_t srcStride = 0;   // rows of 16 elements from strip to strip
  uint8_t unitFlag = 0;     // 0 off, 2 wait and leave, 3 wait and flip
  uint8_t clipReluPre = 0;  // must be 0
  uint8_t eltWiseOp = 0;    // must be 0
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;  // 0 or 1
  bool channelSplit = false;
  bool nz2ndEn = false;  // row-major, by SetFixpipeNz2ndFlag

  DataCopyCO12DstParams() = default;
  DataCopyCO12DstParams(uint16_t n_size, uint16_t m_size, uint32_t dst_stride, uint16_t src_stride,
                        QuantMode_t quant_pre, uint8_t relu_pre, bool channel_split, bool nz2nd)
      : nSize(n_size),
        mSize(m_size),
        dstStride(dst_stride),
        srcStride(src_stride),
        quantPre(quant_pre),
        reluPre(relu_pre),
        channelSplit(channel_split),
        nz2ndEn(nz2nd) {}
};

// In force for every later DataCopy with nz2ndEn of this core.
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  simulator::State(simulator::ThisCore()).nz2nd = {
      .num = ndNum, .src_stride = srcNdStride, .dst_stride = dstNdStride};
}

struct QuantParams {
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;

  QuantParams() = default;
  explicit QuantParams(QuantMode_t quant) : quantPre(quant) {}
  QuantParams(QuantMode_t quant, uint64_t scalar) : quantPre(quant), deqScalar(scalar) {}
};

struct Nz2NdParams {
  bool nz2ndEn = false;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  uint16_t originalNSize = 0;  // columns, instead of cburstNum * 16

  Nz2NdParams() = default;
  Nz2NdParams(bool enabled, uint16_t num, uint16_t src_stride, uint16_t dst_stride, uint16_t n_size)
      : nz2ndEn(enabled),
        ndNum(num),
        srcNdStride(src_stride),
        dstNdStride(dst_stride),
        originalNSize(n_size) {}
};

template <class T>
struct FixpipeParams {
  uint16_t cburstNum = 0;  // strips of 16 columns
  uint16_t burstLen = 0;   // a strip in L0C, x 32 B: two a row
  uint32_t dstStride = 0;  // NZ: x 32 B from the end of a strip to the next; row-major: elements a row
  uint16_t srcStride = 0;  // fractals of 16 rows from the end of a strip to the next
  QuantParams quantParams;
  bool reluEn = false;
  Nz2NdParams nz2ndParams;
  uint8_t unitFlag = 0;

  FixpipeParams() = default;
  FixpipeParams(uint16_t count, uint16_t length, uint16_t src_stride, uint32_t dst_stride)
      : cburstNum(count), burstLen(length), dstStride(dst_stride), srcStride(src_stride) {}
};

namespace simulator {

inline FixpipeParamsV220 AsV220(tilesim::Core& core, const DataCopyCO12DstParams& params) {
  const auto refuse = [&](bool ok, const char* name, int value) {
    core.Require(ok, tilesim::FaultKind::kMisuse, name, name, " = ", value, " is not modelled; leave it 0");
  };
  refuse(params.clipReluPre == 0, "clipReluPre", params.clipReluPre);
  refuse(params.eltWiseOp == 0, "eltWiseOp", params.eltWiseOp);
  refuse(params.reluPre <= 1, "reluPre", params.reluPre);
  const Nz2ndFlag& nz2nd = State(core).nz2nd;
  FixpipeParamsV220 same(params.nSize, params.mSize, params.srcStride, params.dstStride, params.reluPre == 1);
  same.quantPre = params.quantPre;
  same.unitFlag = params.unitFlag;
  same.isChannelSplit = params.channelSplit;
  if (params.nz2ndEn) {
    same.ndNum = nz2nd.num;
    same.srcNdStride = nz2nd.src_stride;
    same.dstNdStride = nz2nd.dst_stride;
  }
  return same;
}

// T: of the destination.
template <class T, class S>
FixpipeParamsV220 AsV220(tilesim::Core& core, const FixpipeParams<S>& params) {
  core.Require(params.burstLen % 2 == 0, tilesim::FaultKind::kLimit, "burstLen",
               "burstLen = ", params.burstLen,
               ", must be a multiple of 2: a row of a strip is 64 bytes of L0C");
  const bool row_major = params.nz2ndParams.nz2ndEn;
  const auto m = static_cast<uint16_t>(params.burstLen / 2);
  const auto src_stride = static_cast<uint32_t>(params.srcStride * 16 + (m + 15) / 16 * 16);
  core.Require(src_stride <= 65535, tilesim::FaultKind::kLimit, "srcStride", "srcStride = ", params.srcStride,
               " makes ", src_stride, " rows from strip to strip, must be at most 65535");
  FixpipeParamsV220 same(
      row_major ? params.nz2ndParams.originalNSize : static_cast<uint16_t>(params.cburstNum * 16), m,
      static_cast<uint16_t>(src_stride),
      row_major ? params.dstStride
                : params.dstStride + static_cast<uint32_t>(params.burstLen * sizeof(T) / sizeof(float)),
      params.reluEn);
  same.quantPre = params.quantParams.quantPre;
  same.deqScalar = params.quantParams.deqScalar;
  same.unitFlag = params.unitFlag;
  if (row_major) {
    same.ndNum = params.nz2ndParams.ndNum;
    same.srcNdStride = params.nz2ndParams.srcNdStride;
    same.dstNdStride = params.nz2ndParams.dstNdStride;
  }
  return same;
}

}  // namespace simulator

// L0C -> GM, pipe FIX; an atomic operation in force applies.
template <class T, class U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("DataCopy", where)) {
    simulator::IssueFixpipe<T, U>(params.nz2ndEn, simulator::OutOf(*core, dst),
                                  simulator::Of(*core, src, "src"), simulator::AsV220(*core, params), *core,
                                  where);
  }
}
// L0C -> L1, pipe FIX.
template <class T, class U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("DataCopy", where)) {
    simulator::IssueFixpipe<T, U>(params.nz2ndEn, simulator::OutOf(*core, dst),
                                  simulator::Of(*core, src, "src"), simulator::AsV220(*core, params), *core,
                                  where);
  }
}
// L0C -> GM, pipe FIX; an atomic operation in force applies.
template <class T, class U, class S>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<S>& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWord<T, U>(params.nz2ndParams.nz2ndEn, simulator::OutOf(*core, dst),
                                          simulator::Of(*core, src, "src"),
                                          simulator::AsV220<T>(*core, params), *core, where);
  }
}
template <class T, class U, class S, class V>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParams<V>& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWords<T, U>(params.nz2ndParams.nz2ndEn, simulator::OutOf(*core, dst),
                                           simulator::Of(*core, src, "src"), cbufWorkspace,
                                           simulator::AsV220<T>(*core, params), *core, where);
  }
}
// L0C -> L1, pipe FIX.
template <class T, class U, class S>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<S>& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWord<T, U>(params.nz2ndParams.nz2ndEn, simulator::OutOf(*core, dst),
                                          simulator::Of(*core, src, "src"),
                                          simulator::AsV220<T>(*core, params), *core, where);
  }
}
template <class T, class U, class S, class V>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParams<V>& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* const core = simulator::FixCore("Fixpipe", where)) {
    simulator::IssueFixpipeWithWords<T, U>(params.nz2ndParams.nz2ndEn, simulator::OutOf(*core, dst),
                                           simulator::Of(*core, src, "src"), cbufWorkspace,
                                           simulator::AsV220<T>(*core, params), *core, where);
  }
}

}  // namespace AscendC
