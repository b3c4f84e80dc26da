// What is kept of each instruction of one core for those who refer to it later: faults name it, and whether
// it was complete in time is asked of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/core/issued.h"
#include "sim/core/pipe.h"
#include "sim/core/source_line.h"

namespace tilesim {

// Names one instruction of a core: its place in the core's log, 1-based; 0 is "none". Retire changes it.
using AccessId = uint32_t;

// A log of one core's instructions in program order. Grows with what is referred to, not with what was
// issued: whoever keeps ids has the log retire from time to time. Knows no addresses and no other core.
class InstructionLog {
 public:
  // What instructions of one call have in common. Its texts are those of Issued: literals, kept by pointer.
  struct Site {
    const char* name = "";
    SourceLine where;
  };
  // One instruction; kept small, for there are many.
  struct Entry {
    int64_t run = 0;         // number on its core
    uint32_t published = 0;  // HappensBefore::Published of its pipe
    uint32_t sequence = 0;   // number on its pipe
    uint32_t site = 0;
    uint32_t tile = 0;
    Pipe pipe = Pipe::kS;
    bool unit_flag = false;
  };

  AccessId Add(const Issued& instruction, uint32_t published, uint32_t sequence);
  const Entry& At(AccessId id) const { return entries_[id - 1]; }
  const Entry& newest() const { return entries_.back(); }
  const Site& SiteAt(AccessId id) const { return sites_[At(id).site]; }
  const TileLabel& TileAt(AccessId id) const { return tiles_[At(id).tile]; }
  size_t size() const { return entries_.size(); }

  // Is it worth while to retire?
  bool Long() const { return entries_.size() >= retire_at_; }
  // Forgets the instructions that nobody refers to. `for_each_id(f)` calls f(id) for every id in use, as a
  // reference; ids are changed through it and keep their order.
  template <class ForEachId>
  void Retire(ForEachId&& for_each_id) {
    std::vector<AccessId> renumbered(entries_.size() + 1, 0);
    for_each_id([&](const AccessId& id) { renumbered[id] = 1; });
    Keep(renumbered);
    for_each_id([&](AccessId& id) { id = renumbered[id]; });
  }

 private:
  static constexpr size_t kShortest = 4096;
  // `marks`: 1 for each id in use. Forgets the others and turns the marks into the new ids.
  void Keep(std::vector<AccessId>& marks);
  // The number of a call; equal for calls whose texts are equal, wherever those texts lie.
  uint32_t SiteOf(const Issued& instruction);

  std::vector<Entry> entries_;
  size_t retire_at_ = kShortest;
  std::vector<TileLabel> tiles_{1};
  std::vector<Site> sites_;
  std::map<std::tuple<std::string_view, std::string_view, int>, uint32_t> site_of_;
  struct Recent {
    Site site;
    uint32_t number = ~uint32_t{0};  // none yet
  };
  std::array<Recent, 64> recent_;  // spares comparing texts; by where they lie
};

}  // namespace tilesim
