// What all cores of a filter gradient together make of one that is played.
#include <algorithm>
#include <limits>

#include "sim/core/shared_rate.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/tune/filter_play.h"
#include "tiling/tune/shared_bound.h"

namespace tilesim {

// The writes of all cores from the i-th of each on have to pass L2, and none of them can start before the
// i-th can; nor can the reads that this core starts later, but for those that find nothing in L2.
double FilterPlay::Drain() const {
  const double l2 = soc_.l2_total_bytes_per_cycle;
  const double slower = l2 / soc_.l2_atomic_total_bytes_per_cycle;
  double latest = 0;
  double written = 0;
  double read = 0;
  size_t reads = reads_.size();
  for (size_t i = writes_.size(); i-- > 0;) {
    written += cores_with_[writes_[i].task] * writes_[i].bytes;
    for (; reads > 0 && reads_[reads - 1].start >= writes_[i].start; --reads) {
      read += cores_with_[reads_[reads - 1].task] * reads_[reads - 1].bytes;
    }
    const double load = written * slower + LeastL2Load(soc_) * std::max(0.0, read - most_fetched_);
    latest = std::max(latest, writes_[i].start + load * (1 - 1e-5) / l2);
  }
  return latest - 2 * SharedRate::kSlotCycles + Real(soc_.gm_write_latency_cycles);
}

// When the peers' writes of each number can have passed L2: those from the i-th on begin no sooner than it
// can.
void FilterPlay::PrepareWrites() {
  const double bytes_per_cycle = soc_.l2_atomic_total_bytes_per_cycle;
  write_ends_.clear();
  double end = 0;
  for (const Passage& write : writes_) {
    end = std::max(end, write.start) + Real(dealt_.peers) * write.bytes * (1 - 1e-5) / bytes_per_cycle;
    write_ends_.push_back(end - 2 * SharedRate::kSlotCycles);
  }
}

// Of any core.
double FilterPlay::FirstWrite() {
  double first = std::numeric_limits<double>::infinity();
  for (Kind& kind : firsts_) {
    PrepareOrder(kind);
    PrepareRows(kind);
    Begin();
    PrepareTask(kind);
    PlayBlock(kind, 0);
    first = std::min(first, writes_.front().start);
  }
  return first;
}

double FilterPlay::Cycles(const FilterBlockChoice& choice, int64_t l0_copies, double cutoff) {
  choice_ = choice;
  l0_copies_ = l0_copies;
  cutoff_ = cutoff;
  for (Kind& kind : kinds_) {
    PrepareOrder(kind);
    PrepareRows(kind);
  }
  double cycles = Play(owns_any_);
  if (dealt_.peers > 1 && cycles < cutoff) {
    PrepareWrites();
    is_last_peer_ = true;
    cycles = std::max(cycles, Play(owns_any_));
    is_last_peer_ = false;
  }
  if (dealt_.alike && cycles < cutoff) {
    cycles = std::max(cycles, Play(false));  // any core
    cycles = std::max(cycles, steps_ <= kMostSteps && cycles < cutoff ? Drain() : 0);
  }
  if (!dealt_.alike && cycles < cutoff) {
    cycles = std::max(cycles, FirstWrite() + update_cycles_ + Real(soc_.gm_write_latency_cycles));
  }
  return cycles;
}

}  // namespace tilesim
