#include "tiling/conv_backprop/filter_readers.h"

namespace tilesim {

size_t PartReaders::PlaceOf(int64_t number) const {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // Fibonacci hashing: 2^64 by the golden ratio
  constexpr int kHalf = 32;
  const size_t last = places_.size() - 1;
  size_t place = (static_cast<uint64_t>(number) * kOdd >> kHalf) & last;
  while (places_[place].step >= 0 && places_[place].number != number) {
    place = (place + 1) & last;
  }
  return place;
}

void PartReaders::NextStep() {
  ++step_;
  fetched_before_ = fetched_;
}

void PartReaders::Read(int64_t number, int64_t core, double bytes) {
  Part& part = places_[PlaceOf(number)];
  if (part.step != step_) {
    part.was_in_l2 = HasKept(part);
    part.core_before = part.core;
    part.number = number;
    part.step = step_;
    part.together = 0;
    part.fetched = fetched_before_;
    fetched_ += part.was_in_l2 ? 0 : bytes;
  }
  ++part.together;
  part.core = static_cast<int32_t>(core);
}

PartReaders::Found PartReaders::FoundBy(int64_t number, int64_t core) const {
  const Part& part = places_[PlaceOf(number)];
  return {.in_l2 = part.was_in_l2, .by_other = part.core_before != core, .together = part.together};
}

bool PartReaders::InL2(int64_t number) const {
  const Part& part = places_[PlaceOf(number)];
  return part.step == step_ ? part.was_in_l2 : HasKept(part);
}

bool PartReaders::IsRead(int64_t number) const { return places_[PlaceOf(number)].step == step_; }

}  // namespace tilesim
