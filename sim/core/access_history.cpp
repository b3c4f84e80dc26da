#include "sim/core/access_history.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tilesim {

size_t AccessHistory::Hash::operator()(const Access& access) const {
  const ByteRuns& bytes = access.bytes;
  uint64_t hash = bytes.begin;
  for (const uint64_t part : {bytes.run_bytes, bytes.count, bytes.stride_bytes, bytes.outer_count,
                              bytes.outer_stride_bytes, static_cast<uint64_t>(access.use)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

void AccessHistory::Record(Pipe pipe, const Access& access, AccessId id, uint32_t sequence) {
  LastOf& last = last_[Index(pipe)];
  const auto [at, is_new] = last.insert_or_assign(access, Last{.id = id, .sequence = sequence});
  std::vector<Turn>& turns = turns_[Index(pipe)];
  if (turns.size() >= 2 * (last.size() + kFew)) {
    std::erase_if(turns, [](const Turn& turn) { return !turn.Stands(); });
  }
  turns.push_back({.sequence = sequence, .entry = &*at});
  if (turns.size() > 1 && turns[turns.size() - 2].sequence > sequence) {  // told of late
    std::ranges::inplace_merge(turns, turns.end() - 1, {}, &Turn::sequence);
  }
  size_ += is_new ? 1 : 0;
  if (size_ >= prune_at_) {
    Prune();
    prune_at_ = std::max(kFew, 2 * size_);
  }
}

AccessMap AccessHistory::Exact(uint64_t begin, uint64_t end) const {
  std::vector<Placed> order;
  for (size_t pipe = 0; pipe < last_.size(); ++pipe) {
    for (const LastOf::value_type& entry : last_[pipe]) {
      if (entry.first.bytes.begin < end && begin < entry.first.bytes.end()) {
        order.push_back({.entry = &entry, .pipe = static_cast<Pipe>(pipe)});
      }
    }
  }
  const auto place = [](const Placed& placed) {  // an instruction reads before it writes
    return std::tuple(placed.entry->second.id, placed.entry->first.use, placed.entry->first.bytes);
  };
  std::ranges::sort(order, {}, place);
  AccessMap map;
  for (const Placed& placed : order) {
    const auto& access = placed.entry->first;
    const auto& last = placed.entry->second;
    access.bytes.ForEachRun([&](uint64_t from, uint64_t to) {
      from = std::max(from, begin);
      to = std::min(to, end);
      if (from >= to) {
        return;
      }
      if (access.use == Use::kRead) {
        map.Read(from, to, placed.pipe, last.id);
      } else {
        map.Write(from, to, last.id, access.use == Use::kAtomic);
      }
    });
  }
  return map;
}

void AccessHistory::Prune() {
  std::set<AccessId> alive;
  Exact(0, ~uint64_t{0}).ForEachId([&](AccessId id) { alive.insert(id); });
  size_ = 0;
  for (size_t pipe = 0; pipe < last_.size(); ++pipe) {
    const auto dead = [&](const Last& last) { return !alive.contains(last.id); };
    std::erase_if(turns_[pipe], [&](const Turn& turn) { return !turn.Stands() || dead(turn.entry->second); });
    std::erase_if(last_[pipe], [&](const auto& entry) { return dead(entry.second); });
    size_ += last_[pipe].size();
  }
}

}  // namespace tilesim
