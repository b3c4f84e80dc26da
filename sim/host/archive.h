// Values as bytes of a file and back, for files that the same version of this program reads on the same
// machine. What a type consists of is said once, by a function Fields(archive, value), for both directions.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/error.h"

namespace tilesim::host {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ArchiveWriter {
 public:
  static constexpr bool kReads = false;
  template <class... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <Plain T>
  void Put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Put(const std::string& text) {
    Put(uint64_t{text.size()});
    bytes_ += text;
  }
  // Of texts that are kept by pointer each stands once; the others are its number.
  void Put(const char* const& text) {
    const auto [found, is_new] = numbers_.try_emplace(text == nullptr ? "" : text, numbers_.size());
    Put(uint64_t{found->second});
    if (is_new) {
      Put(found->first);
    }
  }
  template <class T>
  void Put(const std::vector<T>& values) {
    Put(uint64_t{values.size()});
    if constexpr (Plain<T>) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) {
        Put(value);
      }
    }
  }
  template <class T, size_t N>
  void Put(const std::array<T, N>& values) {
    for (const T& value : values) {
      Put(value);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void Put(const T& value) {
    Fields(*this, const_cast<T&>(value));  // one function for both directions; writing changes nothing
  }

  std::string bytes_;
  std::unordered_map<std::string, uint64_t> numbers_;
};

// Throws UserError where the bytes end too early or hold what cannot be.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;
  // `where` begins the messages.
  ArchiveReader(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  template <class... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  [[nodiscard]] bool AtEnd() const { return bytes_.empty(); }

 private:
  std::string_view Take(uint64_t size) {
    RequireUser(size <= bytes_.size(), where_, ": ends within a launch, ", size,
                " bytes are missing of which ", bytes_.size(), " are there; run the program again");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <Plain T>
  void Get(T& value) {
    std::memcpy(&value, Take(sizeof(T)).data(), sizeof(T));
  }
  void Get(bool& value) {
    uint8_t byte = 0;
    Get(byte);
    RequireUser(byte <= 1, where_, ": has ", static_cast<int>(byte),
                " where 0 or 1 must stand; run the program again");
    value = byte != 0;
  }
  // Of values that take at least a byte each.
  uint64_t GetCount() {
    uint64_t count = 0;
    Get(count);
    RequireUser(count <= bytes_.size(), where_, ": says that ", count, " values follow, in ", bytes_.size(),
                " bytes; run the program again");
    return count;
  }
  void Get(std::string& text) { text = Take(GetCount()); }
  void Get(const char*& text) {
    uint64_t number = 0;
    Get(number);
    RequireUser(number <= texts_.size(), where_,
                ": names a text that it does not hold; run the program again");
    if (number == texts_.size()) {
      std::string read;
      Get(read);
      texts_.push_back(KeepForever(std::move(read)));
    }
    text = texts_[number];
  }
  template <class T>
  void Get(std::vector<T>& values) {
    const uint64_t count = GetCount();
    if constexpr (Plain<T>) {
      RequireUser(count <= bytes_.size() / sizeof(T), where_, ": says that ", count, " values follow, in ",
                  bytes_.size(), " bytes; run the program again");
      values.resize(count);
      if (count != 0) {
        std::memcpy(values.data(), Take(count * sizeof(T)).data(), count * sizeof(T));
      }
    } else {
      values.clear();
      for (uint64_t i = 0; i < count; ++i) {
        Get(values.emplace_back());
      }
    }
  }
  template <class T, size_t N>
  void Get(std::array<T, N>& values) {
    for (T& value : values) {
      Get(value);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void Get(T& value) { Fields(*this, value); }
  // Texts of recordings are kept by pointer, as literals are.
  static const char* KeepForever(std::string text) {
    static std::deque<std::string> kept;
    return kept.emplace_back(std::move(text)).c_str();
  }

  std::string_view bytes_;
  std::string where_;
  std::vector<const char*> texts_;
};

}  // namespace tilesim::host
