#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "formats/error.h"
#include "sim/core/hazard.h"

namespace tilesim {
namespace {

struct Meeting {
  const GmAccess* access = nullptr;
  size_t core = 0;
};

// Is everything `a` stands for complete before `b` starts?
bool Before(const Meeting& a, const Meeting& b, const std::vector<HazardChecker*>& cores) {
  const std::vector<PipeClock>& known = cores[b.core]->knowledge()[b.access->knowledge];
  return a.core < known.size() && known[a.core][static_cast<size_t>(a.access->pipe)] >= a.access->sequence;
}

bool Conflict(const Meeting& a, const Meeting& b, const std::vector<HazardChecker*>& cores) {
  if (a.core == b.core || (a.access->use == Use::kRead && b.access->use == Use::kRead) ||
      (a.access->use == Use::kAtomic && b.access->use == Use::kAtomic)) {
    return false;
  }
  return !Before(a, b, cores) && !Before(b, a, cores);
}

// Reads of buffers that some core writes count from now on.
void TrackWritten(const std::vector<HazardChecker*>& cores, size_t num_buffers) {
  for (size_t buffer = 0; buffer < num_buffers; ++buffer) {
    if (std::ranges::any_of(cores, [&](const HazardChecker* core) { return core->Tracks(buffer); })) {
      std::ranges::for_each(cores, [&](HazardChecker* core) { core->Track(buffer); });
    }
  }
}

// Calls f(one, other), until it says true, for the accesses whose extents, gaps included, have a byte in
// common; `meetings` come by address. Says whether it did.
template <class F>
bool AnyPair(const std::vector<Meeting>& meetings, F&& f) {
  std::vector<const Meeting*> active;
  for (const Meeting& meeting : meetings) {
    const uint64_t begin = meeting.access->bytes.begin;
    std::erase_if(active, [&](const Meeting* other) { return other->access->bytes.end() <= begin; });
    for (const Meeting* other : active) {
      if (f(*other, meeting)) {
        return true;
      }
    }
    active.push_back(&meeting);
  }
  return false;
}

void SortByAddress(std::vector<Meeting>& meetings) {
  std::stable_sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
    return a.access->bytes.begin < b.access->bytes.begin;
  });
}

// Is there any hazard at all? Asks of accesses as they came, page by page, so that those of many runs cost
// little.
bool AnyHazard(const std::vector<HazardChecker*>& cores) {
  constexpr int kPageShift = 16;
  std::unordered_map<uint64_t, std::vector<Meeting>> pages;  // those that some core writes
  for (const bool making : {true, false}) {
    for (size_t core = 0; core < cores.size(); ++core) {
      for (const GmAccess& access : cores[core]->gm_accesses()) {
        if (making && access.use == Use::kRead) {
          continue;
        }
        access.bytes.ForEachPage(kPageShift, [&](uint64_t page) {
          const auto at = making ? pages.try_emplace(page).first : pages.find(page);
          if (!making && at != pages.end()) {
            at->second.push_back({&access, core});
          }
        });
      }
    }
  }
  return std::ranges::any_of(pages, [&](auto& page) {
    SortByAddress(page.second);
    return AnyPair(page.second, [&](const Meeting& a, const Meeting& b) {
      return Conflict(a, b, cores) && Meet(a.access->bytes, b.access->bytes);
    });
  });
}

// All accesses that may meet a write, run by run, by address.
std::vector<Meeting> Gather(const std::vector<HazardChecker*>& cores) {
  IntervalSet written;
  for (HazardChecker* core : cores) {
    core->SplitGmAccesses();
    for (const GmAccess& access : core->gm_accesses()) {
      if (access.use != Use::kRead) {
        written.Add(access.bytes.begin, access.bytes.end());
      }
    }
  }
  std::vector<Meeting> meetings;
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const GmAccess& access : cores[core]->gm_accesses()) {
      if (written.Meets(access.bytes.begin, access.bytes.end())) {
        meetings.push_back({&access, core});
      }
    }
  }
  SortByAddress(meetings);
  return meetings;
}

const char* Verb(Use use) {
  return use == Use::kRead ? "reads" : use == Use::kWrite ? "writes" : "atomically updates";
}

Fault Describe(const Meeting& first, const Meeting& second, const std::vector<HazardChecker*>& cores) {
  // the core of the higher number tells of the lower
  const Meeting& teller = first.core < second.core ? second : first;
  const Meeting& other = first.core < second.core ? first : second;
  Fault fault = cores[teller.core]->FaultAt(teller.access->id, FaultKind::kHazard, "GM");
  const uint64_t begin = std::max(first.access->bytes.begin, second.access->bytes.begin);
  const uint64_t end = std::min(first.access->bytes.end(), second.access->bytes.end());
  fault.what =
      Say(Verb(teller.access->use), " ", cores[teller.core]->GmPlace(begin, end), " that ",
          cores[other.core]->core_name(), " ", Verb(other.access->use), " with ",
          cores[other.core]->Describe(other.access->id),
          ", and no cross-core flag orders the two: needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag");
  return fault;
}

}  // namespace

std::vector<Fault> FindCrossCoreHazards(const std::vector<HazardChecker*>& cores, size_t limit) {
  std::vector<Fault> faults;
  std::set<std::tuple<size_t, int, size_t, int>> seen;  // a pair of cores and lines is told once
  if (cores.size() < 2) {
    return faults;
  }
  TrackWritten(cores, cores.front()->num_buffers());
  if (!AnyHazard(cores)) {
    return faults;
  }
  AnyPair(Gather(cores), [&](const Meeting& other, const Meeting& meeting) {
    if (Conflict(other, meeting, cores) &&
        seen.insert({other.core, other.access->line, meeting.core, meeting.access->line}).second) {
      faults.push_back(Describe(other, meeting, cores));
    }
    return faults.size() >= limit;
  });
  return faults;
}

}  // namespace tilesim
