#include "sim/core/cross_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "sim/core/gm_poll.h"
#include "sim/core/identity.h"

namespace tilesim {
namespace {

constexpr int kModes = 3;

}  // namespace

std::string CoreIdentity::Name() const {
  return kind == CoreKind::kAiv && aivs_per_block > 0 ? Say("AIV ", block, ".", sub_block)
                                                      : Say(tilesim::Name(kind), " ", block);
}

void CrossCorePort::Tell(const CrossCoreEvent& /*event*/, const std::vector<GmWord>& /*words*/) {
  throw std::logic_error("a lone core was to tell others something by GM");
}
GmAnswer CrossCorePort::Poll(int /*core_index*/, const GmPoll& /*poll*/) {
  throw std::logic_error("a lone core was to wait for others by GM");
}

CrossCoreFlags::CrossCoreFlags(std::vector<CoreIdentity> cores) : cores_(std::move(cores)) {}

std::vector<int> CrossCoreFlags::Setters(const CrossCoreEvent& event) const {
  const CoreIdentity& from = cores_[static_cast<size_t>(event.core_index)];
  std::vector<int> setters;
  for (const CoreIdentity& core : cores_) {
    const bool in_group = core.kind == from.kind && (event.mode == 0 || core.block == from.block);
    if (in_group) {
      setters.push_back(core.index);
    }
  }
  return setters;
}

std::vector<int> CrossCoreFlags::Receivers(const CrossCoreEvent& event) const {
  if (event.mode != 2) {
    return Setters(event);
  }
  const CoreIdentity& from = cores_[static_cast<size_t>(event.core_index)];
  std::vector<int> receivers;
  for (const CoreIdentity& core : cores_) {
    if (core.block == from.block && core.kind != from.kind) {
      receivers.push_back(core.index);
    }
  }
  return receivers;
}

std::string CrossCoreFlags::Deliver(const CrossCoreEvent& event) {
  const auto pending = [&](int core) -> std::list<CrossCoreEvent>& {
    return pending_[(core * kModes + event.mode) * kCrossCoreFlags + event.id];
  };
  pending(event.core_index).push_back(event);
  const std::vector<int> setters = Setters(event);
  if (std::any_of(setters.begin(), setters.end(), [&](int core) { return pending(core).empty(); })) {
    return "";
  }
  CrossCoreToken token;
  for (const int core : setters) {
    token.from.push_back(pending(core).front());
    pending(core).pop_front();
  }
  for (const int core : Receivers(event)) {
    Queue& queue = tokens_[KeyOf(core, event.id)];
    if (queue.size() >= kCrossCoreLimit) {
      return Say("the counter of cross-core flag ", event.id, " of ",
                 cores_[static_cast<size_t>(core)].Name(), " would pass ", kCrossCoreLimit,
                 "; wait for it between the sets");
    }
    queue.push_back(token);
  }
  return "";
}

std::optional<CrossCoreToken> CrossCoreFlags::Take(int core_index, int id) {
  const auto found = tokens_.find(KeyOf(core_index, id));  // no new entry: other cores look for theirs
  if (found == tokens_.end() || found->second.empty()) {
    return std::nullopt;
  }
  CrossCoreToken token = std::move(found->second.front());
  found->second.pop_front();
  return token;
}

std::vector<int> CrossCoreFlags::Missing(int core_index, int id) const {
  const auto has_set = [&](int core, int mode) {
    const auto found = pending_.find((core * kModes + mode) * kCrossCoreFlags + id);
    return found != pending_.end() && !found->second.empty();
  };
  for (int mode = 0; mode < kModes; ++mode) {
    for (const CoreIdentity& from : cores_) {
      const CrossCoreEvent event{.core_index = from.index, .mode = mode, .id = id};
      const std::vector<int> receivers = Receivers(event);
      if (std::ranges::find(receivers, core_index) == receivers.end()) {
        continue;
      }
      std::vector<int> setters = Setters(event);
      if (std::ranges::any_of(setters, [&](int core) { return has_set(core, mode); })) {
        std::erase_if(setters, [&](int core) { return has_set(core, mode); });
        return setters;
      }
    }
  }
  return {};
}

std::vector<CrossCoreEvent> CrossCoreFlags::Unbalanced() const {
  std::vector<CrossCoreEvent> left;
  for (const auto& [flag, queue] : tokens_) {
    for (const CrossCoreToken& token : queue) {
      left.push_back(token.from.front());
    }
  }
  for (const auto& [flag, events] : pending_) {
    left.insert(left.end(), events.begin(), events.end());
  }
  return left;
}

}  // namespace tilesim
