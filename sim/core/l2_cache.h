// Which bytes of GM are in L2, for all cores together. Knows no time: it is asked in the order in which moves
// begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/gm_move.h"
#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What a move does to HBM and L2.
struct L2Traffic {
  GmBytes bytes = {};                // that the move itself waits for
  int64_t shared_bytes = 0;          // of the hits: where another core was the last to read
  int64_t shared_request_bytes = 0;  // the same in whole requests of 256 bytes
  uint32_t fetched_by = 0;           // the latest move that fetched of what a read finds; 0: none
  int64_t written_back_bytes = 0;    // to HBM, of the lines that give way to it
  int64_t behind_bytes = 0;          // fetched from HBM because of it, and nobody waits for them
};

// Lines of l2.line_bytes are allocated, sectors of l2.sector_bytes are fetched. A read finds what any core
// read or wrote before; what it misses is fetched in whole sectors. Writes and atomic updates go to L2,
// allocating there what they miss (l2.write_allocate; else that goes to HBM), and reach HBM when their line
// is replaced; an atomic update fetches the sectors it misses. Replaced are the lines of the group of 64
// sectors that was used longest ago. Begins empty. Not known: banks, sets, who else uses L2, when
// what a move fetches arrives.
class L2Cache {
 public:
  explicit L2Cache(const SocConfig& soc);

  // GM is one space of places here, so that times do not depend on where the host put a buffer: buffers lie
  // at multiples of this, none over another.
  int64_t granule_bytes() const { return kSectors * sector_bytes_; }
  // Tells that everything that will be touched has room at once: nothing is ever replaced, so nobody needs to
  // know what was used when.
  void KeepAll() { replaces_ = false; }
  // Bytes [begin, end) are read, written or updated by `core`.
  void Touch(uint64_t begin, uint64_t end, Use use, int core, L2Traffic& traffic);

  // Those that follow are of the next move; its number, from 1.
  uint32_t NextMove() { return ++move_; }
  int64_t sector_bytes() const { return sector_bytes_; }
  int64_t held_lines() const { return held_lines_; }

 private:
  static constexpr int64_t kSectors = 64;  // of a granule: a bit each
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr int kNobody = -1;
  struct Granule {
    uint64_t present = 0;
    uint64_t dirty = 0;
    uint32_t newer = kNone;  // neighbours in the order of use, of granules that hold something
    uint32_t older = kNone;
    int reader = kNobody;     // the core that read last
    uint32_t fetched_by = 0;  // the latest move that fetched of it
  };

  // Sectors of a granule in groups, of a power of two each.
  struct Groups {
    int sectors = 1;
    int shift = 0;                            // of a sector's number to its group's
    uint64_t begins = 0;                      // a bit for the first sector of each
    int64_t CountOf(uint64_t touched) const;  // how many have one of these
  };
  static Groups GroupsOf(int sectors);
  // A read by the move in hand finds and misses these sectors.
  void NoteFetches(uint32_t index, uint64_t found, uint64_t missing, L2Traffic& traffic);
  void TouchGranule(uint32_t index, int64_t begin, int64_t end, Use use, int core, L2Traffic& traffic);
  void Unlink(uint32_t index);
  void MakeNewest(uint32_t index);
  // Replaces until what is held fits, `keep` never.
  void Fit(uint32_t keep, L2Traffic& traffic);

  int64_t sector_bytes_;
  int sector_shift_ = 0;
  Groups lines_, requests_;
  int64_t most_lines_;
  bool write_allocate_;
  bool replaces_ = true;
  int64_t held_lines_ = 0;
  uint32_t newest_ = kNone;
  uint32_t oldest_ = kNone;
  std::vector<Granule> granules_;
  uint32_t move_ = 0;
  std::vector<uint32_t> fetches_;  // by line: the move that last fetched of it
};

}  // namespace tilesim
