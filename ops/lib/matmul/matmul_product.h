// The product of one task, block by block.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernel_operator.h"
#include "lib/conv_backprop/cube_operands.h"
#include "lib/conv_backprop/filter_l1_tiles.h"
#include "lib/matmul/matmul_operand.h"
#include "lib/matmul/matmul_result.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// Elements of a tile of `free` rows or columns and `steps` times `base_k` of K; of 8 and 4 bits whole
// squares.
template <class T>
__aicore__ inline uint64_t MatmulTileElements(uint64_t free, uint64_t steps, uint64_t base_k) {
  constexpr uint64_t kGranule = MatmulOperand<T>::kSquares ? MatmulOperand<T>::kC0 : 1;
  return (free + kGranule - 1) / kGranule * kGranule * steps * base_k;
}

// Computes blocks of C into L0C, with the tiles of A and B that it takes them from in L1. Knows not where a
// block goes.
template <class T>
class MatmulProduct {
 public:
  // What the sums are kept in.
  using Sum = std::conditional_t<MatmulOperand<T>::kSquares, int32_t, float>;

  __aicore__ inline void Init(AscendC::TPipe& pipe, const MatmulTilingData& tiling) {
    InitTiles(pipe, tiling, {true, true});
    cube_.Init(pipe, SizesInL0(tiling));
  }
  // The same for an object beside others, which take turns with L0A and L0B. Only the operands `in_gm` get
  // buffers in L1.
  struct InGm {
    bool a;
    bool b;
  };
  __aicore__ inline void InitBesideOthers(AscendC::TPipe& pipe, const MatmulTilingData& tiling,
                                          const InGm& in_gm) {
    InitTiles(pipe, tiling, in_gm);
    cube_.InitUnreserved(SizesInL0(tiling));
  }
  __aicore__ inline void SetOperands(const MatmulOperand<T>& a, const MatmulOperand<T>& b, bool a_k_padded) {
    a_ = a;
    b_ = b;
    a_k_padded_ = a_k_padded;
  }
  // In place of the operand's own move to L1. A tile is stepM * baseM rows or stepN * baseN columns and
  // stepKa or stepKb * baseK of K. It is moved whole or, `by_blocks`, in blocks of baseM or baseN and baseK,
  // which then lie one behind the other; each move is told by its place among all tiles, or blocks, and by
  // what it has of each axis. It goes to strips that are whole fractals.
  using Mover =
      std::function<void(const AscendC::LocalTensor<T>& dst, int free_part, int k_part, int free, int k)>;
  __aicore__ inline void MoveA(Mover mover, bool by_blocks) {
    move_a_ = std::move(mover);
    a_by_blocks_ = by_blocks;
  }
  __aicore__ inline void MoveB(Mover mover, bool by_blocks) {
    move_b_ = std::move(mover);
    b_by_blocks_ = by_blocks;
  }
  __aicore__ inline void Start(const MatmulTask& task) {
    task_ = task;
    k_count_ = static_cast<uint32_t>((task.k.size() + tiling_->baseK - 1) / tiling_->baseK);
  }

  // What a block begins with, beside zeros, and how many of its columns are computed.
  struct Beginning {
    const AscendC::LocalTensor<Sum>* bias = nullptr;  // in BT
    bool add = false;                                 // what L0C holds
    int64_t column_granule = 1;                       // columns are rounded up to a multiple
  };
  // One block over all of K: L1 as far as needed, L0 in halves, accumulated in L0C.
  __aicore__ inline void Compute(const MatmulWalk& walk, MatmulBlocks<Sum>& blocks) {
    MatmulWalk next = walk;
    const bool more = next.Next();
    Compute(walk, more ? std::optional(next) : std::nullopt, blocks, {});
  }
  // `following`: the block that comes after it, if there is one.
  __aicore__ inline void Compute(const MatmulWalk& walk, const std::optional<MatmulWalk>& following,
                                 MatmulBlocks<Sum>& blocks, const Beginning& beginning) {
    const bool more = following.has_value();
    const MatmulWalk& next = more ? *following : walk;
    for (uint32_t k = 0; k < k_count_; ++k) {
      AscendC::MarkTile("m", walk.m(), "n", walk.n(), "k", k);
      const bool last = k + 1 == k_count_;
      ComputeK(k, walk, next, more, blocks, beginning);
      if (!a_.resident() && !KeepA() && (last || (k + 1) % tiling_->stepKa == 0)) {
        a1_.FreeOldest();
      }
      if (!b_.resident() && !KeepB() && (last || (k + 1) % tiling_->stepKb == 0)) {
        b1_.FreeOldest();
      }
    }
    if (!a_.resident() && KeepA() && (!more || next.m_step() != walk.m_step())) {
      a1_.FreeStep(walk.m_step());
    }
    if (!b_.resident() && KeepB() && (!more || next.n_step() != walk.n_step())) {
      b1_.FreeStep(walk.n_step());
    }
  }

  // Zeros into the block.
  __aicore__ inline void Zero(const AscendC::LocalTensor<float>& c, int64_t m, int64_t n) {
    const auto fill = [](const AscendC::LocalTensor<T>& dst, int64_t lines) {
      const auto fractals = static_cast<uint16_t>((lines + 15) / 16 * sizeof(T) / 2);  // of K = 16
      AscendC::InitConstValue(dst, AscendC::InitConstValueParams<T>(1, fractals, 0, T(0)));
    };
    cube_.Multiply(c, {.m = static_cast<uint64_t>(m), .n = static_cast<uint64_t>(n), .k = 16, .init = true},
                   [&](const auto& a2, const auto& b2) {
                     fill(a2, m);
                     fill(b2, n);
                   });
  }

  // Nothing of the operands stays in L1.
  __aicore__ inline void Drop() {
    a1_.FreeAll();
    b1_.FreeAll();
  }
  __aicore__ inline void End() {
    if (in_gm_.a) {
      a1_.End();
    }
    if (in_gm_.b) {
      b1_.End();
    }
  }

 private:
  using TilesOfA = ConvBackpropApi::FilterL1Tiles<T, AscendC::TPosition::A1, MatmulPlace>;
  using TilesOfB = ConvBackpropApi::FilterL1Tiles<T, AscendC::TPosition::B1, MatmulPlace>;

  __aicore__ inline void InitTiles(AscendC::TPipe& pipe, const MatmulTilingData& tiling, const InGm& in_gm) {
    tiling_ = &tiling;
    in_gm_ = in_gm;
    copies_a_ = CopiesOf(tiling.depthA1, tiling.stepM * tiling.stepKa);
    copies_b_ = CopiesOf(tiling.depthB1, tiling.stepN * tiling.stepKb);
    if (in_gm.a) {
      a1_.Init(pipe, copies_a_,
               MatmulTileElements<T>(tiling.stepM * tiling.baseM, tiling.stepKa, tiling.baseK));
    }
    if (in_gm.b) {
      b1_.Init(pipe, copies_b_,
               MatmulTileElements<T>(tiling.stepN * tiling.baseN, tiling.stepKb, tiling.baseK));
    }
  }
  static __aicore__ inline uint32_t CopiesOf(uint32_t depth, uint32_t blocks) {
    return depth / blocks < 2 ? 1 : 2;
  }
  // With the room that squares of 8- and 4-bit elements take beyond the block.
  static __aicore__ inline ConvBackpropApi::CubeSizes SizesInL0(const MatmulTilingData& tiling) {
    constexpr uint32_t kGranule = MatmulOperand<T>::kSquares ? MatmulOperand<T>::kC0 : 1;
    return {.rows = (tiling.baseM + kGranule - 1) / kGranule * kGranule,
            .columns = (tiling.baseN + kGranule - 1) / kGranule * kGranule,
            .k = tiling.baseK,
            .copies = tiling.dbL0A == 2 && tiling.dbL0B == 2 ? 2U : 1U};
  }
  // Does all of K stand in L1 at once? Then a tile stays until its step in M (A) or N (B) is left.
  __aicore__ inline bool KeepA() const { return k_count_ <= tiling_->stepKa * copies_a_; }
  __aicore__ inline bool KeepB() const { return k_count_ <= tiling_->stepKb * copies_b_; }

  // How an operand is cut: into blocks, of which a tile has `step_free` and, along K, `step_k`.
  struct Cut {
    const MatmulRange& free;
    int64_t base_free;
    int64_t base_k;
    uint32_t step_free;
    uint32_t step_k;
  };
  __aicore__ inline Cut CutA() const {
    return {task_.m, tiling_->baseM, tiling_->baseK, tiling_->stepM, tiling_->stepKa};
  }
  __aicore__ inline Cut CutB() const {
    return {task_.n, tiling_->baseN, tiling_->baseK, tiling_->stepN, tiling_->stepKb};
  }
  // Where a block begins in a tile that is moved by blocks.
  static __aicore__ inline uint32_t BlockAt(const MatmulOperand<T>& operand, const Cut& cut, int64_t free,
                                            int64_t k) {
    const MatmulPlace block = operand.PlaceOfFractals({0, cut.base_free}, {0, cut.base_k});
    constexpr int64_t kC0 = MatmulOperand<T>::kC0;
    const int64_t elements = block.rows * ((block.columns + kC0 - 1) / kC0 * kC0);
    return static_cast<uint32_t>((k * cut.step_free + free) * elements);
  }

  __aicore__ inline MatmulPlace BringTile(const MatmulOperand<T>& operand, const Mover& mover, bool by_blocks,
                                          const AscendC::LocalTensor<T>& dst, const Cut& cut,
                                          uint32_t free_tile, uint32_t k_tile) const {
    const MatmulRange free = cut.free.Part(free_tile, cut.step_free * cut.base_free);
    const MatmulRange k = task_.k.Part(k_tile, cut.step_k * cut.base_k);
    if (!mover) {
      return operand.Bring(dst, free, k);
    }
    const auto move = [&mover](const AscendC::LocalTensor<T>& to, uint32_t free_part, uint32_t k_part,
                               const MatmulRange& of_free, const MatmulRange& of_k) {
      mover(to, static_cast<int>(free_part), static_cast<int>(k_part), static_cast<int>(of_free.size()),
            static_cast<int>(of_k.size()));
    };
    if (!by_blocks) {
      move(dst, free_tile, k_tile, free, k);
      return operand.PlaceOfFractals(free, k);
    }
    for (uint32_t j = 0; j * cut.base_k < k.size(); ++j) {
      for (uint32_t i = 0; i * cut.base_free < free.size(); ++i) {
        const uint32_t free_block = free_tile * cut.step_free + i;
        const uint32_t k_block = k_tile * cut.step_k + j;
        move(dst[BlockAt(operand, cut, i, j)], free_block, k_block, cut.free.Part(free_block, cut.base_free),
             task_.k.Part(k_block, cut.base_k));
      }
    }
    return {};  // each block has its own
  }
  // How a tile is brought.
  __aicore__ inline auto BringA(uint32_t m_step, uint32_t k_step) const {
    return [this, m_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return BringTile(a_, move_a_, a_by_blocks_, dst, CutA(), m_step, k_step);
    };
  }
  __aicore__ inline auto BringB(uint32_t n_step, uint32_t k_step) const {
    return [this, n_step, k_step](const AscendC::LocalTensor<T>& dst) {
      return BringTile(b_, move_b_, b_by_blocks_, dst, CutB(), n_step, k_step);
    };
  }

  // Brings the tiles that follow those of step k into free buffers: the next along K, or the next block's
  // first.
  __aicore__ inline void BringNext(uint32_t k, const MatmulWalk& walk, const MatmulWalk& next, bool more) {
    if (!a_.resident()) {
      a1_.BringNext({.k = k,
                     .step_k = tiling_->stepKa,
                     .k_count = k_count_,
                     .now = walk.m_step(),
                     .next = next.m_step(),
                     .more = more,
                     .keep = KeepA()},
                    [this](uint32_t m_step, uint32_t k_step) { return BringA(m_step, k_step); });
    }
    if (!b_.resident()) {
      b1_.BringNext({.k = k,
                     .step_k = tiling_->stepKb,
                     .k_count = k_count_,
                     .now = walk.n_step(),
                     .next = next.n_step(),
                     .more = more,
                     .keep = KeepB()},
                    [this](uint32_t n_step, uint32_t k_step) { return BringB(n_step, k_step); });
    }
  }

  // Where a block of an operand lies in L1.
  struct Lying {
    AscendC::LocalTensor<T> tensor;
    MatmulPlace place;
    int64_t free_start;
    int64_t k_start;
  };
  // Block (free, k) in its tile, which has come.
  template <class Tile>
  __aicore__ inline Lying InTile(const MatmulOperand<T>& operand, bool by_blocks, const Tile& tile,
                                 const Cut& cut, int64_t free, int64_t k) const {
    const int64_t i = free % cut.step_free;
    const int64_t j = k % cut.step_k;
    if (by_blocks) {
      return {tile.tensor[BlockAt(operand, cut, i, j)],
              operand.PlaceOfFractals(cut.free.Part(free, cut.base_free), task_.k.Part(k, cut.base_k)), 0, 0};
    }
    return {tile.tensor, tile.place, i * cut.base_free, j * cut.base_k};
  }
  __aicore__ inline Lying NeedA(const MatmulWalk& walk, uint32_t k) {
    if (a_.resident()) {
      return {a_.tile(), a_.place(), walk.m() * tiling_->baseM, int64_t{k} * tiling_->baseK};
    }
    const uint32_t k_step = k / tiling_->stepKa;
    return InTile(a_, a_by_blocks_, a1_.Need(walk.m_step(), k_step, BringA(walk.m_step(), k_step)), CutA(),
                  walk.m(), k);
  }
  __aicore__ inline Lying NeedB(const MatmulWalk& walk, uint32_t k) {
    if (b_.resident()) {
      return {b_.tile(), b_.place(), walk.n() * tiling_->baseN, int64_t{k} * tiling_->baseK};
    }
    const uint32_t k_step = k / tiling_->stepKb;
    return InTile(b_, b_by_blocks_, b1_.Need(walk.n_step(), k_step, BringB(walk.n_step(), k_step)), CutB(),
                  walk.n(), k);
  }

  // Block k of K; `next` is the block (m, n) that follows if there is one `more`.
  __aicore__ inline void ComputeK(uint32_t k, const MatmulWalk& walk, const MatmulWalk& next, bool more,
                                  MatmulBlocks<Sum>& blocks, const Beginning& beginning) {
    const MatmulTilingData& t = *tiling_;
    const Lying a1 = NeedA(walk, k);
    const Lying b1 = NeedB(walk, k);
    BringNext(k, walk, next, more);
    const int64_t m = task_.m.Part(walk.m(), t.baseM).size();
    const int64_t n = (task_.n.Part(walk.n(), t.baseN).size() + beginning.column_granule - 1) /
                      beginning.column_granule * beginning.column_granule;
    const int64_t part_k = task_.k.Part(k, t.baseK).size();
    cube_.Multiply(
        blocks.c(),
        {.m = static_cast<uint64_t>(m),
         .n = static_cast<uint64_t>(n),
         .k = static_cast<uint64_t>(part_k),
         .init = k == 0 && !beginning.add,
         .k_padded = a_k_padded_,
         .unit_flag = blocks.MmadFlag(k + 1 == k_count_)},
        [&](const auto& a2, const auto& b2) {
          a_.LoadA(a2, a1.tensor, a1.place, {a1.free_start, m, a1.k_start, part_k});
          b_.LoadB(b2, b1.tensor, b1.place, {b1.free_start, n, b1.k_start, part_k});
        },
        beginning.bias);
  }

  const MatmulTilingData* tiling_ = nullptr;
  MatmulTask task_;
  uint32_t k_count_ = 0;  // blocks of baseK
  InGm in_gm_{true, true};
  uint32_t copies_a_ = 1;
  uint32_t copies_b_ = 1;
  bool a_k_padded_ = false;
  MatmulOperand<T> a_;
  MatmulOperand<T> b_;
  Mover move_a_;
  Mover move_b_;
  bool a_by_blocks_ = false;
  bool b_by_blocks_ = false;
  TilesOfA a1_;
  TilesOfB b1_;
  ConvBackpropApi::CubeOperands<T> cube_;
};

}  // namespace tilesim
