// Which bytes of GM a core finds in L2. Knows no time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/gm.h"
#include "sim/core/instruction.h"

namespace tilesim {

struct GmBytes {
  int64_t hit = 0;   // in L2
  int64_t miss = 0;  // from HBM
};

// A core finds in L2 what it has read or written before in this launch, as long as the launch's buffers fit
// in L2; otherwise everything comes from HBM. What other cores fetched is not known here, so shared data
// counts as a miss once a core (assumed; docs/model.md). Kept in sectors of 2 KiB.
class GmTraffic {
 public:
  GmTraffic(const GmSpace& gm, int64_t l2_bytes);

  // Splits the bytes of a GM region, and remembers them.
  GmBytes Touch(const Region& region);
  // Of everything read so far.
  const GmBytes& read() const { return read_; }

 private:
  static constexpr int kSectorShift = 11;
  struct Seen {
    std::vector<uint64_t> bits;
  };
  static GmBytes TouchRun(Seen& seen, uint64_t begin, uint64_t end);

  const GmSpace& gm_;
  bool fits_l2_ = true;
  GmBytes read_;
  std::vector<Seen> seen_;  // a buffer each; made at the first touch
};

}  // namespace tilesim
