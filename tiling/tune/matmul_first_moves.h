#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "sim/core/gm_move.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/tune/matmul_dealing.h"
#include "tiling/matmul/matmul_pieces.h"

namespace tilesim {

// A move into L1 that waits for nothing but the moves before it: where in its core's first task.
struct MatmulFirstMove {
  MatmulPieces::Side side = MatmulPieces::kA;
  MatmulRange free, k;
  int64_t issue = 0;    // cycle at which it may begin
  bool needed = false;  // by the core's first block
};

// When the first moves of all cores end, as the clock has it: until then nothing else moves bytes of GM.
class MatmulFirstMoves {
 public:
  // `soc` must outlive it.
  MatmulFirstMoves(const MatmulShape& shape, const SocConfig& soc);

  struct Times {
    int64_t end = 0;   // the next may begin
    int64_t done = 0;  // its bytes are there
  };
  // Of the cores `alike`, by move: none of them has it earlier, and the last of them no earlier; fewer where
  // something else may come between.
  struct Together {
    std::vector<Times> least, last;
  };
  // `dealt`: that says which tasks these are. `moves` are cut where a core's first task ends. May be called
  // from several threads.
  Together Of(const std::vector<int64_t>& dealt, const MatmulPlaces& places,
              std::span<const MatmulFirstMove> moves);

 private:
  struct Placed {
    GmPattern pattern;
    uint64_t begin = 0;
  };
  [[nodiscard]] Placed PlaceOf(const MatmulTask& task, const MatmulFirstMove& move) const;
  [[nodiscard]] std::vector<std::vector<Times>> Replay(std::span<const MatmulTask> tasks,
                                                       std::span<const MatmulFirstMove> moves) const;

  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t element_bytes_;
  std::mutex mutex_;
  std::map<std::vector<int64_t>, Together> known_;
};

}  // namespace tilesim
