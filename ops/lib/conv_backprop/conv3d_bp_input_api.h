// Conv3DBackpropInput: the input gradient of a 3D convolution (a transposed convolution) on one cube core
// (spec: conv_backprop_api 4.2, tiling 5).
//
//   gradInput_.Init(&tiling.conv3DDxTiling);
//   gradInput_.SetWeight(weight[offsetB]);  gradInput_.SetGradOutput(dy[offsetA]);
//   gradInput_.SetSingleShape(m, k, n);  gradInput_.SetStartPosition(dinStart, hoStart);
//   while (gradInput_.Iterate()) { gradInput_.GetTensorC(dx[offsetC]); }
//   gradInput_.End();
//
// dx(m, n) = sum over dk and k of window(m, k) * weight(k, n): m runs over pixels of one depth plane of dx, k
// over (cout1, hk, wk, c0), n over input channels. Pixels that no tap reaches become 0. dx is in NDC1HWC0 or,
// by the format of GRAD_INPUT, in NCDHW. A call out of order is a fault that names the rule.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/conv_type.h"
#include "lib/conv_backprop/input_context.h"
#include "lib/conv_backprop/input_gradient.h"
#include "lib/conv_backprop/input_steps.h"
#include "lib/conv_backprop/input_weights.h"
#include "lib/conv_backprop/input_writer.h"
#include "tiling/conv_backprop/conv_common.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_weight_walk.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

template <class WEIGHT, class INPUTSIZE, class GRAD_OUTPUT, class GRAD_INPUT,
          const Conv3dConfig& CONFIG = CONV3D_CFG_DEFAULT>
class Conv3DBackpropInputWith {
 public:
  using SrcT = typename WEIGHT::T;
  using DstT = typename GRAD_INPUT::T;
  static constexpr Conv3dConfig conv3dConfig = CONFIG;
  static_assert(AscendC::IsSameType<SrcT, typename GRAD_OUTPUT::T>::value &&
                    AscendC::IsSameType<SrcT, DstT>::value,
                "Conv3DBackpropInput: WEIGHT, GRAD_OUTPUT and GRAD_INPUT have one type");
  static_assert(WEIGHT::format == ConvCommonApi::ConvFormat::FRACTAL_Z_3D &&
                    GRAD_OUTPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0,
                "Conv3DBackpropInput: WEIGHT is FRACTAL_Z_3D, GRAD_OUTPUT is NDC1HWC0");
  static_assert(GRAD_INPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 ||
                    GRAD_INPUT::format == ConvCommonApi::ConvFormat::NCDHW,
                "Conv3DBackpropInput: GRAD_INPUT is NDC1HWC0 or NCDHW");

  // With dx in NCDHW the product is turned: channels are its rows and pixels its columns, so that what leaves
  // L0C row by row is pixels of one channel. No vector core and no workspace is needed.
  static constexpr bool kTurned = GRAD_INPUT::format == ConvCommonApi::ConvFormat::NCDHW;

  InputContext<SrcT> ctx;

  __aicore__ inline void Init(const TConv3DBackpropInputTiling* __restrict tiling) {
    ascendc_assert(ctx.stage == Stage::kMade, "Init is to be called exactly once, before everything else");
    ascendc_assert(tiling != nullptr,
                   "Init: the tiling is a null pointer; pass the core's copy of conv3DDxTiling");
    ascendc_assert(tiling->stepM == 1 && tiling->stepN == 1, "Init: stepM and stepN are 1");
    ascendc_assert(
        conv3dConfig.loadB2Condition == LoadB2Condition::kAtLeastTaps ||
            conv3dConfig.loadB2Condition == LoadB2ConditionOf(*tiling),
        "Init: loadB2Condition of the configuration is not the tiling's: kOneTap is for hk * wk = 1, "
        "kBelowTaps for baseK < hk * wk * c0; kAtLeastTaps, the default, takes every tiling");
    ctx.tiling = tiling;
    ctx.stage = Stage::kReady;
    const uint32_t line = tiling->hk * tiling->wk * tiling->c0;  // K behind C0 output channels
    ascendc_assert(tiling->stepKa * tiling->baseK % line == 0 && tiling->stepKb * tiling->baseK % line == 0,
                   "Init: stepKa * baseK and stepKb * baseK are multiples of hk * wk * c0");
    const uint32_t larger = tiling->stepKa > tiling->stepKb ? tiling->stepKa : tiling->stepKb;
    const uint32_t smaller = tiling->stepKa > tiling->stepKb ? tiling->stepKb : tiling->stepKa;
    ascendc_assert(larger % smaller == 0, "Init: the smaller of stepKa and stepKb divides the larger");
    ctx.steps.Init(*tiling, kTurned);
    ctx.a1.Init(ctx.pipe, tiling->al1Pbuffer, static_cast<uint64_t>(ctx.steps.elements_a()));
    ctx.b1.Init(ctx.pipe, tiling->bl1Pbuffer, static_cast<uint64_t>(ctx.steps.l1().elements_b));
    ctx.pipe.InitBuffer(ctx.a2, static_cast<uint32_t>(L0Copies() * L0CopyBytes(ExtentA())));
    ctx.pipe.InitBuffer(ctx.b2, static_cast<uint32_t>(L0Copies() * L0CopyBytes(ExtentB())));
    ctx.pipe.InitBuffer(ctx.c1, static_cast<uint8_t>(tiling->cl0Pbuffer),
                        static_cast<uint32_t>(Ceil16(tiling->baseM) * Ceil16(tiling->baseN) * sizeof(float)));
    if (tiling->hf32Flag != 0) {
      AscendC::SetHF32Mode(true);
    }
  }

  // The filter, from the first line of cin1 that this core reads, depth 0.
  __aicore__ inline void SetWeight(const AscendC::GlobalTensor<SrcT>& weight) {
    RequireBetweenShapes();
    ctx.weight = weight;
    ctx.has_weight = true;
    ctx.b1.Clear();
  }

  // The gradient of the output, from the first row that this core reads, depth 0: row 0 or, if that is later,
  // the first at or behind curHoStartIdx.
  __aicore__ inline void SetGradOutput(const AscendC::GlobalTensor<SrcT>& gradOutput) {
    RequireBetweenShapes();
    ctx.grad_output = gradOutput;
    ctx.has_grad_output = true;
    ctx.a1.Clear();
  }

  // Elements: pixels of dx (whole rows), all of (dk, cout1, hk, wk, C0) and input channels, in this order.
  __aicore__ inline void SetSingleShape(uint64_t singleShapeM, uint64_t singleShapeK, uint32_t singleShapeN) {
    RequireBetweenShapes();
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const uint64_t taps = uint64_t{t.dk} * t.hk * t.wk;
    ascendc_assert(singleShapeM > 0 && singleShapeK > 0 && singleShapeN > 0,
                   "SetSingleShape: M, K and N are elements and more than 0; their order is M, K, N");
    ascendc_assert(singleShapeM % t.wi == 0,
                   "SetSingleShape: M is whole rows of dx, a multiple of wi; their order is M, K, N");
    ascendc_assert(singleShapeK % taps == 0,
                   "SetSingleShape: K is whole channels, a multiple of dk * hk * wk; their order is M, K, N");
    const uint64_t planes = (singleShapeK / taps + t.c0 - 1) / t.c0;
    ascendc_assert(t.group == 1 ? planes == t.cout1 : planes <= t.cout1G,
                   "SetSingleShape: K is dk * cout1 * hk * wk * c0, all of it: no core takes a part of K");
    const uint64_t lines = (uint64_t{singleShapeN} + t.c0 - 1) / t.c0;
    ascendc_assert(lines <= t.cin1G, "SetSingleShape: N is at most cin1G * c0; their order is M, K, N");
    ctx.single_rows = static_cast<int64_t>(singleShapeM / t.wi);
    ctx.single_lines = static_cast<int64_t>(lines);
    ctx.single_n = singleShapeN;
    ctx.planes = static_cast<int64_t>(planes);
  }

  // The depth plane of dx, and the position in the stride-expanded gradient that the first tap of its first
  // row sees: the row less backpropPadUp. The third is not the vendor's: the input channel, of all groups,
  // with which N begins. NCDHW needs it for parts of N where the last line or the last group is not full,
  // because channels that are not there have no room in it.
  __aicore__ inline void SetStartPosition(uint32_t curDinStartIdx, int32_t curHoStartIdx,
                                          int64_t curCinStartIdx = kCinNotStated) {
    RequireBetweenShapes();
    ctx.din = curDinStartIdx;
    ctx.ho_start = curHoStartIdx;
    ctx.cin_start = curCinStartIdx;
  }

  // Computes the next block of baseM x baseN; false when the single shape is finished.
  template <bool sync = true>
  __aicore__ inline bool Iterate(bool enPartialSum = false) {
    ascendc_assert(!enPartialSum, "Iterate: enPartialSum is reserved and must be false");
    if (ctx.isFirstIter_) {
      StartShape();
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

  // Stores the block to `output` (enAtomic 0) or adds it (1). `output` starts at this core's first pixel and
  // first line of cin1, depth 0.
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const AscendC::GlobalTensor<DstT>& output, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false) {
    ascendc_assert(ctx.stage == Stage::kBlock, "GetTensorC: only after an Iterate that gave true, and once");
    ascendc_assert(!enSequentialWrite, "GetTensorC: enSequentialWrite is reserved and must be false");
    ascendc_assert(enAtomic <= 1, "GetTensorC: enAtomic is 0 (store) or 1 (atomic add)");
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const int64_t line = ctx.steps.FirstLine(ctx.walk);
    const int64_t lines = ctx.steps.Lines(ctx.walk);
    const int64_t pixels = int64_t{t.hi} * t.wi;
    AscendC::LocalTensor<float> c = ctx.c1.template DeQue<float>();
    if (enAtomic == 1) {
      AscendC::SetAtomicAdd<DstT>();
    }
    if constexpr (kTurned) {
      const int64_t channels = Least(ctx.channels - line * kC0, lines * kC0);
      InputWriter<DstT>().WriteTurned(output[static_cast<uint64_t>((line * kC0 * t.di + ctx.din) * pixels)],
                                      c, ctx.walk.block(), channels, lines, t);
    } else {
      InputWriter<DstT>().Write(output[static_cast<uint64_t>((ctx.din * t.cin1 + line) * pixels * kC0)], c,
                                ctx.walk.block(), lines, t);
    }
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
  using Stage = typename InputContext<SrcT>::Stage;
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / sizeof(SrcT);

  static __aicore__ inline uint64_t Ceil16(uint64_t value) { return (value + 15) / 16 * 16; }

  // Setters come after Init and never between the blocks of a single shape.
  __aicore__ inline void RequireBetweenShapes() {
    ascendc_assert(ctx.stage != Stage::kMade, "call Init before the setters");
    ascendc_assert(ctx.stage != Stage::kEnded, "nothing can be set after End");
    ascendc_assert(
        ctx.stage == Stage::kReady || ctx.stage == Stage::kFinished,
        "setters are not allowed between the blocks of a single shape: go on until Iterate gives false");
  }

  __aicore__ inline void StartShape() {
    ascendc_assert(ctx.stage != Stage::kMade, "Iterate: call Init and the setters first");
    ascendc_assert(ctx.stage != Stage::kEnded, "Iterate: not after End");
    ascendc_assert(ctx.stage == Stage::kReady || ctx.stage == Stage::kFinished,
                   "Iterate: isFirstIter_ is true in the middle of a single shape; set it only after Iterate "
                   "gave false");
    ascendc_assert(ctx.has_weight && ctx.has_grad_output && ctx.single_rows > 0,
                   "Iterate: call SetWeight, SetGradOutput and SetSingleShape first");
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const int64_t pad_up = int64_t{t.hk - 1} * t.dilationH - t.padUp;
    const int64_t row = ctx.ho_start + pad_up;  // of dx
    ascendc_assert(row >= 0 && row + ctx.single_rows <= t.hi,
                   "Iterate: curHoStartIdx (the first row less backpropPadUp) and M of SetSingleShape pass "
                   "the rows of dx; clip M to whole rows left");
    ascendc_assert(ctx.din < t.di, "Iterate: curDinStartIdx passes the last depth plane of dx");
    CountChannels();
    InputShape shape = ShapeOf(t, ctx.ho_start, ctx.single_rows, ctx.single_lines,
                               conv3dConfig.enableKernelSplit && !kTurned);
    ctx.steps.Start(ctx.planes, ctx.single_lines, ctx.din);
    shape.limits.whole_fractals = kTurned;
    ctx.walk.Start(shape);
    const int64_t first_row = ctx.ho_start > 0 ? CeilOf(ctx.ho_start, t.strideH) : 0;
    ctx.gradient.Start(t, ctx.grad_output, first_row, shape.rows.stride / shape.rows.split,
                       shape.columns.stride / shape.columns.split);
    ctx.weights.Start(t, ctx.weight);
  }

  // Those of N that there are. NDC1HWC0 has room for whole lines of them.
  __aicore__ inline void CountChannels() {
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const int64_t cin = t.cin;
    if (ctx.cin_start != kCinNotStated) {
      ascendc_assert(ctx.cin_start >= 0 && ctx.cin_start < cin && ctx.cin_start % kC0 == 0,
                     "Iterate: curCinStartIdx is the first of a line of C0 channels, less than cin");
      ctx.channels = Least(ctx.single_n, cin - ctx.cin_start);
    } else if (t.group == 1 && ctx.single_lines == t.cin1) {
      ctx.channels = Least(ctx.single_n, cin);
    } else {
      const bool full = cin == int64_t{t.group} * t.cin1G * kC0;  // every line of every group
      ascendc_assert(
          !kTurned || full || ctx.single_n % kC0 != 0,
          "Iterate: with dx in NCDHW N in whole lines may pass the last channel and overwrite what "
          "follows; state the first channel of N as third argument of SetStartPosition");
      ctx.channels = ctx.single_n;
    }
    ascendc_assert((ctx.channels + kC0 - 1) / kC0 == ctx.single_lines,
                   "Iterate: N has whole lines behind the last channel; clip N of SetSingleShape");
  }

  // Copies of a block in L0A and L0B: two go in turn only where both operands have two.
  __aicore__ inline uint64_t L0Copies() const {
    return ctx.tiling->al0Pbuffer == 2 && ctx.tiling->bl0Pbuffer == 2 ? 2 : 1;
  }
  // What L0A and L0B hold of a block beside baseK.
  __aicore__ inline uint32_t ExtentA() const { return kTurned ? ctx.tiling->baseN : ctx.tiling->baseM; }
  __aicore__ inline uint32_t ExtentB() const { return kTurned ? ctx.tiling->baseM : ctx.tiling->baseN; }
  // Bytes of one copy of `extent` x baseK, whole fractals.
  __aicore__ inline uint64_t L0CopyBytes(uint32_t extent) const {
    return Ceil16(extent) * Ceil16(ctx.tiling->baseK) * sizeof(SrcT);
  }

  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void ComputeBlock() {
    AscendC::LocalTensor<float> c = ctx.c1.template AllocTensor<float>();
    InputStep step;
    if (ctx.steps.order().First(ctx.walk, step)) {
      bool init = true;
      do {
        AscendC::MarkTile("m", ctx.walk.m(), "n", ctx.walk.n(), "k", step.tap_d * ctx.planes + step.plane);
        ComputeStep(c, step, init);
        init = false;
      } while (ctx.steps.order().Next(step));
    } else {
      AscendC::MarkTile("m", ctx.walk.m(), "n", ctx.walk.n(), "k", 0);
      MakeZero(c);
    }
    ctx.c1.EnQue(c);
  }

  __aicore__ inline void ComputeStep(const AscendC::LocalTensor<float>& c, const InputStep& step, bool init) {
    const GradientTile tile_a = ctx.steps.TileA(step);
    const WeightTile tile_b = ctx.steps.TileB(step);
    const bool new_a = !ctx.a1.InUse(tile_a);
    const bool new_b = !ctx.b1.InUse(tile_b);
    const auto load_a = [&](const GradientTile& tile) {
      return [this, &tile](const AscendC::LocalTensor<SrcT>& dst, int32_t buffer) {
        ctx.gradient.Load(dst, buffer, tile);
      };
    };
    const auto load_b = [&](const WeightTile& tile) {
      return [this, &tile](const AscendC::LocalTensor<SrcT>& dst, int32_t) { ctx.weights.Load(dst, tile); };
    };
    ctx.a1.Place(tile_a, load_a(tile_a));
    ctx.b1.Place(tile_b, load_b(tile_b));
    if (new_a) {
      BringNext(
          ctx.a1, step, tile_a, [this](const InputStep& next) { return ctx.steps.TileA(next); }, load_a);
    }
    if (new_b) {
      BringNext(
          ctx.b1, step, tile_b, [this](const InputStep& next) { return ctx.steps.TileB(next); }, load_b);
    }
    const AscendC::LocalTensor<SrcT>& a1 = ctx.a1.Take();
    const AscendC::LocalTensor<SrcT>& b1 = ctx.b1.Take();
    const InputBlock& block = ctx.walk.block();
    const int64_t line = tile_b.taps() * kC0;  // K behind one plane
    const int64_t k_end = ctx.steps.Planes(step) * line;
    const int64_t piece = PieceOfK(k_end, ctx.tiling->baseK, kC0);
    for (int64_t k = 0; k < k_end; k += piece) {
      const int64_t k_length = Least(piece, k_end - k);
      Multiply(c, k_length, init && k == 0, [&](const auto& a2, const auto& b2) {
        const int64_t k_in_a1 = (step.plane - tile_a.plane) * line + k;
        const int64_t k_in_b1 = (step.plane - tile_b.plane) * line + k;
        if constexpr (kTurned) {
          ctx.weights.LoadReversedRows(a2, b1, tile_b, k_in_b1, k_length);
          ctx.gradient.LoadPixels(b2, a1, tile_a, block, k_in_a1, k_length);
        } else {
          ctx.gradient.LoadWindows(a2, a1, tile_a, block, step.rows, step.columns, k_in_a1, k_length);
          ctx.weights.LoadReversed(b2, b1, tile_b, k_in_b1, k_length);
        }
      });
    }
  }

  // Brings the tile that the operand takes after this one into its other buffer.
  template <class Tiles, class Tile, class TileOf, class Load>
  __aicore__ inline void BringNext(Tiles& tiles, const InputStep& step, const Tile& tile,
                                   const TileOf& tile_of, const Load& load) {
    if (!tiles.CanBring()) {
      return;
    }
    const int64_t steps = ctx.steps.order().StepsOfTile();
    InputStep next = step;
    for (int64_t i = 0; i < steps && ctx.steps.order().NextAnywhere(next); ++i) {
      const Tile next_tile = tile_of(next);
      if (!(next_tile == tile)) {
        tiles.Bring(next_tile, load(next_tile));
        return;
      }
    }
  }

  // Zeros for a block that nothing reaches.
  __aicore__ inline void MakeZero(const AscendC::LocalTensor<float>& c) {
    Multiply(c, kC0, true, [this](const auto& a2, const auto& b2) {
      const auto rows = static_cast<uint16_t>(Ceil16(RowsOfBlock()) / 16);
      const auto columns = static_cast<uint16_t>(Ceil16(ColumnsOfBlock()) / 16);
      AscendC::InitConstValue(a2, AscendC::InitConstValueParams<SrcT>(1, rows, 0, SrcT(0)));
      AscendC::InitConstValue(b2, AscendC::InitConstValueParams<SrcT>(1, columns, 0, SrcT(0)));
    });
  }

  // Of the product of the block in hand.
  __aicore__ inline uint64_t RowsOfBlock() const {
    return static_cast<uint64_t>(kTurned ? ctx.steps.Lines(ctx.walk) * kC0 : ctx.walk.block().pixels);
  }
  __aicore__ inline uint64_t ColumnsOfBlock() const {
    return static_cast<uint64_t>(kTurned ? ctx.walk.block().pixels : ctx.steps.Lines(ctx.walk) * kC0);
  }

  // c = or += a2 * b2 of the block in hand, after `load(a2, b2)` has filled one half of L0A and of L0B.
  template <class Load>
  __aicore__ inline void Multiply(const AscendC::LocalTensor<float>& c, int64_t k_length, bool init,
                                  Load&& load) {
    const AscendC::LocalTensor<SrcT> a2 =
        ctx.a2
            .template Get<SrcT>()[static_cast<uint32_t>(ctx.l0_half * L0CopyBytes(ExtentA()) / sizeof(SrcT))];
    const AscendC::LocalTensor<SrcT> b2 =
        ctx.b2
            .template Get<SrcT>()[static_cast<uint32_t>(ctx.l0_half * L0CopyBytes(ExtentB()) / sizeof(SrcT))];
    AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(ctx.l0_half));
    load(a2, b2);
    AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(ctx.l0_half));
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(static_cast<int32_t>(ctx.l0_half));
    const uint64_t m = RowsOfBlock();
    const uint64_t n = ColumnsOfBlock();
    AscendC::MmadParams params;
    params.m = static_cast<uint16_t>(m == 1 ? 2 : m);  // with m = 1 A would be taken for a vector
    params.n = static_cast<uint16_t>(n);
    params.k = static_cast<uint16_t>(k_length);
    params.cmatrixInitVal = init;
    if (!init && Ceil16(m) * Ceil16(n) < 10 * 256) {
      AscendC::PipeBarrier<PIPE_M>();  // the cube orders accumulation by itself from 10 fractals on
    }
    AscendC::MmadImpl(c, a2, b2, params);
    AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(static_cast<int32_t>(ctx.l0_half));
    ctx.l0_half = L0Copies() == 2 ? 1 - ctx.l0_half : 0;
  }
};

// The documented object: its configuration is the default one.
template <class WEIGHT, class INPUTSIZE, class GRAD_OUTPUT, class GRAD_INPUT>
using Conv3DBackpropInput = Conv3DBackpropInputWith<WEIGHT, INPUTSIZE, GRAD_OUTPUT, GRAD_INPUT>;

}  // namespace ConvBackpropApi
