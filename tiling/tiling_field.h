#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// One number of a struct of a tiling: the section of the text it stands in, its name, and where its bytes
// are. Text, binary, printing and comparison all go through a table of these; it knows nothing of what the
// numbers mean.
struct TilingField {
  std::string_view section;
  std::string_view name;
  size_t offset_bytes;  // from the start of the whole struct
  size_t width_bytes;   // 4 or 8; of what text says in words also 1
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

// Fields of the struct that says how the cores share the work.
constexpr TilingField SplitNumber(std::string_view name, size_t offset_bytes, uint64_t most = INT64_MAX) {
  return {.section = "split", .name = name, .offset_bytes = offset_bytes, .width_bytes = 8, .most = most};
}
constexpr TilingField SplitWord(std::string_view name, size_t offset_bytes, size_t width_bytes,
                                std::span<const std::string_view> words) {
  return {.section = "split",
          .name = name,
          .offset_bytes = offset_bytes,
          .width_bytes = width_bytes,
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

}  // namespace tilesim
