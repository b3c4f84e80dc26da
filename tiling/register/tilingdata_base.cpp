#include "tiling/register/tilingdata_base.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "formats/error.h"

namespace optiling::internal {
namespace {

struct Redirection {
  const uint8_t* object;
  size_t size;
  uint8_t* buffer;

  bool Holds(const void* byte) const { return byte >= object && byte < object + size; }
};

// Objects of several host threads may be among them.
struct Redirections {
  std::mutex mutex;
  std::vector<Redirection> all;
  std::atomic<size_t> count = 0;
};
Redirections& State() {
  static Redirections state;
  return state;
}

// The one whose object holds the byte. The caller holds the lock.
Redirection* Holding(const void* byte) {
  for (Redirection& one : State().all) {
    if (one.Holds(byte)) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace

bool AnyRedirected() noexcept { return State().count.load(std::memory_order_relaxed) != 0; }

void Redirect(const void* object, size_t size, void* buffer) {
  tilesim::RequireUser(buffer != nullptr, "SetDataPtr: the buffer is a null pointer; hand in one of ", size,
                       " bytes");
  const std::lock_guard lock(State().mutex);
  Redirection* held = Holding(object);
  tilesim::RequireUser(held == nullptr || (held->object == object && held->size == size),
                       "SetDataPtr: the object is a field of one that lives in a buffer itself; call it on "
                       "that one");
  if (held != nullptr) {
    held->buffer = static_cast<uint8_t*>(buffer);
    return;
  }
  State().all.push_back({static_cast<const uint8_t*>(object), size, static_cast<uint8_t*>(buffer)});
  State().count = State().all.size();
}

void ForgetRedirection(const void* object) noexcept {
  const std::lock_guard lock(State().mutex);
  std::erase_if(State().all, [&](const Redirection& one) { return one.Holds(object); });
  State().count = State().all.size();
}

void* PlaceOf(void* byte) {
  const std::lock_guard lock(State().mutex);
  const Redirection* held = Holding(byte);
  return held == nullptr ? byte : held->buffer + (static_cast<const uint8_t*>(byte) - held->object);
}

void RequireSize(const char* call, const char* class_name, size_t given, size_t size, bool exactly) {
  if (exactly) {
    tilesim::RequireUser(given == size, call, " of ", class_name, ": ", given, " bytes, must be ", size,
                         "; hand in the bytes that SaveToBuffer wrote");
  } else {
    tilesim::RequireUser(given >= size, call, " of ", class_name, ": capacity ", given,
                         " bytes, must be at least ", size, "; hand in a larger buffer");
  }
}

}  // namespace optiling::internal
