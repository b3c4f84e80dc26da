// Flags between cores: counters of each core, raised when a group of cores has set a flag. Knows no threads.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/happens_before.h"
#include "sim/core/identity.h"
#include "sim/core/pipe.h"
#include "sim/core/scalar_cache.h"
#include "sim/core/source_line.h"

namespace tilesim {

inline constexpr int kCrossCoreFlags = 16;
inline constexpr int kCrossCoreLimit = 15;  // a counter beyond it is a hardware error

// One setting of a flag by one core.
struct CrossCoreEvent {
  int core_index = 0;
  int mode =
      0;  // 0: all cores of the kind; 1: the AIVs of a block; 2: between the AIC and the AIVs of a block
  int id = 0;
  SourceLine where = {};
  uint32_t set = 0;                                   // how many the core had set before
  std::shared_ptr<const CoreKnowledge> promise = {};  // null where hazards are off
};

// What a wait takes from its counter: the sets that raised it.
struct CrossCoreToken {
  std::vector<CrossCoreEvent> from;
};

struct CoreAnswer;
struct CoreMail;
struct CoreMessage;
struct GmAnswer;
struct GmPoll;
struct GmWord;

// What a core has written to GM by SetValue and not cleaned from its cache.
struct ScalarWrites {
  int core_index = 0;
  std::string core;  // "AIV 0"
  std::vector<ScalarCache::Written> bytes;
};

// Where a core hands in its events and takes its tokens; the launcher provides it.
class CrossCorePort {
 public:
  virtual ~CrossCorePort() = default;
  virtual void Set(const CrossCoreEvent& event) = 0;
  // Blocks the calling core until the flag is up. nullopt: it never will be.
  virtual std::optional<CrossCoreToken> Wait(int core_index, int id) = 0;
  // The core has stored the words for others to find.
  virtual void Tell(const CrossCoreEvent& event, const std::vector<GmWord>& words);
  // Blocks the calling core until the words of GM are what it waits for, or never will be.
  virtual GmAnswer Poll(int core_index, const GmPoll& poll);
  // The calling core goes on when all others have run as far as they can; at once where they have long done
  // nothing.
  virtual void LetOthersRun(int /*core_index*/) {}
  // An AIV's message to the AIC of its block.
  virtual void Post(CoreMessage message);
  // Blocks the calling AIC until there is a message, or will be none.
  virtual CoreMail NextMessage(int core_index);
  virtual void Answer(const CoreAnswer& answer);
  // Blocks the calling AIV until its message is answered. nullopt: it never will be.
  virtual std::optional<CrossCoreEvent> AwaitAnswer(int core_index, uint32_t number);
};

class CrossCoreFlags {
 public:
  explicit CrossCoreFlags(std::vector<CoreIdentity> cores);

  // Takes one event in; raises the counters of a group once all its setters have set. Returns what went
  // wrong, or nothing. Not while any core runs.
  std::string Deliver(const CrossCoreEvent& event);
  // Takes one token, if there is one. Cores may do so at once, each for itself.
  std::optional<CrossCoreToken> Take(int core_index, int id);
  // The cores that have not set flag `id` while another of the group that it waits for has.
  std::vector<int> Missing(int core_index, int id) const;
  // What is left once every core has ended: a counter nobody waited for, a set whose group never completed.
  std::vector<CrossCoreEvent> Unbalanced() const;
  bool Ready(int core_index, int id) const {
    const auto found = tokens_.find(KeyOf(core_index, id));
    return found != tokens_.end() && !found->second.empty();
  }

 private:
  using Queue = std::list<CrossCoreToken>;
  static int KeyOf(int core_index, int id) { return core_index * kCrossCoreFlags + id; }
  std::vector<int> Setters(const CrossCoreEvent& event) const;
  std::vector<int> Receivers(const CrossCoreEvent& event) const;

  std::vector<CoreIdentity> cores_;
  // By core, mode and id in this order, and only of flags that were met: most are never used.
  std::map<int, Queue> tokens_;                       // core x id
  std::map<int, std::list<CrossCoreEvent>> pending_;  // core x mode x id: set, the group not complete yet
};

}  // namespace tilesim
