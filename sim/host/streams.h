// Streams and events of the simulated device. What is put on a stream is done at once, in the host's order,
// which is an order that the streams allow; where a stream waits for an event that is not recorded yet, what
// follows waits, too. Knows simulated time, and nothing of kernels.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>

namespace tilesim::host {

struct Stream;

// How many launches of each stream, by the stream's number, are over.
using StreamOrder = std::map<uint64_t, int64_t>;

struct Event {
  bool alive = true;  // else destroyed; work that a stream still has may name it
  bool recorded = false;
  double at_us = 0;  // simulated
  int code = 0;      // of the stream then
  Stream* by = nullptr;
  StreamOrder order;  // what is over once it is
};

struct Context {
  int32_t device = 0;
};

struct Stream {
  Context* context = nullptr;
  double time_us = 0;   // simulated: all it was given so far is done
  int code = 0;         // of the first fault
  uint64_t number = 0;  // of no other stream, also not of a destroyed one
  int64_t launches = 0;
  StreamOrder order;  // what is over before what the stream is given next, but for its own launches
  std::deque<std::function<void(Stream&)>> waiting;
  std::set<uint64_t> in_use;  // buffers, by address, that launches were given since the last synchronising
  std::set<Stream*> behind;   // it has waited for these since then
};

class Streams {
 public:
  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // The stream of a handle; a null handle is the default stream. nullptr: there is none.
  Stream* Find(void* handle);
  Stream& Default() { return default_; }
  [[nodiscard]] bool IsDefault(const Stream& stream) const { return &stream == &default_; }
  Stream* Create(Context* context);
  void Destroy(Stream* stream);

  Event* CreateEvent();
  Event* FindEvent(void* handle);
  // False: a stream still waits for it.
  bool DestroyEvent(Event* event);

  // Does it now, or when the stream goes on.
  void Put(Stream& stream, std::function<void(Stream&)> work);
  void Record(Stream& stream, Event* event);
  void Wait(Stream& stream, Event* event);
  void Reset(Stream& stream, Event* event);

  // The host waits for the stream, or for all. False: it waits for an event that nobody has recorded.
  bool Synchronise(Stream& stream);
  bool SynchroniseAll();
  // The host waits until then, in simulated time.
  void HostWaits(double until_us) { host_us_ = until_us > host_us_ ? until_us : host_us_; }
  [[nodiscard]] double host_us() const { return host_us_; }
  // The code of the first stream that has one.
  [[nodiscard]] int AnyCode() const;
  // Calls f(stream) for each.
  template <class F>
  void ForEach(F&& f) {
    f(default_);
    for (Stream& stream : streams_) {
      f(stream);
    }
  }
  // The host knows that all this is over: what it puts on any stream from now on comes behind it.
  void HostKnows(const StreamOrder& order);
  void HostKnows(const Stream& stream) { HostKnows(OrderBehind(stream)); }
  [[nodiscard]] const StreamOrder& host_order() const { return host_order_; }
  // What was put on the stream, and on those that it waited for, is known to be done.
  void Settle(Stream& stream);
  void Clear();

 private:
  struct Waiter {
    Stream* stream;
    Event* event;
  };
  void Go(Stream& stream);
  [[nodiscard]] static StreamOrder OrderBehind(const Stream& stream);

  Stream default_;
  std::list<Stream> streams_;
  std::list<Event> events_;
  std::list<Waiter> waiters_;
  double host_us_ = 0;
  StreamOrder host_order_;
  uint64_t streams_made_ = 0;
};

}  // namespace tilesim::host
