// What std::unique_ptr is, without <memory>, which is as long as all else that a kernel compiles.
#pragma once

#include <utility>

namespace tilesim {

// Owns one object or none. T may be incomplete but where owners are destroyed and given another object.
template <class T>
class Owner {
 public:
  explicit Owner(T* owned = nullptr) : owned_(owned) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { Own(nullptr); }

  // Deletes what it has owned.
  void Own(T* other) {
    static_assert(sizeof(T) != 0, "T must be complete here");
    delete std::exchange(owned_, other);
  }
  T* get() const { return owned_; }
  T* operator->() const { return owned_; }

 private:
  T* owned_;
};

}  // namespace tilesim
