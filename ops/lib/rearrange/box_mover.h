// Boxes of runs between GM and UB by as few DataCopyPads as they take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel_operator.h"
#include "tiling/rearrange/rearrange_tasks.h"

namespace tilesim {

// T: any type as wide as the elements. The loop with the most pieces is the instruction's own, the others are
// the scalar unit's.
template <class T>
class BoxMover {
 public:
  // What a run does not fill of its data blocks becomes 0.
  __aicore__ static inline void Load(const AscendC::LocalTensor<T>& ub, const AscendC::GlobalTensor<T>& gm,
                                     const BoxOfRuns& box) {
    const AscendC::DataCopyPadExtParams<T> pad(true, static_cast<uint8_t>(box.lead), 0, T(0));
    const int64_t ub_run = AlignUp(box.lead + box.run, kOfBlock);
    ForEachMove(box, [&](int64_t gm_at, int64_t ub_at, const MoveLoop& loop) {
      AscendC::DataCopyPad(
          ub[static_cast<uint32_t>(ub_at * kOfBlock)], gm[static_cast<uint64_t>(gm_at)],
          AscendC::DataCopyExtParams(static_cast<uint16_t>(loop.count), Bytes(box.run),
                                     Bytes(loop.gm_stride - box.run),
                                     static_cast<uint32_t>(loop.ub_stride - ub_run / kOfBlock), 0),
          pad);
    });
  }
  __aicore__ static inline void Store(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& ub,
                                      const BoxOfRuns& box) {
    const int64_t ub_run = AlignUp(box.run, kOfBlock);
    ForEachMove(box, [&](int64_t gm_at, int64_t ub_at, const MoveLoop& loop) {
      AscendC::DataCopyPad(
          gm[static_cast<uint64_t>(gm_at)], ub[static_cast<uint32_t>(ub_at * kOfBlock)],
          AscendC::DataCopyExtParams(static_cast<uint16_t>(loop.count), Bytes(box.run),
                                     static_cast<uint32_t>(loop.ub_stride - ub_run / kOfBlock),
                                     Bytes(loop.gm_stride - box.run), 0));
    });
  }

 private:
  static constexpr int64_t kOfBlock = kDataBlockBytes / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kMostPieces = 4095;          // blockCount
  static constexpr int64_t kMostGapBytes = UINT32_MAX;  // srcStride, dstStride

  __aicore__ static inline uint32_t Bytes(int64_t elements) {
    return static_cast<uint32_t>(elements * static_cast<int64_t>(sizeof(T)));
  }
  // visit(gm element, ub data block, the instruction's loop) for each move.
  template <class Visit>
  __aicore__ static inline void ForEachMove(const BoxOfRuns& box, Visit&& visit) {
    size_t own = box.num_loops;
    for (size_t i = 0; i < box.num_loops; ++i) {
      const bool near = (box.loops[i].gm_stride - box.run) * static_cast<int64_t>(sizeof(T)) <= kMostGapBytes;
      if (near && (own == box.num_loops || box.loops[i].count > box.loops[own].count)) {
        own = i;
      }
    }
    const int64_t moves = own == box.num_loops ? box.pieces() : box.pieces() / box.loops[own].count;
    for (int64_t move = 0; move < moves; ++move) {
      int64_t gm = box.gm_offset;
      int64_t ub = box.ub_offset;
      int64_t rest = move;
      for (size_t i = box.num_loops; i-- > 0;) {
        if (i != own) {
          gm += rest % box.loops[i].count * box.loops[i].gm_stride;
          ub += rest % box.loops[i].count * box.loops[i].ub_stride;
          rest /= box.loops[i].count;
        }
      }
      if (own == box.num_loops) {
        visit(gm, ub, MoveLoop{1, box.run, AlignUp(box.lead + box.run, kOfBlock) / kOfBlock});
        continue;
      }
      MoveLoop loop = box.loops[own];
      for (int64_t at = 0; at < box.loops[own].count; at += kMostPieces) {
        loop.count = std::min(kMostPieces, box.loops[own].count - at);
        visit(gm + at * loop.gm_stride, ub + at * loop.ub_stride, loop);
      }
    }
  }
};

}  // namespace tilesim
