// Which slices of L2 the cores read from at one time, and what each leaves the others of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Consecutive pieces of l2.slice_bytes of GM lie in the l2.slices slices in turns; each answers
// l2.slice_lines_per_cycle lines, however little is asked of each. A read asks for its lines in order,
// l2.lines_ahead of them ahead: rows that lie close together come from one slice after the other, rows far
// apart from all of them at once. Cores whose reads are in the same slices take turns there, and so stay
// together. Known of the other cores: what they read now, each as far as the part of its time that has
// passed. Not known: writes, which lines were asked for twice, and of a core that asks for an earlier time
// than one that it has asked for already (a read behind a write that ended later) what the others read then.
class L2Slices {
 public:
  L2Slices(const SocConfig& soc, size_t cores);

  // A read as the slices see it.
  struct Read {
    uint64_t begin = 0;  // place of its first byte
    uint64_t span_bytes = 0;
    double lines = 0;
    int width = 0;              // slices that its requests lie in at one time; 0: it is no read
    uint64_t first_slices = 0;  // bits of those that it begins in
  };
  Read Of(const Region& shape, uint64_t begin) const;

  // What a core is about to move.
  void Announce(size_t core, const Read& read) { next_[core] = read; }
  // How long the slices take for it, if it starts at `start`, as all do whose `starts` are not later.
  int64_t CyclesOf(size_t core, int64_t start, std::span<const int64_t> starts) const;
  // It does, and lasts until `end`.
  void Begin(size_t core, int64_t start, int64_t end);

 private:
  struct Reading {
    Read read;
    int64_t start = 0;
    int64_t end = 0;
  };

  // Lines that a run of bytes touches, where one of the shape's begins at `begin`; in the mean where they do
  // not begin alike.
  double LinesOfRun(const Region& shape, uint64_t begin, uint64_t run_bytes) const;
  // Bits of the slices that a read is in, `bytes` behind its begin.
  uint64_t SlicesAt(const Read& read, uint64_t bytes) const;
  // Those that another core is in at `time`.
  uint64_t SlicesOf(size_t core, int64_t time, std::span<const int64_t> starts) const;

  uint64_t slice_bytes_;
  uint64_t slices_;
  uint64_t line_bytes_;
  double lines_per_cycle_;
  double lines_ahead_;
  std::vector<Read> next_;        // by core
  std::vector<Reading> reading_;  // by core: the last read that it began
};

}  // namespace tilesim
