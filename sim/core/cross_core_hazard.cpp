#include <algorithm>
#include <set>
#include <tuple>

#include "formats/error.h"
#include "sim/core/hazard.h"

namespace tilesim {
namespace {

struct Meeting {
  GmAccess access;
  size_t core = 0;
};

// Is everything `a` stands for complete before `b` starts?
bool Before(const Meeting& a, const Meeting& b, const std::vector<HazardChecker*>& cores) {
  const std::vector<PipeClock>& known = cores[b.core]->knowledge()[b.access.knowledge];
  return a.core < known.size() && known[a.core][static_cast<size_t>(a.access.pipe)] >= a.access.sequence;
}

bool Conflict(const Meeting& a, const Meeting& b, const std::vector<HazardChecker*>& cores) {
  if (a.core == b.core || (a.access.use == Use::kRead && b.access.use == Use::kRead) ||
      (a.access.use == Use::kAtomic && b.access.use == Use::kAtomic)) {
    return false;
  }
  return !Before(a, b, cores) && !Before(b, a, cores);
}

// All accesses that may meet a write, by address.
std::vector<Meeting> Gather(const std::vector<HazardChecker*>& cores, size_t num_buffers) {
  for (size_t buffer = 0; buffer < num_buffers; ++buffer) {
    if (std::ranges::any_of(cores, [&](const HazardChecker* core) { return core->Tracks(buffer); })) {
      std::ranges::for_each(cores, [&](HazardChecker* core) { core->Track(buffer); });
    }
  }
  IntervalSet written;
  for (HazardChecker* core : cores) {
    for (const GmAccess& access : core->gm_accesses()) {
      if (access.use != Use::kRead) {
        written.Add(access.begin, access.end);
      }
    }
  }
  std::vector<Meeting> meetings;
  for (size_t core = 0; core < cores.size(); ++core) {
    for (const GmAccess& access : cores[core]->gm_accesses()) {
      if (written.Meets(access.begin, access.end)) {
        meetings.push_back({access, core});
      }
    }
  }
  std::stable_sort(meetings.begin(), meetings.end(),
                   [](const Meeting& a, const Meeting& b) { return a.access.begin < b.access.begin; });
  return meetings;
}

const char* Verb(Use use) {
  return use == Use::kRead ? "reads" : use == Use::kWrite ? "writes" : "atomically updates";
}

Fault Describe(const Meeting& first, const Meeting& second, const std::vector<HazardChecker*>& cores) {
  // the core of the higher number tells of the lower
  const Meeting& teller = first.core < second.core ? second : first;
  const Meeting& other = first.core < second.core ? first : second;
  Fault fault = cores[teller.core]->FaultAt(teller.access.id, FaultKind::kHazard, "GM");
  const uint64_t begin = std::max(first.access.begin, second.access.begin);
  const uint64_t end = std::min(first.access.end, second.access.end);
  fault.what =
      Say(Verb(teller.access.use), " ", cores[teller.core]->GmPlace(begin, end), " that ",
          cores[other.core]->core_name(), " ", Verb(other.access.use), " with ",
          cores[other.core]->Describe(other.access.id),
          ", and no cross-core flag orders the two: needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag");
  return fault;
}

}  // namespace

std::vector<Fault> FindCrossCoreHazards(const std::vector<HazardChecker*>& cores, size_t limit) {
  std::vector<Fault> faults;
  std::set<std::tuple<size_t, int, size_t, int>> seen;  // a pair of cores and lines is told once
  std::vector<Meeting> active;
  if (cores.size() < 2) {
    return faults;
  }
  for (const Meeting& meeting : Gather(cores, cores.front()->num_buffers())) {
    std::erase_if(active, [&](const Meeting& other) { return other.access.end <= meeting.access.begin; });
    for (const Meeting& other : active) {
      if (faults.size() < limit && Conflict(other, meeting, cores) &&
          seen.insert({other.core, other.access.line, meeting.core, meeting.access.line}).second) {
        faults.push_back(Describe(other, meeting, cores));
      }
    }
    active.push_back(meeting);
  }
  return faults;
}

}  // namespace tilesim
