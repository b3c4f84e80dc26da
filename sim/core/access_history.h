// The accesses to one memory that later ones may conflict with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/core/access_map.h"
#include "sim/core/byte_runs.h"
#include "sim/core/instruction.h"
#include "sim/core/instruction_log.h"
#include "sim/core/pipe.h"

namespace tilesim {

// Keeps accesses as they came, pipe by pipe: of those of one pipe and use to the same bytes the last stands
// for all. So a question looks only at what came after an instruction of a pipe, and an access costs about
// the same however many runs it has. It may show accesses that later ones have hidden, never too few; Exact
// knows the last word on each byte. Knows no pipes' order and no faults.
class AccessHistory {
 public:
  struct Access {
    ByteRuns bytes;
    Use use = Use::kRead;
    bool undefined = false;  // of a write: as of Region
    friend bool operator==(const Access&, const Access&) = default;
  };
  static constexpr size_t kFew = 1024;

  // `sequence`: the instruction's number on its pipe.
  void Record(Pipe pipe, const Access& access, AccessId id, uint32_t sequence);
  // Has `pipe` made this access before? May have forgotten it.
  bool Has(Pipe pipe, const Access& access) const { return last_[Index(pipe)].contains(access); }

  // Is is(access, id) true of any access of `pipe` by an instruction that came after number `sequence`?
  template <class Is>
  bool AnyAfter(Pipe pipe, uint32_t sequence, Is&& is) const {
    const std::vector<Turn>& turns = turns_[Index(pipe)];
    for (auto at = turns.rbegin(); at != turns.rend() && at->sequence > sequence; ++at) {
      if (at->Stands() && is(at->entry->first, at->entry->second.id)) {
        return true;
      }
    }
    return false;
  }
  // The last word on the bytes of [begin, end).
  AccessMap Exact(uint64_t begin, uint64_t end) const;

  // Calls f(id) for every id it holds, as a reference.
  template <class F>
  void ForEachId(F&& f) {
    for (auto& of_pipe : last_) {
      for (auto& [access, last] : of_pipe) {
        f(last.id);
      }
    }
  }
  size_t size() const { return size_; }
  void clear() { *this = {}; }

 private:
  struct Last {
    AccessId id = 0;
    uint32_t sequence = 0;
  };
  struct Hash {
    size_t operator()(const Access& access) const;
  };
  using LastOf = std::unordered_map<Access, Last, Hash>;
  struct Turn {
    uint32_t sequence = 0;
    const LastOf::value_type* entry = nullptr;
    bool Stands() const { return entry->second.sequence == sequence; }  // nothing took its place
  };
  struct Placed {
    const LastOf::value_type* entry = nullptr;
    Pipe pipe = Pipe::kS;
  };
  // Forgets those that are the last word on no byte.
  void Prune();

  static constexpr size_t Index(Pipe pipe) { return static_cast<size_t>(pipe); }

  std::array<LastOf, kNumPipes> last_;
  std::array<std::vector<Turn>, kNumPipes> turns_;  // ascending
  size_t size_ = 0;
  size_t prune_at_ = kFew;
};

}  // namespace tilesim
