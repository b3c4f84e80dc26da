// Cores that tell each other something by words in GM, which one writes and others read again and again: what
// a core waits for there, and what the others have told so far. Knows no threads.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/core/cross_core.h"

namespace tilesim {

// A word of 32 bits that a core has stored into GM, or added to it, for others to find.
struct GmWord {
  uint64_t address = 0;
  int32_t value = 0;
  bool adds = false;
  bool kept = false;  // its core stores it again and again while it waits for others
};

// Words of GM that a core reads until they are what it waits for.
struct GmPoll {
  std::vector<uint64_t> words;    // addresses
  std::vector<int32_t> expected;  // each is this; none: their sum is `least_sum` or more
  int64_t least_sum = 0;
  bool one_a_core = false;  // each word is that of a core of this kind, in their order, and of equal share

  [[nodiscard]] bool Holds(const std::vector<int32_t>& seen) const;
  // The first word that is not as it is waited for.
  [[nodiscard]] size_t FirstMissing(const std::vector<int32_t>& seen) const;
  // Of one_a_core: the words, by number, that are less than their share of the sum.
  [[nodiscard]] std::vector<size_t> Missing(const std::vector<int32_t>& seen) const;
};

// How a poll ended.
struct GmAnswer {
  bool holds = false;                // false: it never will
  std::vector<int32_t> seen;         // what the words were
  std::vector<CrossCoreEvent> from;  // the last store of each core to each of them
};

class GmWords {
 public:
  // `values`: GM has them, for instructions compute; else they are what was told, and 0 before that.
  explicit GmWords(bool values) : values_(values) {}

  // Not while any core runs, as all that follows.
  void Deliver(const CrossCoreEvent& event, const std::vector<GmWord>& words);
  [[nodiscard]] GmAnswer Answer(const GmPoll& poll) const;

 private:
  [[nodiscard]] int32_t Read(uint64_t address) const;

  bool values_;
  std::map<uint64_t, std::map<int, CrossCoreEvent>> last_;  // by word and core
  std::map<uint64_t, int32_t> told_;                        // where GM has no values
  std::map<uint64_t, int32_t> kept_;                        // by word
};

}  // namespace tilesim
