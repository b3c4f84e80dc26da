#include "sim/core/recording.h"

namespace tilesim {
namespace {

uint64_t HashOf(const Step& step) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  const auto small = static_cast<uint64_t>(step.kind) | static_cast<uint64_t>(step.pipe) << 8 |
                     static_cast<uint64_t>(step.to) << 16 | static_cast<uint64_t>(step.id) << 24 |
                     static_cast<uint64_t>(step.block) << 32 | static_cast<uint64_t>(step.blocks) << 48;
  uint64_t hash = small * kPrime;
  hash = (hash ^ hash >> 29 ^ static_cast<uint64_t>(step.cost.busy_cycles)) * kPrime;
  hash = (hash ^ hash >> 29 ^ static_cast<uint64_t>(step.cost.latency_cycles) ^
          static_cast<uint64_t>(step.where.line) << 32) *
         kPrime;
  return hash ^ hash >> 32;
}

}  // namespace

void Recording::MakeRoom() {
  table_.assign(table_.empty() ? 512 : 2 * table_.size(), 0);
  const size_t mask = table_.size() - 1;
  for (size_t i = 0; i < steps_.size(); ++i) {
    size_t at = HashOf(steps_[i]) & mask;
    while (table_[at] != 0) {
      at = (at + 1) & mask;
    }
    table_[at] = static_cast<uint32_t>(i + 1);
  }
}

void Recording::Add(const Step& step) {
  if (2 * steps_.size() >= table_.size()) [[unlikely]] {
    MakeRoom();
  }
  const size_t mask = table_.size() - 1;
  size_t at = HashOf(step) & mask;
  while (table_[at] != 0 && steps_[table_[at] - 1] != step) {
    at = (at + 1) & mask;
  }
  if (table_[at] == 0) {
    steps_.push_back(step);
    table_[at] = static_cast<uint32_t>(steps_.size());
  }
  sequence_.push_back(table_[at] - 1);
}

void Recording::CrossWait(std::span<const CrossCoreSource> sources) {
  Add({.kind = Step::Kind::kCrossWait});
  sources_.insert(sources_.end(), sources.begin(), sources.end());
  source_ends_.push_back(sources_.size());
}

std::span<const CrossCoreSource> Recording::SourcesOfWait(size_t n) const {
  const size_t begin = n == 0 ? 0 : source_ends_[n - 1];
  return std::span(sources_).subspan(begin, source_ends_[n] - begin);
}

}  // namespace tilesim
