// Values that recur, each kept once and named by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilesim {

// T has Hash() and ==. Numbers count from 0 in the order of the first appearance.
template <class T>
class Interned {
 public:
  uint32_t NumberOf(const T& value) {
    if (2 * values_.size() >= table_.size()) [[unlikely]] {
      MakeRoom();
    }
    uint32_t& place = PlaceOf(value);
    if (place == 0) {
      values_.push_back(value);
      place = static_cast<uint32_t>(values_.size());
    }
    return place - 1;
  }
  const T& operator[](uint32_t number) const { return values_[number]; }
  size_t size() const { return values_.size(); }
  // For archives: all there is to keep; more numbers may be asked for afterwards.
  template <class Archive>
  friend void Fields(Archive& archive, Interned& interned) {
    archive(interned.values_);
    if constexpr (Archive::kReads) {
      interned.table_.clear();
      while (2 * interned.values_.size() >= interned.table_.size()) {
        interned.MakeRoom();
      }
    }
  }

 private:
  // Where the number of `value` is, or belongs.
  uint32_t& PlaceOf(const T& value) {
    const size_t mask = table_.size() - 1;
    const uint64_t hash = value.Hash();
    size_t at = (hash ^ hash >> 32) & mask;
    while (table_[at] != 0 && !(values_[table_[at] - 1] == value)) {
      at = (at + 1) & mask;
    }
    return table_[at];
  }
  void MakeRoom() {
    table_.assign(table_.empty() ? 512 : 2 * table_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i) {
      PlaceOf(values_[i]) = static_cast<uint32_t>(i + 1);
    }
  }

  std::vector<T> values_;
  std::vector<uint32_t> table_;  // by hash: number + 1; 0: free
};

}  // namespace tilesim
