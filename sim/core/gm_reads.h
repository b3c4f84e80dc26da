// Reads of a buffer of GM that nobody has written so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/core/instruction.h"
#include "sim/core/instruction_log.h"

namespace tilesim {

// Most buffers are only read; their reads are kept as they came, not byte by byte, until somebody writes the
// buffer. Of reads of the same bytes by the same call, with nothing learnt of other cores between them, the
// last stands for all: what comes after it comes after the others. So this grows with what is read, not with
// how often.
class GmReads {
 public:
  // A read without its instruction.
  struct Read {
    Region region;           // its shape only
    uint32_t site = 0;       // of the call
    uint32_t knowledge = 0;  // what the core knew of others
    friend bool operator==(const Read& a, const Read& b) {
      const Region& x = a.region;
      const Region& y = b.region;
      return x.begin == y.begin && x.block_bytes == y.block_bytes && x.count == y.count &&
             x.stride_bytes == y.stride_bytes && x.outer_count == y.outer_count &&
             x.outer_stride_bytes == y.outer_stride_bytes && a.site == b.site && a.knowledge == b.knowledge;
    }
  };

  void Add(const Read& read, AccessId id) { last_[read] = id; }
  // Calls f(read, id), in program order.
  template <class F>
  void ForEach(F&& f) const {
    std::vector<std::pair<AccessId, const Read*>> order;
    for (const auto& [read, id] : last_) {
      order.emplace_back(id, &read);
    }
    std::ranges::sort(order);
    for (const auto& [id, read] : order) {
      f(*read, id);
    }
  }
  template <class F>
  void ForEachId(F&& f) {
    for (auto& [read, id] : last_) {
      f(id);
    }
  }
  size_t size() const { return last_.size(); }

 private:
  struct Hash {
    size_t operator()(const Read& read) const {
      const Region& region = read.region;
      uint64_t hash = region.begin;
      for (const uint64_t part : {region.block_bytes, region.count, region.stride_bytes, region.outer_count,
                                  region.outer_stride_bytes, uint64_t{read.site}, uint64_t{read.knowledge}}) {
        hash = (hash ^ part) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

  std::unordered_map<Read, AccessId, Hash> last_;
};

}  // namespace tilesim
