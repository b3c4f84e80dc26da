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
    a_.operand = a;
    b_.operand = b;
    a_k_padded_ = a_k_padded;
  }
  // In place of the operand's own move to L1. A tile is stepM * baseM rows or stepN * baseN columns and
  // stepKa or stepKb * baseK of K. It is moved whole or, `by_blocks`, in blocks of baseM or baseN and baseK,
  // which then lie one behind the other; each move is told by its place among all tiles, or blocks, and by
  // what it has of each axis. It goes to strips that are whole fractals.
  using Mover =
      std::function<void(const AscendC::LocalTensor<T>& dst, int free_part, int k_part, int free, int k)>;
  __aicore__ inline void MoveA(Mover mover, bool by_blocks) { a_.Move(std::move(mover), by_blocks); }
  __aicore__ inline void MoveB(Mover mover, bool by_blocks) { b_.Move(std::move(mover), by_blocks); }
  __aicore__ inline void Start(const MatmulTask& task) {
    a_.Start(task.m, task.k);
    b_.Start(task.n, task.k);
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
    for (uint32_t k = 0; k < a_.k_count; ++k) {
      AscendC::MarkTile("m", walk.m(), "n", walk.n(), "k", k);
      ComputeK(k, walk, next, more, blocks, beginning);
      a_.FreeBehind(k);
      b_.FreeBehind(k);
    }
    a_.FreeKept(walk.m_step(), more && next.m_step() == walk.m_step());
    b_.FreeKept(walk.n_step(), more && next.n_step() == walk.n_step());
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
    a_.tiles.FreeAll();
    b_.tiles.FreeAll();
  }
  __aicore__ inline void End() {
    a_.End();
    b_.End();
  }

 private:
  // Where a block of an operand lies in L1.
  struct Lying {
    AscendC::LocalTensor<T> tensor;
    MatmulPlace place;
    int64_t free_start;
    int64_t k_start;
  };
  // One operand with its tiles in L1, position P, and how it is cut: into blocks of `base_free` and `base_k`,
  // of which a tile has `step_free` and, along K, `step_k`.
  template <AscendC::TPosition P>
  struct Side {
    MatmulOperand<T> operand;
    ConvBackpropApi::FilterL1Tiles<T, P, MatmulPlace> tiles;
    Mover mover;
    bool by_blocks = false;
    bool in_gm = true;
    uint32_t copies = 1;
    uint32_t step_free = 1;
    uint32_t step_k = 1;
    int64_t base_free = 1;
    int64_t base_k = 1;
    MatmulRange free;  // of the task
    MatmulRange k;
    uint32_t k_count = 0;  // blocks of base_k

    // The steps and the base along M or N are to be set.
    __aicore__ inline void Init(AscendC::TPipe& pipe, bool is_in_gm, uint32_t depth, uint32_t base_of_k) {
      in_gm = is_in_gm;
      base_k = base_of_k;
      copies = depth / (step_free * step_k) < 2 ? 1 : 2;
      if (in_gm) {
        tiles.Init(pipe, copies,
                   MatmulTileElements<T>(step_free * static_cast<uint64_t>(base_free), step_k, base_of_k));
      }
    }
    __aicore__ inline void Move(Mover by, bool in_blocks) {
      mover = std::move(by);
      by_blocks = in_blocks;
    }
    __aicore__ inline void Start(const MatmulRange& of_free, const MatmulRange& of_k) {
      free = of_free;
      k = of_k;
      k_count = static_cast<uint32_t>((of_k.size() + base_k - 1) / base_k);
    }
    // Does all of K stand in L1 at once? Then a tile stays until its step in M (A) or N (B) is left.
    [[nodiscard]] __aicore__ inline bool Keep() const { return k_count <= step_k * copies; }
    __aicore__ inline void FreeBehind(uint32_t k_block) {
      if (!operand.resident() && !Keep() && (k_block + 1 == k_count || (k_block + 1) % step_k == 0)) {
        tiles.FreeOldest();
      }
    }
    __aicore__ inline void FreeKept(uint32_t step, bool stays) {
      if (!operand.resident() && Keep() && !stays) {
        tiles.FreeStep(step);
      }
    }
    __aicore__ inline void End() {
      if (in_gm) {
        tiles.End();
      }
    }

    // Where a block begins in a tile that is moved by blocks.
    [[nodiscard]] __aicore__ inline uint32_t BlockAt(int64_t i, int64_t j) const {
      const MatmulPlace block = operand.PlaceOfFractals({0, base_free}, {0, base_k});
      constexpr int64_t kC0 = MatmulOperand<T>::kC0;
      const int64_t elements = block.rows * ((block.columns + kC0 - 1) / kC0 * kC0);
      return static_cast<uint32_t>((j * step_free + i) * elements);
    }
    __aicore__ inline MatmulPlace BringTile(const AscendC::LocalTensor<T>& dst, uint32_t free_tile,
                                            uint32_t k_tile) const {
      const MatmulRange of_free = free.Part(free_tile, step_free * base_free);
      const MatmulRange of_k = k.Part(k_tile, step_k * base_k);
      if (!mover) {
        return operand.Bring(dst, of_free, of_k);
      }
      const auto move = [this](const AscendC::LocalTensor<T>& to, uint32_t free_part, uint32_t k_part,
                               int64_t free_size, int64_t k_size) {
        mover(to, static_cast<int>(free_part), static_cast<int>(k_part), static_cast<int>(free_size),
              static_cast<int>(k_size));
      };
      if (!by_blocks) {
        move(dst, free_tile, k_tile, of_free.size(), of_k.size());
        return operand.PlaceOfFractals(of_free, of_k);
      }
      for (uint32_t j = 0; j * base_k < of_k.size(); ++j) {
        for (uint32_t i = 0; i * base_free < of_free.size(); ++i) {
          const uint32_t free_block = free_tile * step_free + i;
          const uint32_t k_block = k_tile * step_k + j;
          move(dst[BlockAt(i, j)], free_block, k_block, free.Part(free_block, base_free).size(),
               k.Part(k_block, base_k).size());
        }
      }
      return {};  // each block has its own
    }
    // How a tile is brought.
    [[nodiscard]] __aicore__ inline auto Bring(uint32_t free_step, uint32_t k_step) const {
      return [this, free_step, k_step](const AscendC::LocalTensor<T>& dst) {
        return BringTile(dst, free_step, k_step);
      };
    }
    // Brings the tiles that follow those of block `k_block` of K into free buffers: the next along K, or the
    // first of the next block of C if there is one `more`.
    __aicore__ inline void BringNext(uint32_t k_block, uint32_t now, uint32_t next, bool more) {
      if (!operand.resident()) {
        tiles.BringNext({.k = k_block,
                         .step_k = step_k,
                         .k_count = k_count,
                         .now = now,
                         .next = next,
                         .more = more,
                         .keep = Keep()},
                        [this](uint32_t free_step, uint32_t k_step) { return Bring(free_step, k_step); });
      }
    }
    // Block (free_block, k_block), once it has come.
    __aicore__ inline Lying Need(uint32_t free_step, int64_t free_block, uint32_t k_block) {
      if (operand.resident()) {
        return {operand.tile(), operand.place(), free_block * base_free, k_block * base_k};
      }
      const uint32_t k_step = k_block / step_k;
      const auto& tile = tiles.Need(free_step, k_step, Bring(free_step, k_step));
      const int64_t i = free_block % step_free;
      const int64_t j = k_block % step_k;
      if (by_blocks) {
        return {tile.tensor[BlockAt(i, j)],
                operand.PlaceOfFractals(free.Part(free_block, base_free), k.Part(k_block, base_k)), 0, 0};
      }
      return {tile.tensor, tile.place, i * base_free, j * base_k};
    }
  };

  __aicore__ inline void InitTiles(AscendC::TPipe& pipe, const MatmulTilingData& t, const InGm& in_gm) {
    a_.step_free = t.stepM;
    a_.step_k = t.stepKa;
    a_.base_free = t.baseM;
    a_.Init(pipe, in_gm.a, t.depthA1, t.baseK);
    b_.step_free = t.stepN;
    b_.step_k = t.stepKb;
    b_.base_free = t.baseN;
    b_.Init(pipe, in_gm.b, t.depthB1, t.baseK);
  }
  // With the room that squares of 8- and 4-bit elements take beyond the block.
  static __aicore__ inline ConvBackpropApi::CubeSizes SizesInL0(const MatmulTilingData& tiling) {
    constexpr uint32_t kGranule = MatmulOperand<T>::kSquares ? MatmulOperand<T>::kC0 : 1;
    return {.rows = (tiling.baseM + kGranule - 1) / kGranule * kGranule,
            .columns = (tiling.baseN + kGranule - 1) / kGranule * kGranule,
            .k = tiling.baseK,
            .copies = tiling.dbL0A == 2 && tiling.dbL0B == 2 ? 2U : 1U};
  }
  // Block k of K; `next` is the block (m, n) that follows if there is one `more`.
  __aicore__ inline void ComputeK(uint32_t k, const MatmulWalk& walk, const MatmulWalk& next, bool more,
                                  MatmulBlocks<Sum>& blocks, const Beginning& beginning) {
    const Lying a1 = a_.Need(walk.m_step(), walk.m(), k);
    const Lying b1 = b_.Need(walk.n_step(), walk.n(), k);
    a_.BringNext(k, walk.m_step(), next.m_step(), more);
    b_.BringNext(k, walk.n_step(), next.n_step(), more);
    const int64_t m = a_.free.Part(walk.m(), a_.base_free).size();
    const int64_t n = (b_.free.Part(walk.n(), b_.base_free).size() + beginning.column_granule - 1) /
                      beginning.column_granule * beginning.column_granule;
    const int64_t part_k = a_.k.Part(k, a_.base_k).size();
    cube_.Multiply(
        blocks.c(),
        {.m = static_cast<uint64_t>(m),
         .n = static_cast<uint64_t>(n),
         .k = static_cast<uint64_t>(part_k),
         .init = k == 0 && !beginning.add,
         .k_padded = a_k_padded_,
         .unit_flag = blocks.MmadFlag(k + 1 == a_.k_count)},
        [&](const auto& a2, const auto& b2) {
          a_.operand.LoadA(a2, a1.tensor, a1.place, {a1.free_start, m, a1.k_start, part_k});
          b_.operand.LoadB(b2, b1.tensor, b1.place, {b1.free_start, n, b1.k_start, part_k});
        },
        beginning.bias);
  }

  bool a_k_padded_ = false;
  Side<AscendC::TPosition::A1> a_;
  Side<AscendC::TPosition::B1> b_;
  ConvBackpropApi::CubeOperands<T> cube_;
};

}  // namespace tilesim
