#include "sim/host/streams.h"

#include <algorithm>
#include <utility>

namespace tilesim::host {
namespace {

void Join(StreamOrder& into, const StreamOrder& more) {
  for (const auto& [stream, launches] : more) {
    int64_t& known = into[stream];
    known = std::max(known, launches);
  }
}

}  // namespace

Stream* Streams::Find(void* handle) {
  if (handle == nullptr) {
    return &default_;
  }
  const auto found = std::ranges::find(
      streams_, handle, [](const Stream& stream) { return static_cast<const void*>(&stream); });
  return found == streams_.end() ? nullptr : &*found;
}

Stream* Streams::Create(Context* context) {
  streams_.emplace_back();
  streams_.back().context = context;
  streams_.back().number = ++streams_made_;
  return &streams_.back();
}

void Streams::Destroy(Stream* stream) {
  waiters_.remove_if([&](const Waiter& waiter) { return waiter.stream == stream; });
  ForEach([&](Stream& other) { other.behind.erase(stream); });
  for (Event& event : events_) {
    event.by = event.by == stream ? nullptr : event.by;
  }
  streams_.remove_if([&](const Stream& one) { return &one == stream; });
}

Event* Streams::CreateEvent() {
  events_.emplace_back();
  return &events_.back();
}

Event* Streams::FindEvent(void* handle) {
  const auto found =
      std::ranges::find(events_, handle, [](const Event& event) { return static_cast<const void*>(&event); });
  return found == events_.end() || !found->alive ? nullptr : &*found;
}

bool Streams::DestroyEvent(Event* event) {
  if (std::ranges::find(waiters_, event, &Waiter::event) != waiters_.end()) {
    return false;
  }
  event->alive = false;
  return true;
}

void Streams::Put(Stream& stream, std::function<void(Stream&)> work) {
  stream.waiting.emplace_back([order = host_order_, work = std::move(work)](Stream& self) {
    Join(self.order, order);
    work(self);
  });
  Go(stream);
}

// A stream that is in the midst of its work is asked for more by that work only.
void Streams::Go(Stream& stream) {
  while (!stream.waiting.empty() && std::ranges::find(waiters_, &stream, &Waiter::stream) == waiters_.end()) {
    const std::function<void(Stream&)> work = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    stream.time_us = std::max(stream.time_us, host_us_);
    work(stream);
  }
}

void Streams::Record(Stream& stream, Event* event) {
  Put(stream, [this, event](Stream& self) {
    event->recorded = true;
    event->at_us = self.time_us;
    event->code = self.code;
    event->by = &self;
    event->order = OrderBehind(self);
    std::list<Waiter> woken;
    for (auto at = waiters_.begin(); at != waiters_.end();) {
      const auto next = std::next(at);
      if (at->event == event) {
        woken.splice(woken.end(), waiters_, at);
      }
      at = next;
    }
    for (const Waiter& waiter : woken) {
      waiter.stream->time_us = std::max(waiter.stream->time_us, event->at_us);
      waiter.stream->behind.insert(&self);
      Join(waiter.stream->order, event->order);
      Go(*waiter.stream);
    }
  });
}

void Streams::Wait(Stream& stream, Event* event) {
  Put(stream, [this, event](Stream& self) {
    if (event->recorded) {
      self.time_us = std::max(self.time_us, event->at_us);
      Join(self.order, event->order);
      if (event->by != nullptr) {
        self.behind.insert(event->by);
      }
    } else {
      waiters_.push_back({&self, event});
    }
  });
}

void Streams::Reset(Stream& stream, Event* event) {
  Put(stream, [event](Stream&) { event->recorded = false; });
}

bool Streams::Synchronise(Stream& stream) {
  if (!stream.waiting.empty() || std::ranges::find(waiters_, &stream, &Waiter::stream) != waiters_.end()) {
    return false;
  }
  Settle(stream);
  HostKnows(stream);
  HostWaits(stream.time_us);
  return true;
}

StreamOrder Streams::OrderBehind(const Stream& stream) {
  StreamOrder order = stream.order;
  order[stream.number] = stream.launches;
  return order;
}

void Streams::HostKnows(const StreamOrder& order) { Join(host_order_, order); }

void Streams::Settle(Stream& stream) {
  stream.in_use.clear();
  for (Stream* const before : std::exchange(stream.behind, {})) {
    Settle(*before);
  }
}

bool Streams::SynchroniseAll() {
  bool all = true;
  ForEach([&](Stream& stream) { all = Synchronise(stream) && all; });
  return all;
}

int Streams::AnyCode() const {
  if (default_.code != 0) {
    return default_.code;
  }
  const auto found = std::ranges::find_if(streams_, [](const Stream& stream) { return stream.code != 0; });
  return found == streams_.end() ? 0 : found->code;
}

void Streams::Clear() {
  ForEach([&](const Stream& stream) { HostKnows(stream); });
  waiters_.clear();
  streams_.clear();
  events_.clear();
  const double host = host_us_;
  const int64_t launches = default_.launches;
  default_ = {};
  default_.launches = launches;
  host_us_ = host;
}

}  // namespace tilesim::host
