#include "sim/core/recording.h"

#include <algorithm>

#include "formats/error.h"
#include "sim/core/free_memory.h"

namespace tilesim {

uint64_t Step::Hash() const {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  const auto small = static_cast<uint64_t>(kind) | static_cast<uint64_t>(pipe) << 8 |
                     static_cast<uint64_t>(to) << 16 | static_cast<uint64_t>(id) << 24 |
                     static_cast<uint64_t>(block) << 32 | static_cast<uint64_t>(blocks) << 48;
  uint64_t hash = small * kPrime;
  hash = (hash ^ hash >> 29 ^ static_cast<uint64_t>(cost.busy_cycles) ^ static_cast<uint64_t>(gm) << 40) *
         kPrime;
  return (hash ^ hash >> 29 ^ static_cast<uint64_t>(cost.latency_cycles) ^
          static_cast<uint64_t>(where.line) << 32) *
         kPrime;
}

size_t Recording::RoomBeyond(size_t kept, size_t bytes_each) const {
  constexpr size_t kLeast = 1024;
  const size_t room = std::max(kLeast, 2 * kept);
  const uint64_t more_bytes = room * bytes_each;
  // While they are copied there are both.
  const uint64_t bytes = more_bytes + sequence_.literals() * sizeof(uint32_t) +
                         2 * sequence_.folds() * sizeof(FoldedSequence::Fold) +
                         gm_begins_.size() * sizeof(gm_begins_[0]) +
                         2 * steps_.size() * (sizeof(Step) + sizeof(times_[0]));
  // Other launches of the process take memory, too: what is free by now counts once it is not little.
  constexpr uint64_t kLittle = uint64_t{16} << 20;
  const uint64_t half_free = more_bytes < kLittle ? UINT64_MAX : FreeMemoryBytes() / 2;
  if ((bytes > most_bytes_ || more_bytes > half_free) && kept > 0) {
    const bool is_part = bytes > most_bytes_;
    throw RecordingTooLong(
        Say("what a core does takes more than ", (is_part ? most_bytes_ : half_free) >> 20U,
            is_part ? " MiB to record, its part of half of the memory that is free, after "
                    : " MiB more to record, half of the memory that is free by now, after ",
            sequence_.size(), " steps; give a smaller case, or --mode functional, which records nothing"));
  }
  return room;
}

void Recording::CrossWait(std::span<const CrossCoreSource> sources) {
  Add({.kind = Step::Kind::kCrossWait});
  sources_.insert(sources_.end(), sources.begin(), sources.end());
  source_ends_.push_back(sources_.size());
}

void Recording::CutTo(size_t size) {
  for (; sequence_.size() > size; sequence_.pop_back()) {
    const Step& step = steps_[sequence_.back()];
    --times_[sequence_.back()];
    runs_ -= step.kind == Step::Kind::kRun ? 1 : 0;
    if (step.gm != 0) {
      gm_begins_.pop_back();
    }
    if (step.kind == Step::Kind::kCrossSet) {
      --cross_sets_;
    }
    if (step.kind == Step::Kind::kCrossWait) {
      source_ends_.pop_back();
      sources_.resize(source_ends_.empty() ? 0 : source_ends_.back());
    }
  }
}

std::span<const CrossCoreSource> Recording::SourcesOfWait(size_t n) const {
  const size_t begin = n == 0 ? 0 : source_ends_[n - 1];
  return std::span(sources_).subspan(begin, source_ends_[n] - begin);
}

}  // namespace tilesim
