#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

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

// Numbers for accesses, equal for those that meet others with the same outcome: of one core, pipe, use and
// knowledge, and between the same of the numbers that other cores know of that pipe.
class Kinds {
 public:
  explicit Kinds(const std::vector<HazardChecker*>& cores) : cores_(cores), known_(cores.size() * kNumPipes) {
    for (const HazardChecker* core : cores) {
      std::vector<PipeClock> before(cores.size());
      for (const std::vector<PipeClock>& knowledge : core->knowledge()) {
        for (size_t i = 0; i < std::min(knowledge.size(), before.size()) * kNumPipes; ++i) {
          uint32_t& last = before[i / kNumPipes][i % kNumPipes];
          const uint32_t now = knowledge[i / kNumPipes][i % kNumPipes];
          if (now != last) {
            known_[i].insert(now);
          }
          last = now;
        }
      }
    }
  }
  uint32_t Of(const Meeting& meeting) {
    const GmAccess& access = *meeting.access;
    const std::set<uint32_t>& known = known_[meeting.core * kNumPipes + static_cast<size_t>(access.pipe)];
    const auto until = known.lower_bound(access.sequence);
    const auto [at, is_new] = numbers_.try_emplace(
        {meeting.core, access.pipe, access.use, access.knowledge, until == known.end() ? ~0U : *until},
        static_cast<uint32_t>(examples_.size()));
    if (is_new) {
      examples_.push_back(meeting);
    }
    return at->second;
  }
  bool Clash(uint32_t a, uint32_t b) const { return Conflict(examples_[a], examples_[b], cores_); }

 private:
  const std::vector<HazardChecker*>& cores_;
  std::vector<std::set<uint32_t>> known_;  // by core and pipe
  std::map<std::tuple<size_t, Pipe, Use, uint32_t, uint32_t>, uint32_t> numbers_;
  std::vector<Meeting> examples_;  // by number
};

// Sets of kinds, numbered: a byte's state is which kinds have touched it. 0 is the empty set.
class TouchStates {
 public:
  static constexpr uint32_t kHazard = ~uint32_t{0};
  explicit TouchStates(const Kinds& kinds) : kinds_(kinds) {}

  // The state of a byte of `state` that `kind` touches too.
  uint32_t After(uint32_t state, uint32_t kind) {
    const auto [at, is_new] = after_.try_emplace({state, kind}, kHazard);
    if (is_new && std::ranges::none_of(sets_[state], [&](uint32_t a) { return kinds_.Clash(a, kind); })) {
      std::set<uint32_t> all = sets_[state];
      all.insert(kind);
      const auto [number, is_new_set] = numbers_.try_emplace(all, static_cast<uint32_t>(sets_.size()));
      if (is_new_set) {
        sets_.push_back(std::move(all));
      }
      at->second = number->second;
    }
    return at->second;
  }

 private:
  const Kinds& kinds_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> after_;
  std::vector<std::set<uint32_t>> sets_{1};
  std::map<std::set<uint32_t>, uint32_t> numbers_{{{}, 0}};
};

constexpr int kPageShift = 16;

// Is there a hazard on this page of 2^kPageShift bytes?
bool AnyHazardOn(uint64_t page, const std::vector<Meeting>& meetings, Kinds& kinds, TouchStates& states) {
  if (std::ranges::all_of(meetings, [&](const Meeting& a) { return a.core == meetings.front().core; })) {
    return false;
  }
  const uint64_t page_begin = page << kPageShift;
  const uint64_t page_end = page_begin + (uint64_t{1} << kPageShift);
  uint64_t places = page_end;  // every run begins and ends at a multiple of its lowest bit
  for (const Meeting& meeting : meetings) {
    const ByteRuns& bytes = meeting.access->bytes;
    places |= bytes.begin | bytes.run_bytes | bytes.stride_bytes | bytes.outer_stride_bytes;
  }
  const int shift = std::countr_zero(places);
  std::vector<uint32_t> touched((page_end - page_begin) >> shift);
  for (const Meeting& meeting : meetings) {
    const uint32_t kind = kinds.Of(meeting);
    uint32_t from = 0;
    uint32_t to = states.After(from, kind);
    const ByteRuns& bytes = meeting.access->bytes;
    for (ByteRuns::Run run = bytes.EndingAfter(page_begin); run.end != 0 && run.begin < page_end;
         run = bytes.EndingAfter(run.end)) {
      const uint64_t end = (std::min(run.end, page_end) - page_begin) >> shift;
      for (uint64_t at = (std::max(run.begin, page_begin) - page_begin) >> shift; at < end; ++at) {
        if (touched[at] != from) {
          from = touched[at];
          to = states.After(from, kind);
        }
        if (to == TouchStates::kHazard) {
          return true;
        }
        touched[at] = to;
      }
    }
  }
  return false;
}

// Is there any hazard at all? Walks the bytes page by page, so that the number of pairs does not matter.
bool AnyHazard(const std::vector<HazardChecker*>& cores) {
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
  Kinds kinds(cores);
  TouchStates states(kinds);
  return std::ranges::any_of(
      pages, [&](const auto& page) { return AnyHazardOn(page.first, page.second, kinds, states); });
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

// `teller`: the one of the core of the higher number, which tells of the other.
Fault Describe(const Meeting& other, const Meeting& teller, const std::vector<HazardChecker*>& cores) {
  Fault fault = cores[teller.core]->FaultAt(teller.access->id, FaultKind::kHazard, "GM");
  const uint64_t begin = std::max(other.access->bytes.begin, teller.access->bytes.begin);
  const uint64_t end = std::min(other.access->bytes.end(), teller.access->bytes.end());
  const bool by_scalars = other.access->pipe == Pipe::kS || teller.access->pipe == Pipe::kS;
  fault.what =
      Say(Verb(teller.access->use), " ", cores[teller.core]->GmPlace(begin, end), " that ",
          cores[other.core]->core_name(), " ", Verb(other.access->use), " with ",
          cores[other.core]->Describe(other.access->id),
          ", and no cross-core flag orders the two: needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag",
          by_scalars ? "; a loop of the kernel's own that reads a word until another core has written it is "
                       "not seen as an order, IBSet and IBWait are"
                     : "");
  return fault;
}

}  // namespace

std::vector<Fault> FindCrossCoreHazards(const std::vector<HazardChecker*>& cores, size_t limit) {
  std::vector<Fault> faults;
  // Pairs of lines are told once, by the first pair of cores; so many pairs of cores are looked for in all.
  const size_t most_pairs = 16 * limit;
  std::set<std::tuple<size_t, int, size_t, int>> seen;
  std::map<std::pair<int, int>, std::pair<size_t, int>> told;  // the place in faults, how many more there are
  if (cores.size() < 2) {
    return faults;
  }
  TrackWritten(cores, cores.front()->num_buffers());
  if (!AnyHazard(cores)) {
    return faults;
  }
  const bool cut = AnyPair(Gather(cores), [&](const Meeting& one, const Meeting& meeting) {
    const Meeting& low = one.core < meeting.core ? one : meeting;
    const Meeting& high = one.core < meeting.core ? meeting : one;
    if (Conflict(low, high, cores) &&
        seen.insert({low.core, low.access->line, high.core, high.access->line}).second) {
      const auto [at, is_new] =
          told.try_emplace(std::minmax(low.access->line, high.access->line), faults.size(), 0);
      if (is_new) {
        faults.push_back(Describe(low, high, cores));
      } else {
        ++at->second.second;
      }
    }
    return faults.size() >= limit || seen.size() >= most_pairs;
  });
  for (const auto& [lines, more] : told) {
    if (more.second > 0) {
      faults[more.first].what +=
          Say("; so it is with ", more.second, cut ? " or more" : "", " other pairs of cores");
    }
  }
  return faults;
}

}  // namespace tilesim
