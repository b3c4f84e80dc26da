#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilesim {

// How many bytes a number has: 1, 4 or 8. Any other does not compile.
class FieldWidth {
 public:
  consteval FieldWidth(size_t bytes) : bytes_(bytes) {
    if (bytes != 1 && bytes != 4 && bytes != 8) {
      throw "a field has 1, 4 or 8 bytes";
    }
  }
  constexpr operator size_t() const { return bytes_; }

 private:
  size_t bytes_;
};

// One number of a struct of a tiling: the section of the text it stands in, its name, and where its bytes
// are. Text, binary, printing and comparison all go through a table of these; it knows nothing of what the
// numbers mean.
struct TilingField {
  std::string_view section;
  std::string_view name;
  size_t offset_bytes;  // from the start of the whole struct
  FieldWidth width_bytes;
  bool is_signed = false;
  std::span<const std::string_view> words = {};  // what text has for 0, 1, ...; none: the number itself
  uint64_t most = INT64_MAX;                     // that text may have, beside what the bytes hold

  // The largest number it may be given: what it holds, and what int64_t, in which tilings are judged, does.
  // Fields never mean a negative number, whatever their type.
  [[nodiscard]] uint64_t largest() const {
    return std::min(most,
                    width_bytes == 8 ? uint64_t{INT64_MAX} : uint64_t{UINT32_MAX} >> (is_signed ? 1 : 0));
  }
  [[nodiscard]] std::string path() const { return std::string(section) + "." + std::string(name); }
};

// Where the bytes of a struct's member are; TILESIM_MEMBER makes one.
struct MemberBytes {
  size_t offset;
  FieldWidth width;
};
#define TILESIM_MEMBER(type, member) (::tilesim::MemberBytes{offsetof(type, member), sizeof(type::member)})

// The N names in a text, which single blanks part. Where it is called at compile time, a text with more or
// fewer names, with an empty one or with one twice does not compile.
template <size_t N>
constexpr std::array<std::string_view, N> NamesIn(std::string_view text) {
  std::array<std::string_view, N> names;
  for (auto name = names.begin(); name != names.end(); ++name) {
    const size_t blank = text.find(' ');
    if ((blank == std::string_view::npos) != (name + 1 == names.end())) {
      throw "there are as many names as numbers";
    }
    *name = text.substr(0, blank);
    if (name->empty() || std::find(names.begin(), name, *name) != name) {
      throw "each number has a name of its own";
    }
    text.remove_prefix(std::min(text.size(), name->size() + 1));
  }
  return names;
}
// The fields of a struct whose members are all of type `Number`, by their names in byte order. What the
// compiler does not check is that the members are of this type and have these names, nor their order;
// tests/tiling/field_names_test.cpp does, where each such struct has a test.
template <class Data, class Number>
consteval auto FieldsOf(std::string_view section, std::string_view names) {
  static_assert(sizeof(Data) % sizeof(Number) == 0);
  constexpr size_t kFields = sizeof(Data) / sizeof(Number);
  const std::array<std::string_view, kFields> words = NamesIn<kFields>(names);
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return std::array{
        TilingField{section, words[I], I * sizeof(Number), sizeof(Number), std::is_signed_v<Number>}...};
  }
  (std::make_index_sequence<kFields>());
}

// Fields of the struct that says how the cores share the work. Its numbers have 8 bytes.
consteval TilingField SplitNumber(std::string_view name, MemberBytes bytes, uint64_t most = INT64_MAX) {
  if (bytes.width != 8) {
    throw "a number of a split has 8 bytes";
  }
  return {.section = "split",
          .name = name,
          .offset_bytes = bytes.offset,
          .width_bytes = bytes.width,
          .most = most};
}
constexpr TilingField SplitWord(std::string_view name, MemberBytes bytes,
                                std::span<const std::string_view> words) {
  return {.section = "split",
          .name = name,
          .offset_bytes = bytes.offset,
          .width_bytes = bytes.width,
          .words = words};
}

// The field's bits in the struct at `data`, as an unsigned number.
uint64_t ReadField(const void* data, const TilingField& field);
void WriteField(void* data, const TilingField& field, uint64_t value);  // keeps the field's low bits
// Of a field that text says in words; empty where no word stands for its number.
std::string_view WordOf(const void* data, const TilingField& field);

// The fields in which two structs differ, in the order given.
std::vector<TilingField> DifferentFields(std::span<const TilingField> fields, const void* left,
                                         const void* right);

// The fields of a struct of a tiling: of its data all, in byte order; of how the cores share the work those
// that text has. Each struct's header says that there are any.
template <class Struct>
std::span<const TilingField> FieldsIn();

template <class Struct>
std::vector<TilingField> Differences(const Struct& left, const Struct& right) {
  return DifferentFields(FieldsIn<Struct>(), &left, &right);
}

// Tiling data as the bytes that a kernel receives: field by field, so that padding between them is zero.
template <class Data>
std::array<std::byte, sizeof(Data)> ToBytes(const Data& data) {
  std::array<std::byte, sizeof(Data)> bytes{};
  for (const TilingField& field : FieldsIn<Data>()) {
    WriteField(bytes.data(), field, ReadField(&data, field));
  }
  return bytes;
}

}  // namespace tilesim
