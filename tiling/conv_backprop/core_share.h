#pragma once
#include <algorithm>

namespace tilesim {

// What one of several equal cores has of a rate that all share, as far as playing one core tells. Times are
// those in which its part of the rate gives what it asks for. Knows no bytes, no other core and no pipe.
//
// All cores begin at the same time and do the same, so that one that has waited has saved up little: the
// others have waited as well. Moves drive them apart; then one takes of this rate while others take of
// another.
class CoreShare {
 public:
  // A move from `start` on that takes `need` of the core's part, or waits for `together` where all ask at
  // once: when it has that.
  double EndOf(double start, double need, double together) {
    if (together <= 0) {
      return start;
    }
    ++moves_;
    const double apart = std::min(1.0, moves_ / kMovesUntilApart);
    need += std::max(0.0, 1 - moves_ / kMovesTogether) * (together - need);
    used_until_ = std::max(used_until_, start - apart * (kSaved * need + elsewhere_)) + need;
    return std::min(used_until_, start + kPipes * need);
  }
  // What the pipe of reads did from `start` to `end`, taking `need` of this.
  void NoteRead(double start, double end, double need) { elsewhere_ += std::max(0.0, end - start - need); }
  void NoteEnd(double end) {
    elsewhere_ = std::clamp(std::min(elsewhere_, end - used_until_), 0.0, kMostSaved);
  }

 private:
  // Planned and simulated layers of conv3d_backprop_filter agree best with these (bench/planner_compare).
  static constexpr double kSaved = 0.3;        // of a move's own need
  static constexpr double kMovesTogether = 4;  // of all cores, at the beginning
  static constexpr double kMovesUntilApart = 64;
  static constexpr double kMostSaved = 10000;  // cycles
  static constexpr double kPipes = 2;          // that take of it: each has a half at least

  double used_until_ = 0;
  double elsewhere_ = 0;  // time in which the core read of another source, not made use of yet
  double moves_ = 0;
};

// The rates that all cores share.
class CoreShares {
 public:
  // What a move needs: its own pipe, and of the core's parts.
  struct Needs {
    double busy = 0;
    double l2 = 0;
    double hbm = 0;
    double hbm_waits = 0;  // at the least `hbm`: of what another core fetches as well
  };

  // When a move ends whose pipe is free from `start` on.
  double EndOf(double start, const Needs& needs, bool reads) {
    const double end = std::max({start + needs.busy, l2_.EndOf(start, needs.l2, needs.l2),
                                 hbm_.EndOf(start, needs.hbm, needs.hbm_waits)});
    if (reads) {
      l2_.NoteRead(start, end, needs.l2);
      hbm_.NoteRead(start, end, needs.hbm);
    }
    l2_.NoteEnd(end);
    hbm_.NoteEnd(end);
    return end;
  }

 private:
  CoreShare l2_, hbm_;
};

}  // namespace tilesim
