// Transpose, and TransDataTo5HD by lists in UB; pipe V. On a cube core all do nothing.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ascendc/vector_fill.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_transpose.h"

namespace AscendC {

enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW
};

struct TransposeParamsExt {
  uint16_t nSize = 0;
  uint16_t cSize = 0;  // 0..4095
  uint16_t hSize = 0;  // hSize * wSize: 0..4095, in whole data blocks of 32 bytes
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;

  TransposeParamsExt() = default;
  TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

// dst[i * 16 + j] = src[j * 16 + i], 512 bytes; int16_t, uint16_t, half. dst may be src.
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Transpose", where)) {
    tilesim::isa::TransposeTile(*core, simulator::Of(*core, dst, "dst"), simulator::Of(*core, src, "src"),
                                simulator::VectorTypeOf<T>(), where);
  }
}

// TRANSPOSE_NCHW2NHWC and back: integers of 8 to 32 bits, half, float; dst apart from src. Tiles are 512
// bytes (1024 of 8-bit types), and sharedTmpBuffer has cSize + 2 of them, 2 * cSize + 1 for the way back.
// Where a size is 0, nothing is done. TRANSPOSE_ND2ND_B16: the 16 x 16 of uint16_t above.
// TRANSPOSE_TYPE_NONE: nothing. The other types belong to calls of other families.
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const TransposeParamsExt& transposeParams,
               SourceLine where = SourceLine::Here()) {
  using enum TransposeType;
  const TransposeType type = transposeParams.transposeType;
  tilesim::Core* const core = simulator::VectorCore("Transpose", where);
  if (core == nullptr || type == TRANSPOSE_TYPE_NONE) {
    return;
  }
  if (type == TRANSPOSE_ND2ND_B16) {
    tilesim::isa::RequireType(*core, simulator::VectorTypeOf<T>(), {tilesim::isa::VectorType::kUint16});
    tilesim::isa::RequireRange(*core, "hSize", transposeParams.hSize, 16, 16,
                               "TRANSPOSE_ND2ND_B16 is 16 x 16");
    tilesim::isa::RequireRange(*core, "wSize", transposeParams.wSize, 16, 16,
                               "TRANSPOSE_ND2ND_B16 is 16 x 16");
    return Transpose(dst, src, where);
  }
  core->Require(type == TRANSPOSE_NCHW2NHWC || type == TRANSPOSE_NHWC2NCHW, tilesim::FaultKind::kMisuse,
                "transposeType", "TransposeType ", static_cast<int>(type),
                " is none of this call on this part; it has TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC and "
                "TRANSPOSE_NHWC2NCHW");
  tilesim::isa::Transpose(*core,
                          {.dst = simulator::Of(*core, dst, "dst"),
                           .src = simulator::Of(*core, src, "src"),
                           .tmp = simulator::Of(*core, sharedTmpBuffer, "sharedTmpBuffer"),
                           .type = simulator::VectorTypeOf<T>(),
                           .order = type == TRANSPOSE_NCHW2NHWC ? tilesim::isa::MapOrder::kNchwToNhwc
                                                                : tilesim::isa::MapOrder::kNhwcToNchw,
                           .n = transposeParams.nSize,
                           .c = transposeParams.cSize,
                           .hw = int64_t{transposeParams.hSize} * transposeParams.wSize},
                          where);
}

// 16 data blocks transposed, whose places each list has as 16 consecutive uint64_t of GetPhyAddr.
template <class T>
void TransDataTo5HD(const LocalTensor<uint64_t>& dstLocal, const LocalTensor<uint64_t>& srcLocal,
                    const TransDataTo5HDParams& nchwconvParams, SourceLine where = SourceLine::Here()) {
  tilesim::Core* const core = simulator::VectorCore("TransDataTo5HD", where);
  if (core == nullptr) {
    return;
  }
  std::array<uint64_t, NCHW_CONV_ADDR_LIST_SIZE> dst{};
  std::array<uint64_t, NCHW_CONV_ADDR_LIST_SIZE> src{};
  core->Issue(
      tilesim::isa::VectorReadRows{.list = simulator::Of(*core, dstLocal, "dst"), .name = "dst", .rows = dst},
      where);
  core->Issue(
      tilesim::isa::VectorReadRows{.list = simulator::Of(*core, srcLocal, "src"), .name = "src", .rows = src},
      where);
  TransDataTo5HD<T>(dst.data(), src.data(), nchwconvParams, where);
}

}  // namespace AscendC
