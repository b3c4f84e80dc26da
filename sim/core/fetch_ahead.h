// Asks the host's memory early for what the next moves from GM are likely to bring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilesim {

// A move of pieces that lie far apart is mostly followed by one of the pieces behind them. Asked for at once
// they would hold up the host; a few at a time, while instructions compute, they cost next to nothing. Only a
// guess about speed: nothing is read.
class FetchAhead {
 public:
  // `count` pieces of `bytes`, the first at `begin`, from one to the next `step`.
  void Add(uint64_t begin, int64_t bytes, int64_t count, int64_t step) {
    queue_[1] = queue_[0].left > 0 ? queue_[0] : queue_[1];
    queue_[0] = {.next = begin / kLineBytes * kLineBytes,
                 .bytes = static_cast<uint64_t>(bytes < kMostBytes ? bytes : kMostBytes) + begin % kLineBytes,
                 .left = count,
                 .step = static_cast<uint64_t>(step)};
  }
  // The next few, of the move before the last first.
  void Some() {
    if (queue_[0].left > 0) {
      Fetch(queue_[queue_[1].left > 0 ? 1 : 0]);
    }
  }

 private:
  static constexpr uint64_t kLineBytes = 64;
  static constexpr int64_t kMostBytes = 1024;  // of a piece; the host sees by itself that a long one goes on
  static constexpr int64_t kPieces = 8;        // at a time: the best of 4, 8 and 16 on a Zen 5

  struct Pieces {
    uint64_t next = 0;
    uint64_t bytes = 0;
    int64_t left = 0;
    uint64_t step = 0;
  };

  static void Fetch(Pieces& pieces) {
    for (int64_t i = 0; i < kPieces && pieces.left > 0; ++i, --pieces.left, pieces.next += pieces.step) {
      for (uint64_t line = pieces.next; line < pieces.next + pieces.bytes; line += kLineBytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(line));
      }
    }
  }

  std::array<Pieces, 2> queue_;  // of the last move and of the one before
};

}  // namespace tilesim
