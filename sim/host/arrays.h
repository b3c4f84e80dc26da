// Arrays of the command line: read from files, made up, written and compared. Knows no kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::host {

// The type of an element.
struct ElementType {
  enum class Kind : uint8_t { kSigned, kUnsigned, kBool, kReal, kHalf, kBFloat16 };

  std::string_view name;   // "fp16"
  std::string_view descr;  // in a .npy file: "<f2"
  Kind kind = Kind::kReal;
  size_t bytes = 4;

  [[nodiscard]] bool IsReal() const { return kind >= Kind::kReal; }
};
// nullptr: there is none of that name ("fp32", "float", "float32" are one).
const ElementType* FindElementType(std::string_view name);
std::string KnownElementTypes();

// One number, in the widest type of its kind.
long double ReadNumber(const ElementType& type, const std::byte* from);
// The number that the text gives, in that type. Throws UserError beginning with `where` where it is none, or
// beyond the type.
void WriteNumber(const ElementType& type, std::string_view text, std::byte* to, const std::string& where);

struct Array {
  const ElementType* type = nullptr;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  [[nodiscard]] int64_t elements() const;
};

// "8x2048" or "5". Throws UserError.
std::vector<int64_t> ParseShape(std::string_view text, const std::string& where);
std::string ShapeText(const std::vector<int64_t>& shape);  // "8x2048"

// All throw UserError. A .npy file is in C order and of a type of FindElementType; <u2 may be bf16's bits.
Array ReadNpyArray(const std::string& path);
Array ReadRawArray(const std::string& path, const ElementType& type, std::vector<int64_t> shape);
// `how`: zeros, ones, arange (0, 1, 2, ...), uniform (reals of [0, 1), whole numbers of 0..99), normal (mean
// 0, deviation 1; reals only).
Array MakeArray(std::string_view how, const ElementType& type, std::vector<int64_t> shape, uint64_t seed,
                const std::string& where);
bool IsMaker(std::string_view how);
// bf16 as <f4, which holds it exactly. The file has its name only when it is whole.
void WriteNpyArray(const std::string& path, const Array& array);

// What there is to say of a difference; equal: `differing` is 0.
struct ArrayDifference {
  struct Element {
    int64_t index = 0;
    long double found = 0;
    long double expected = 0;
  };
  int64_t differing = 0;
  std::optional<Element> first;
  std::optional<Element> worst;  // by the error over what is allowed
  double max_error = 0;          // absolute, of all elements
};
// |found - expected| <= tolerance + tolerance * |expected|. No tolerance: two units in the last place of the
// result's type, nothing for whole numbers.
ArrayDifference CompareArrays(const Array& found, const Array& expected, std::optional<double> tolerance);

// "[3, 17]" of the element with that number.
std::string IndexText(int64_t index, const std::vector<int64_t>& shape);

}  // namespace tilesim::host
