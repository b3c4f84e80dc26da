#include "sim/core/happens_before.h"

#include <algorithm>

namespace tilesim {

void HappensBefore::Join(PipeClock& into, const PipeClock& from) {
  for (size_t p = 0; p < into.size(); ++p) {
    into[p] = std::max(into[p], from[p]);
  }
}

PipeClock HappensBefore::After(Pipe pipe) const {
  PipeClock clock = known_[static_cast<size_t>(pipe)];
  clock[static_cast<size_t>(pipe)] = issued_[static_cast<size_t>(pipe)];
  return clock;
}

void HappensBefore::SetFlag(Pipe src, Pipe dst, int id) {
  FlagClock(src, dst, id) = After(src);
  ++published_[static_cast<size_t>(src)];
}

void HappensBefore::WaitFlag(Pipe src, Pipe dst, int id) {
  const PipeClock& clock = FlagClock(src, dst, id);
  if (dst == Pipe::kS) {  // the scalar unit issues nothing until then
    for (PipeClock& known : known_) {
      Join(known, clock);
    }
  } else {
    Join(known_[static_cast<size_t>(dst)], clock);
  }
}

void HappensBefore::Barrier(Pipe pipe) { known_[static_cast<size_t>(pipe)] = After(pipe); }

void HappensBefore::BarrierAll() {
  for (PipeClock& known : known_) {
    known = issued_;
  }
  for (uint32_t& published : published_) {
    ++published;
  }
}

CoreKnowledge HappensBefore::Promise(Pipe pipe) const { return {.own = After(pipe), .foreign = foreign_}; }

void HappensBefore::Learn(int core_index, const CoreKnowledge& promise, int self) {
  const size_t needed =
      std::max({promise.foreign.size(), static_cast<size_t>(core_index) + 1, foreign_.size()});
  foreign_.resize(needed);
  for (size_t c = 0; c < promise.foreign.size(); ++c) {
    Join(foreign_[c], promise.foreign[c]);
  }
  Join(foreign_[static_cast<size_t>(core_index)], promise.own);
  if (static_cast<size_t>(self) < foreign_.size()) {
    for (PipeClock& known : known_) {
      Join(known, foreign_[static_cast<size_t>(self)]);
    }
  }
}

}  // namespace tilesim
