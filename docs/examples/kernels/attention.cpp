// O = softmax(Q * K^T / 8) * V of 256 keys in 64 dimensions: Q and O queries x 64, K and V 256 x 64, all half
// but O, which is float, row-major in GM; queries: a multiple of 64. The cube core of a block makes the
// products, its two vector cores the softmax of 32 rows each; scores and weights go through `workspace`: 2 *
// 64 * 256 floats and as many halves a block.
#include "kernel_operator.h"

namespace attention_tile {
constexpr uint32_t kRows = 64, kKeys = 256, kDim = 64, kFractal = 256;
constexpr uint16_t kScored = 0, kWeighted = 1;  // flags between the cores: scores are there; weights are

__aicore__ inline __gm__ float* Scores(GM_ADDR workspace, uint32_t tile) {
  return reinterpret_cast<__gm__ float*>(workspace) + tile % 2 * kRows * kKeys;
}
__aicore__ inline __gm__ half* Weights(GM_ADDR workspace, uint32_t tile) {
  return reinterpret_cast<__gm__ half*>(reinterpret_cast<__gm__ float*>(workspace) + 2 * kRows * kKeys) +
         tile % 2 * kRows * kKeys;
}
constexpr uint64_t kWorkspaceBytes = 2 * kRows * kKeys * (sizeof(float) + sizeof(half));
}  // namespace attention_tile

// Scores of the next tile are made before the weights of this one are needed, so that both kinds of core
// work.
class AttentionProducts {
 public:
  __aicore__ inline void Process(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR o, GM_ADDR workspace,
                                 uint32_t begin, uint32_t end) {
    using namespace attention_tile;
    workspace_ = workspace;
    q_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(q));
    o_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(o));
    pipe_.InitBuffer(a1_, 2, kRows * kKeys * sizeof(half));
    pipe_.InitBuffer(k1_, 1, kKeys * kDim * sizeof(half));
    pipe_.InitBuffer(v1_, 1, kKeys * kDim * sizeof(half));
    pipe_.InitBuffer(a2_, 1, kRows * kKeys * sizeof(half));
    pipe_.InitBuffer(b2_, 2, kKeys * kDim * sizeof(half));
    pipe_.InitBuffer(co1_, 1, kRows * kKeys * sizeof(float));
    AscendC::GlobalTensor<half> keys, values;
    keys.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(k), kKeys * kDim);
    values.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(v), kKeys * kDim);
    CopyIn(k1_, keys, kKeys, kDim);
    CopyIn(v1_, values, kKeys, kDim);
    k_in_l1_ = k1_.DeQue<half>();
    v_in_l1_ = v1_.DeQue<half>();
    if (begin < end) {
      Score(begin);
    }
    for (uint32_t tile = begin; tile < end; ++tile) {
      if (tile + 1 < end) {
        Score(tile + 1);
      }
      Output(tile);
    }
    k1_.FreeTensor(k_in_l1_);
    v1_.FreeTensor(v_in_l1_);
  }

 private:
  // 64 rows of Q * K^T into the workspace.
  __aicore__ inline void Score(uint32_t tile) {
    using namespace attention_tile;
    CopyIn(a1_, q_[static_cast<uint64_t>(tile) * kRows * kDim], kRows, kDim);
    LoadA(kDim);
    auto b2 = b2_.AllocTensor<half>();
    // K is row-major: its rows are the columns of K^T, strip by strip
    AscendC::LoadData(b2, k_in_l1_, AscendC::LoadData2DParams(0, kKeys / 16 * kDim / 16, 1, 0, 0, false, 0));
    b2_.EnQue(b2);
    AscendC::GlobalTensor<float> scores;
    scores.SetGlobalBuffer(attention_tile::Scores(workspace_, tile), kRows * kKeys);
    Multiply(scores, kKeys, kDim);
    AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kScored);
  }
  // 64 rows of the weights * V.
  __aicore__ inline void Output(uint32_t tile) {
    using namespace attention_tile;
#ifndef FORGET_TO_WAIT_FOR_THE_WEIGHTS
    AscendC::CrossCoreWaitFlag(kWeighted);
#endif
    AscendC::GlobalTensor<half> weights;
    weights.SetGlobalBuffer(attention_tile::Weights(workspace_, tile), kRows * kKeys);
    CopyIn(a1_, weights, kRows, kKeys);
    LoadA(kKeys);
    auto b2 = b2_.AllocTensor<half>();
    for (uint16_t i = 0; i < kKeys / 16; ++i) {  // a row of fractals, one from each strip, each transposed
      AscendC::LoadData(b2[i * kDim / 16 * kFractal], v_in_l1_,
                        AscendC::LoadData2DParams(i, kDim / 16, kKeys / 16, 0, 0, true, 0));
    }
    b2_.EnQue(b2);
    Multiply(o_[static_cast<uint64_t>(tile) * kRows * kDim], kDim, kKeys);
  }
  // GM row-major to L1 NZ: strips of 16 columns, one below the other.
  template <class Queue>
  __aicore__ inline void CopyIn(Queue& queue, const AscendC::GlobalTensor<half>& src, uint16_t rows,
                                uint16_t columns) {
    auto dst = queue.template AllocTensor<half>();
    AscendC::DataCopy(dst, src, AscendC::Nd2NzParams(1, rows, columns, 0, columns, rows, 1, 0));
    queue.EnQue(dst);
  }
  __aicore__ inline void LoadA(uint16_t k) {
    using namespace attention_tile;
    auto a1 = a1_.DeQue<half>();
    auto a2 = a2_.AllocTensor<half>();
    for (uint16_t i = 0; i < kRows / 16; ++i) {
      AscendC::LoadData(
          a2[i * k / 16 * kFractal], a1,
          AscendC::LoadData2DParams(i, static_cast<uint8_t>(k / 16), kRows / 16, 0, 0, false, 0));
    }
    a2_.EnQue(a2);
    a1_.FreeTensor(a1);
  }
  __aicore__ inline void Multiply(const AscendC::GlobalTensor<float>& to, uint16_t n, uint16_t k) {
    using namespace attention_tile;
    auto a2 = a2_.DeQue<half>(), b2 = b2_.DeQue<half>();
    auto c = co1_.AllocTensor<float>();
    AscendC::Mmad(c, a2, b2, AscendC::MmadParams(kRows, n, k, 0, false, true));
    a2_.FreeTensor(a2);
    b2_.FreeTensor(b2);
    co1_.EnQue(c);
    c = co1_.DeQue<float>();
    AscendC::Fixpipe(to, c, AscendC::FixpipeParamsV220(n, kRows, kRows, n, false));
    co1_.FreeTensor(c);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::A1, 1> a1_;
  AscendC::TQue<AscendC::TPosition::B1, 1> k1_, v1_;
  AscendC::TQue<AscendC::TPosition::A2, 1> a2_;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2_;
  AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
  AscendC::LocalTensor<half> k_in_l1_, v_in_l1_;
  AscendC::GlobalTensor<half> q_;
  AscendC::GlobalTensor<float> o_;
  GM_ADDR workspace_ = nullptr;
};

class AttentionWeights {
 public:
  __aicore__ inline void Process(GM_ADDR workspace, uint32_t begin, uint32_t end) {
    pipe_.InitBuffer(in_, 2, kMine * kKeys * sizeof(float));
    pipe_.InitBuffer(out_, 2, kMine * kKeys * sizeof(half));
    pipe_.InitBuffer(lanes_, kMine * kLanes * sizeof(float));
    pipe_.InitBuffer(row_, kMine * sizeof(float));
    pipe_.InitBuffer(spread_, kMine * 32);
    const uint32_t first = AscendC::GetSubBlockIdx() * kMine * kKeys;
    for (uint32_t tile = begin; tile < end; ++tile) {
      AscendC::GlobalTensor<float> scores;
      AscendC::GlobalTensor<half> weights;
      scores.SetGlobalBuffer(attention_tile::Scores(workspace, tile) + first, kMine * kKeys);
      weights.SetGlobalBuffer(attention_tile::Weights(workspace, tile) + first, kMine * kKeys);
      AscendC::CrossCoreWaitFlag(attention_tile::kScored);
      auto in = in_.AllocTensor<float>();
      AscendC::DataCopy(in, scores, kMine * kKeys);
      in_.EnQue(in);
      Softmax();
      auto out = out_.DeQue<half>();
      AscendC::DataCopy(weights, out, kMine * kKeys);
      out_.FreeTensor(out);
#ifdef TELL_BEFORE_THE_STORE
      AscendC::CrossCoreSetFlag<2, PIPE_V>(attention_tile::kWeighted);
#else
      AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(attention_tile::kWeighted);
#endif
    }
  }

 private:
  static constexpr uint32_t kMine = attention_tile::kRows / 2, kKeys = attention_tile::kKeys, kLanes = 64;

  // A repeat is 64 columns of a row; each of four instructions takes 64 columns of all rows.
  __aicore__ inline void Softmax() {
    auto x = in_.DeQue<float>();
    auto y = out_.AllocTensor<half>();
    auto lanes = lanes_.Get<float>(), row = row_.Get<float>(), spread = spread_.Get<float>();
    const uint8_t rows = kMine, stride = kKeys / 8;  // blocks of 8 floats
    AscendC::Muls(x, x, 0.125f, kMine * kKeys);
    AscendC::Max(lanes, x, x[kLanes], kLanes, rows, {1, 1, 1, 8, stride, stride});
    AscendC::Max(lanes, lanes, x[2 * kLanes], kLanes, rows, {1, 1, 1, 8, 8, stride});
    AscendC::Max(lanes, lanes, x[3 * kLanes], kLanes, rows, {1, 1, 1, 8, 8, stride});
    AscendC::WholeReduceMax<float>(row, lanes, kLanes, rows, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    AscendC::Brcb(spread, row, kMine / 8, {1, 8});
    for (uint32_t at = 0; at < kKeys; at += kLanes) {
      AscendC::Sub(x[at], x[at], spread, kLanes, rows, {1, 1, 0, stride, stride, 1});
    }
    AscendC::Exp(x, x, kMine * kKeys);
    AscendC::Add(lanes, x, x[kLanes], kLanes, rows, {1, 1, 1, 8, stride, stride});
    AscendC::Add(lanes, lanes, x[2 * kLanes], kLanes, rows, {1, 1, 1, 8, 8, stride});
    AscendC::Add(lanes, lanes, x[3 * kLanes], kLanes, rows, {1, 1, 1, 8, 8, stride});
    AscendC::WholeReduceSum<float>(row, lanes, kLanes, rows, 1, 1, 8);
    AscendC::Brcb(spread, row, kMine / 8, {1, 8});
    for (uint32_t at = 0; at < kKeys; at += kLanes) {
      AscendC::Div(x[at], x[at], spread, kLanes, rows, {1, 1, 0, stride, stride, 1});
    }
    AscendC::Cast(y, x, AscendC::RoundMode::CAST_RINT, kMine * kKeys);
    in_.FreeTensor(x);
    out_.EnQue(y);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_, row_, spread_;
};

extern "C" __global__ __aicore__ void attention(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR o, GM_ADDR workspace,
                                                uint32_t queries) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  // A block is a cube core and two vector cores; on these GetBlockIdx counts the vector cores.
  const uint32_t blocks = AscendC::GetBlockNum();
  const uint32_t block = g_coreType == AscendC::AIV ? AscendC::GetBlockIdx() / 2 : AscendC::GetBlockIdx();
  const uint32_t tiles = queries / attention_tile::kRows;
  const uint32_t begin = tiles * block / blocks, end = tiles * (block + 1) / blocks;
  workspace += block * attention_tile::kWorkspaceBytes;
  if ASCEND_IS_AIC {
    AttentionProducts kernel;
    kernel.Process(q, k, v, o, workspace, begin, end);
  }
  if ASCEND_IS_AIV {
    AttentionWeights kernel;
    kernel.Process(workspace, begin, end);
  }
}
