#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sim/core/shared_rate.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"

namespace tilesim {

// What all cores take of L2 and HBM, where all are played: as the simulator deals the rates out. Moves are
// told in about the order of their time.
class GmRates {
 public:
  GmRates(const SocConfig& soc, size_t cores)
      : cores_(static_cast<double>(cores)),
        l2_(soc.l2_total_bytes_per_cycle, cores),
        hbm_(soc.hbm_total_bytes_per_cycle, cores) {}

  // When a move of `core` ends whose pipe is free from `start` on.
  double EndOf(size_t core, double start, const CoreShares::Needs& needs, bool reads) {
    const size_t pipe = 2 * core + (reads ? 0 : 1);
    return std::max({start + needs.busy, l2_.EndOf(pipe, start, needs.l2 / cores_, needs.busy),
                     hbm_.EndOf(pipe, start, needs.hbm / cores_, needs.busy)});
  }

 private:
  class Rate {
   public:
    Rate(double total, size_t cores) : shared_(total), total_(total), begins_(2 * cores), ends_(2 * cores) {}

    // `need`: cycles that it takes of the whole rate; `busy`: cycles that it takes alone.
    double EndOf(size_t pipe, double start, double need, double busy) {
      if (need <= 0) {
        return start;
      }
      begins_[pipe] = start;
      ends_[pipe] = start + 1;
      int takers = 0;
      for (size_t i = 0; i < ends_.size(); ++i) {
        takers += static_cast<int>(begins_[i] <= start) & static_cast<int>(start < ends_[i]);
      }
      if (start + need * takers > kLast) {
        return start + std::max(need, busy);
      }
      const double bytes = need * total_;
      const auto end = static_cast<double>(shared_.Take(static_cast<int64_t>(std::ceil(start)), bytes,
                                                        std::min(bytes / busy, total_ / takers)));
      ends_[pipe] = end;
      return end;
    }

   private:
    // Cycles, some 9 ms. What was taken is remembered for each 64 of them: what comes later shares nothing.
    static constexpr double kLast = 1 << 24;

    SharedRate shared_;
    double total_;                       // bytes a cycle
    std::vector<double> begins_, ends_;  // by pipe of reads and of writes: its last move that took of it
  };

  double cores_;
  Rate l2_, hbm_;
};

}  // namespace tilesim
