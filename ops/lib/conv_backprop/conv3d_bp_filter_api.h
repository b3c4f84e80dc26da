// Conv3DBackpropFilter: the weight gradient of a 3D convolution on one cube core (spec:
// conv_backprop_api 4.1).
//
//   gradWeight_.Init(&tiling.dwTiling);
//   gradWeight_.SetInput(x[offsetB]);  gradWeight_.SetGradOutput(dy[offsetA]);
//   gradWeight_.SetSingleShape(m, n, k);  gradWeight_.SetStartPosition(hoStart);
//   while (gradWeight_.Iterate()) { gradWeight_.GetTensorC(dw[offsetC]); }
//   gradWeight_.End();
//
// dw(m, n) += sum over k of gradOutput(m, k) * window(k, n): m runs over output channels, k over output
// pixels of one depth plane, n over (cin1, hk, wk, c0). A call out of order is a fault that names the rule.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/conv_type.h"
#include "lib/conv_backprop/filter_blocks.h"
#include "lib/conv_backprop/filter_l1_tiles.h"

namespace ConvBackpropApi {

// What a tile program may look at between calls. `isFirstIter_` is to be set true after each finished single
// shape.
template <class SrcT>
struct FilterContext {
  bool isFirstIter_ = true;

  enum class Stage : uint8_t { kMade, kReady, kBlock, kWritten, kFinished, kEnded };
  Stage stage = Stage::kMade;
  const TConv3DBpFilterTiling* tiling = nullptr;
  AscendC::GlobalTensor<SrcT> input;
  AscendC::GlobalTensor<SrcT> grad_output;
  bool has_input = false;
  bool has_grad_output = false;
  uint64_t single_m = 0;  // elements; a multiple of C0
  uint64_t single_n = 0;
  uint64_t single_k = 0;
  int64_t ho_start = 0;
  FilterBlockWalk walk;
  uint32_t k_count = 0;  // blocks of baseK
  uint32_t l0_half = 0;

  AscendC::TPipe pipe;
  FilterL1Tiles<SrcT, AscendC::TPosition::A1, FilterPlaceA> a1;
  FilterL1Tiles<SrcT, AscendC::TPosition::B1, FilterPlaceB> b1;
  AscendC::TBuf<AscendC::TPosition::A2> a2;
  AscendC::TBuf<AscendC::TPosition::B2> b2;
  AscendC::TQue<AscendC::TPosition::CO1, 1> c1;
};

template <class INPUT, class WEIGHTSIZE, class GRAD_OUTPUT, class GRAD_WEIGHT>
class Conv3DBackpropFilter {
 public:
  using SrcT = typename INPUT::T;
  using DstT = typename GRAD_WEIGHT::T;
  static_assert(AscendC::IsSameType<SrcT, typename GRAD_OUTPUT::T>::value,
                "Conv3DBackpropFilter: INPUT and GRAD_OUTPUT have one type");
  static_assert(AscendC::IsSameType<DstT, float>::value, "Conv3DBackpropFilter: GRAD_WEIGHT is float");
  static_assert(INPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 &&
                    GRAD_OUTPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 &&
                    GRAD_WEIGHT::format == ConvCommonApi::ConvFormat::FRACTAL_Z_3D,
                "Conv3DBackpropFilter: INPUT and GRAD_OUTPUT are NDC1HWC0, GRAD_WEIGHT is FRACTAL_Z_3D");

  FilterContext<SrcT> ctx;

  __aicore__ inline void Init(const TConv3DBpFilterTiling* __restrict tiling) {
    ascendc_assert(ctx.stage == Stage::kMade, "Init is to be called exactly once, before everything else");
    ascendc_assert(tiling != nullptr, "Init: the tiling is a null pointer; pass the core's copy of dwTiling");
    ctx.tiling = tiling;
    ctx.stage = Stage::kReady;
    const uint64_t a1 = uint64_t{tiling->stepM} * tiling->baseM * tiling->stepKa * tiling->baseK;
    ctx.a1.Init(ctx.pipe, tiling->al1Pbuffer, a1);
    ctx.b1.Init(ctx.pipe, tiling->bl1Pbuffer, tiling->bl1Bound);
    ctx.pipe.InitBuffer(ctx.a2, static_cast<uint32_t>(L0Copies() * L0CopyBytes(tiling->baseM)));
    ctx.pipe.InitBuffer(ctx.b2, static_cast<uint32_t>(L0Copies() * L0CopyBytes(tiling->baseN)));
    ctx.pipe.InitBuffer(ctx.c1, static_cast<uint8_t>(tiling->cl0Pbuffer),
                        tiling->baseM * tiling->baseN * static_cast<uint32_t>(sizeof(float)));
    if (tiling->hf32Flag != 0) {
      AscendC::SetHF32Mode(true);
    }
  }

  // The feature map, from the first row, channel and depth this core reads.
  __aicore__ inline void SetInput(const AscendC::GlobalTensor<SrcT>& input) {
    RequireBetweenShapes();
    ctx.input = input;
    ctx.has_input = true;
  }

  // The gradient of the output, from the first row and channel this core reads.
  __aicore__ inline void SetGradOutput(const AscendC::GlobalTensor<SrcT>& gradOutput) {
    RequireBetweenShapes();
    ctx.grad_output = gradOutput;
    ctx.has_grad_output = true;
  }

  // Elements: output channels, (cin1, hk, wk, C0) and output pixels (whole rows) of this core, in this order.
  __aicore__ inline void SetSingleShape(uint64_t singleCoreM, uint64_t singleCoreN, uint64_t singleCoreK) {
    RequireBetweenShapes();
    const uint64_t c0 = ctx.tiling->channelSize;
    const uint64_t line = uint64_t{ctx.tiling->hk} * ctx.tiling->wk * c0;
    ascendc_assert(singleCoreM > 0 && singleCoreN > 0 && singleCoreK > 0,
                   "SetSingleShape: M, N and K are elements and more than 0; their order is M, N, K");
    ascendc_assert(singleCoreK % ctx.tiling->wo == 0,
                   "SetSingleShape: K is whole output rows, a multiple of wo; their order is M, N, K");
    ctx.single_m = (singleCoreM + c0 - 1) / c0 * c0;
    ctx.single_n = (singleCoreN + line - 1) / line * line;
    ctx.single_k = singleCoreK;
  }

  // The first output row of this core.
  __aicore__ inline void SetStartPosition(uint32_t hoStartIdx) {
    RequireBetweenShapes();
    ctx.ho_start = hoStartIdx;
  }

  // Computes the next block of baseM x baseN; false when the single shape is finished.
  template <bool sync = true>
  __aicore__ inline bool Iterate(bool enPartialSum = false) {
    ascendc_assert(!enPartialSum, "Iterate: enPartialSum is reserved and must be false");
    if (ctx.isFirstIter_) {
      Start();
    } else {
      ascendc_assert(
          ctx.stage != Stage::kFinished,
          "Iterate: this single shape is finished; set ctx.isFirstIter_ = true before the next one");
      ascendc_assert(ctx.stage == Stage::kWritten,
                     "Iterate: call GetTensorC after each Iterate that gives true");
      if (!ctx.walk.Next()) {
        ctx.stage = Stage::kFinished;
        return false;
      }
    }
    ComputeBlock();
    ctx.stage = Stage::kBlock;
    return true;
  }

  // Adds the block to `output` (enAtomic 1, so the output must hold zeros or earlier sums) or stores it (0).
  // `output` starts at this core's first output channel and first (cin1, hk, wk).
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const AscendC::GlobalTensor<DstT>& output, uint8_t enAtomic = 1,
                                    bool enSequentialWrite = false) {
    ascendc_assert(ctx.stage == Stage::kBlock, "GetTensorC: only after an Iterate that gave true, and once");
    ascendc_assert(!enSequentialWrite, "GetTensorC: enSequentialWrite is reserved and must be false");
    ascendc_assert(enAtomic <= 1, "GetTensorC: enAtomic is 0 (store) or 1 (atomic add)");
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t cout_g = uint64_t{tiling.cout1G} * c0;
    const uint64_t offset =
        uint64_t{ctx.walk.n} * tiling.baseN * cout_g + uint64_t{ctx.walk.m} * tiling.baseM * c0;
    AscendC::LocalTensor<float> c = ctx.c1.template DeQue<float>();
    AscendC::FixpipeParamsV220 params(
        static_cast<uint16_t>(BlockN()), static_cast<uint16_t>(BlockM()),
        static_cast<uint16_t>(Ceil16(BlockM())),
        static_cast<uint32_t>(cout_g * c0 * sizeof(DstT) / AscendC::ONE_BLK_SIZE), false);
    params.isChannelSplit = c0 == 8;
    if (enAtomic == 1) {
      AscendC::SetAtomicAdd<DstT>();
    }
    AscendC::Fixpipe<DstT, float, AscendC::CFG_NZ>(output[offset], c, params);
    if (enAtomic == 1) {
      AscendC::SetAtomicNone();
    }
    ctx.c1.FreeTensor(c);
    ctx.isFirstIter_ = false;
    ctx.stage = Stage::kWritten;
  }

  // Releases buffers and events.
  __aicore__ inline void End() {
    ascendc_assert(ctx.stage != Stage::kMade && ctx.stage != Stage::kEnded, "End: once, after Init");
    ascendc_assert(
        ctx.stage == Stage::kReady || ctx.stage == Stage::kFinished,
        "End: a single shape is not finished; go on with Iterate and GetTensorC until Iterate gives false");
    ctx.a1.End();
    ctx.b1.End();
    ctx.c1.FreeAllEvent();
    ctx.pipe.Destroy();
    if (ctx.tiling->hf32Flag != 0) {
      AscendC::SetHF32Mode(false);
    }
    ctx.stage = Stage::kEnded;
  }

 private:
  using Stage = typename FilterContext<SrcT>::Stage;

  static __aicore__ inline uint64_t Ceil16(uint64_t value) { return (value + 15) / 16 * 16; }
  static __aicore__ inline uint32_t Blocks(uint64_t whole, uint32_t part) {
    return static_cast<uint32_t>((whole + part - 1) / part);
  }
  static __aicore__ inline uint64_t Rest(uint64_t whole, uint64_t part, uint64_t index) {
    const uint64_t left = whole - index * part;
    return left < part ? left : part;
  }
  __aicore__ inline uint64_t BlockM() const { return Rest(ctx.single_m, ctx.tiling->baseM, ctx.walk.m); }
  __aicore__ inline uint64_t BlockN() const { return Rest(ctx.single_n, ctx.tiling->baseN, ctx.walk.n); }

  // Setters come after Init and never between the blocks of a single shape.
  __aicore__ inline void RequireBetweenShapes() {
    ascendc_assert(ctx.stage != Stage::kMade, "call Init before the setters");
    ascendc_assert(ctx.stage != Stage::kEnded, "nothing can be set after End");
    ascendc_assert(
        ctx.stage == Stage::kReady || ctx.stage == Stage::kFinished,
        "setters are not allowed between the blocks of a single shape: go on until Iterate gives false");
  }

  __aicore__ inline void Start() {
    ascendc_assert(ctx.stage != Stage::kMade, "Iterate: call Init and the setters first");
    ascendc_assert(ctx.stage != Stage::kEnded, "Iterate: not after End");
    ascendc_assert(ctx.stage == Stage::kReady || ctx.stage == Stage::kFinished,
                   "Iterate: isFirstIter_ is true in the middle of a single shape; set it only after Iterate "
                   "gave false");
    ascendc_assert(ctx.has_input && ctx.has_grad_output && ctx.single_m > 0,
                   "Iterate: call SetInput, SetGradOutput and SetSingleShape first");
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    ascendc_assert(
        static_cast<uint64_t>(ctx.ho_start) * tiling.wo + ctx.single_k <= uint64_t{tiling.ho} * tiling.wo,
        "Iterate: hoStartIdx and K of SetSingleShape pass the last output row; clip K to whole rows left");
    ctx.walk = {.m_count = Blocks(ctx.single_m, tiling.baseM),
                .n_count = Blocks(ctx.single_n, tiling.baseN),
                .step_m = tiling.stepM,
                .step_n = tiling.stepN,
                .order_n = tiling.iterateOrder == 1};
    ctx.k_count = Blocks(ctx.single_k, tiling.baseK);
  }

  // Copies of a block in L0A and L0B: two go in turn only where both operands have two.
  __aicore__ inline uint64_t L0Copies() const {
    return ctx.tiling->al0Pbuffer == 2 && ctx.tiling->bl0Pbuffer == 2 ? 2 : 1;
  }
  // Bytes of one copy of `extent` x baseK, whole fractals.
  __aicore__ inline uint64_t L0CopyBytes(uint32_t extent) const {
    return Ceil16(extent) * Ceil16(ctx.tiling->baseK) * sizeof(SrcT);
  }

  // Does all of K stand in L1 at once? Then a tile stays until its step in M (A) or N (B) is left.
  __aicore__ inline bool KeepA() const { return ctx.k_count <= ctx.tiling->stepKa * ctx.tiling->al1Pbuffer; }
  __aicore__ inline bool KeepB() const { return ctx.k_count <= ctx.tiling->stepKb * ctx.tiling->bl1Pbuffer; }

  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void ComputeBlock() {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    FilterBlockWalk next = ctx.walk;
    const bool more = next.Next();
    AscendC::LocalTensor<float> c = ctx.c1.template AllocTensor<float>();
    for (uint32_t k = 0; k < ctx.k_count; ++k) {
      AscendC::MarkTile("m", ctx.walk.m, "n", ctx.walk.n, "k", k);
      const bool last = k + 1 == ctx.k_count;
      ComputeK(c, k, next, more);
      if (!KeepA() && (last || (k + 1) % tiling.stepKa == 0)) {
        ctx.a1.FreeOldest();
      }
      if (!KeepB() && (last || (k + 1) % tiling.stepKb == 0)) {
        ctx.b1.FreeOldest();
      }
    }
    ctx.c1.EnQue(c);
    if (KeepA() && (!more || next.m_step() != ctx.walk.m_step())) {
      ctx.a1.FreeStep(ctx.walk.m_step());
    }
    if (KeepB() && (!more || next.n_step() != ctx.walk.n_step())) {
      ctx.b1.FreeStep(ctx.walk.n_step());
    }
  }

  // Brings the tiles that follow those of step k into free buffers: the next along K, or the next block's
  // first.
  __aicore__ inline void BringNext(uint32_t k, const FilterBlockWalk& next, bool more) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const auto bring = [&](auto& side, uint32_t step_k, uint32_t now_step, uint32_t next_step, bool keep,
                           auto&& load) {
      if (k % step_k != 0) {
        return;
      }
      const uint32_t k_step = k / step_k + 1;
      if (k_step * step_k < ctx.k_count) {
        side.Bring(now_step, k_step, [&](const auto& dst) { return load(dst, now_step, k_step); });
      } else if (more && !(keep && next_step == now_step)) {
        side.Bring(next_step, 0, [&](const auto& dst) { return load(dst, next_step, 0); });
      }
    };
    bring(ctx.a1, tiling.stepKa, ctx.walk.m_step(), next.m_step(), KeepA(),
          [&](const auto& dst, uint32_t m_step, uint32_t k_step) { return LoadA1(dst, m_step, k_step); });
    bring(ctx.b1, tiling.stepKb, ctx.walk.n_step(), next.n_step(), KeepB(),
          [&](const auto& dst, uint32_t n_step, uint32_t k_step) { return LoadB1(dst, n_step, k_step); });
  }

  __aicore__ inline void ComputeK(const AscendC::LocalTensor<float>& c, uint32_t k,
                                  const FilterBlockWalk& next, bool more) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const uint64_t k_len = Rest(ctx.single_k, tiling.baseK, k);
    const auto& a1 =
        ctx.a1.Need(ctx.walk.m_step(), k / tiling.stepKa, [&](const AscendC::LocalTensor<SrcT>& dst) {
          return LoadA1(dst, ctx.walk.m_step(), k / tiling.stepKa);
        });
    const auto& b1 =
        ctx.b1.Need(ctx.walk.n_step(), k / tiling.stepKb, [&](const AscendC::LocalTensor<SrcT>& dst) {
          return LoadB1(dst, ctx.walk.n_step(), k / tiling.stepKb);
        });
    BringNext(k, next, more);
    const AscendC::LocalTensor<SrcT> a2 = ctx.a2.template Get<SrcT>()[static_cast<uint32_t>(
        ctx.l0_half * L0CopyBytes(tiling.baseM) / sizeof(SrcT))];
    const AscendC::LocalTensor<SrcT> b2 = ctx.b2.template Get<SrcT>()[static_cast<uint32_t>(
        ctx.l0_half * L0CopyBytes(tiling.baseN) / sizeof(SrcT))];
    AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(ctx.l0_half));
    LoadA2(a2, a1.tensor, a1.place, k, k_len);
    LoadB2(b2, b1.tensor, b1.place, k, k_len);
    AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(ctx.l0_half));
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(ctx.l0_half));
    const uint64_t m = BlockM();
    const uint64_t n = BlockN();
    AscendC::MmadParams params;
    params.m = static_cast<uint16_t>(m);
    params.n = static_cast<uint16_t>(n);
    params.k = static_cast<uint16_t>(k_len);
    params.cmatrixInitVal = k == 0;
    params.kDirectionAlign = sizeof(SrcT) == 4;
    if (k > 0 && Ceil16(m) * Ceil16(n) < 10 * 256) {
      AscendC::PipeBarrier<PIPE_M>();  // the cube orders accumulation by itself from 10 fractals on
    }
    AscendC::MmadImpl(c, a2, b2, params);
    AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(ctx.l0_half));
    ctx.l0_half = L0Copies() == 2 ? 1 - ctx.l0_half : 0;
  }

  __aicore__ inline FilterPlaceA LoadA1(const AscendC::LocalTensor<SrcT>& dst, uint32_t m_step_index,
                                        uint32_t k_step) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t plane = uint64_t{tiling.ho} * tiling.wo;
    const uint64_t step_m = uint64_t{tiling.stepM} * tiling.baseM;
    const uint64_t step_k = uint64_t{tiling.stepKa} * tiling.baseK;
    const uint64_t pixels = Rest(ctx.single_k, step_k, k_step);
    const uint64_t planes = Rest(ctx.single_m, step_m, m_step_index) / c0;
    const uint64_t first_plane = m_step_index * step_m / c0;
    CopyRuns(dst, ctx.grad_output[(first_plane * plane + k_step * step_k) * c0], planes, pixels, plane);
    return {.pixels = static_cast<uint32_t>(pixels)};
  }

  __aicore__ inline FilterPlaceB LoadB1(const AscendC::LocalTensor<SrcT>& dst, uint32_t n_step_index,
                                        uint32_t k_step) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t window = uint64_t{tiling.hk} * tiling.wk * c0;  // columns of one line
    const uint64_t step_n = uint64_t{tiling.stepN} * tiling.baseN;
    const uint64_t step_k = uint64_t{tiling.stepKb} * tiling.baseK;
    const uint64_t first_n = n_step_index * step_n;
    const uint64_t last_n = first_n + Rest(ctx.single_n, step_n, n_step_index) - 1;
    const uint64_t first_k = k_step * step_k;
    const uint64_t last_k = first_k + Rest(ctx.single_k, step_k, k_step) - 1;
    FilterPlaceB place;
    place.first_line = static_cast<uint32_t>(first_n / window);
    place.lines = static_cast<uint32_t>(last_n / window) - place.first_line + 1;
    place.first_ho = static_cast<uint32_t>(first_k / tiling.wo);
    const FilterRows rows =
        RowsBehind(tiling, ctx.ho_start, place.first_ho, static_cast<int64_t>(last_k / tiling.wo));
    place.rows = static_cast<uint16_t>(rows.count);
    place.pad_top = static_cast<uint8_t>(rows.pad_top);
    place.pad_bottom = static_cast<uint8_t>(rows.pad_bottom);
    const uint64_t plane = uint64_t{tiling.hi} * tiling.wi;
    const uint64_t start = place.first_line * plane + static_cast<uint64_t>(rows.first) * tiling.wi;
    CopyRuns(dst, ctx.input[start * c0], place.lines, static_cast<uint64_t>(rows.count) * tiling.wi, plane);
    return place;
  }

  // gradOutput as a 1 x pixels image under a 1 x 1 filter, transposed: (m, k) in L0A.
  __aicore__ inline void LoadA2(const AscendC::LocalTensor<SrcT>& a2, const AscendC::LocalTensor<SrcT>& a1,
                                const FilterPlaceA& place, uint32_t k, uint64_t k_len) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    AscendC::LoadData3DParamsV2<SrcT> params;
    params.l1H = 1;
    params.l1W = static_cast<uint16_t>(place.pixels);
    params.channelSize =
        static_cast<uint16_t>(Rest(ctx.single_m, uint64_t{tiling.stepM} * tiling.baseM, ctx.walk.m_step()));
    params.kExtension = static_cast<uint16_t>(BlockM());
    params.kStartPt = static_cast<uint16_t>((ctx.walk.m % tiling.stepM) * tiling.baseM);
    params.mExtension = static_cast<uint16_t>(Ceil16(k_len));
    params.mStartPt = static_cast<uint16_t>((k % tiling.stepKa) * tiling.baseK);
    params.enTranspose = true;
    AscendC::LoadData(a2, a1, params);
  }

  // The windows of the feature map: (k, n) in L0B.
  __aicore__ inline void LoadB2(const AscendC::LocalTensor<SrcT>& b2, const AscendC::LocalTensor<SrcT>& b1,
                                const FilterPlaceB& place, uint32_t k, uint64_t k_len) {
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t window = uint64_t{tiling.hk} * tiling.wk * c0;
    const uint8_t pads[AscendC::PAD_SIZE] = {static_cast<uint8_t>(tiling.padLeft),
                                             static_cast<uint8_t>(tiling.padRight), place.pad_top,
                                             place.pad_bottom};
    AscendC::SetFmatrix(place.rows, static_cast<uint16_t>(tiling.wi), pads,
                        AscendC::FmatrixMode::FMATRIX_RIGHT);
    AscendC::LoadData3DParamsV2<SrcT> params;
    params.channelSize = static_cast<uint16_t>(place.lines * c0);
    params.l1H = place.rows;
    params.l1W = static_cast<uint16_t>(tiling.wi);
    params.kExtension = static_cast<uint16_t>(BlockN());
    params.kStartPt = static_cast<uint16_t>(uint64_t{ctx.walk.n} * tiling.baseN - place.first_line * window);
    params.mExtension = static_cast<uint16_t>(Ceil16(k_len));
    params.mStartPt =
        static_cast<uint16_t>(uint64_t{k} * tiling.baseK - uint64_t{place.first_ho} * tiling.wo);
    params.strideW = static_cast<uint8_t>(tiling.strideW);
    params.strideH = static_cast<uint8_t>(tiling.strideH);
    params.filterW = static_cast<uint8_t>(tiling.wk > 255 ? tiling.wk - 256 : tiling.wk);
    params.filterH = static_cast<uint8_t>(tiling.hk > 255 ? tiling.hk - 256 : tiling.hk);
    params.filterSizeW = tiling.wk > 255;
    params.filterSizeH = tiling.hk > 255;
    params.dilationFilterW = static_cast<uint8_t>(tiling.dilationW);
    params.dilationFilterH = static_cast<uint8_t>(tiling.dilationH);
    params.fMatrixCtrl = true;
    static constexpr AscendC::IsResetLoad3dConfig kKeepFmatrix = {false, true};
    AscendC::LoadData<SrcT, kKeepFmatrix>(b2, b1, params);
  }
};

}  // namespace ConvBackpropApi
