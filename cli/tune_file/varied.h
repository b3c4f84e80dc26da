#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/kernel_file.h"

namespace tilesim {

// A name of --vary, its values and what it stands for in a call of the file.
struct Varied {
  enum class Place : uint8_t { kMacro, kScalar, kField, kWord };
  std::string name;
  std::vector<std::string> values;  // the first is the default
  Place place = Place::kMacro;
  std::string parameter = {};  // of kScalar and kField: the kernel's
  std::string field = {};      // of kField: "tile.length"

  // "-DTILE_M", "--arg n", "field tile.length of --arg tiling", "{N} behind --"
  [[nodiscard]] std::string PlaceText() const;
};

// All --vary, each for the first that there is: a -D of that name, a scalar --arg, a field of a struct,
// {NAME} in the words behind --. Throws UserError for a name that stands for nothing, and for values that are
// none.
std::vector<Varied> VariedOf(const Arguments& arguments, const FileCall& call);

// The call with these values, one a name.
FileCall CallWith(FileCall call, std::span<const Varied> varied, std::span<const std::string> values);

// All combinations of the values, by number: the last name's change fastest, number 0 is the default.
class CombinationSpace {
 public:
  // Throws UserError for more combinations than can be counted through.
  explicit CombinationSpace(std::vector<Varied> varied);

  [[nodiscard]] const std::vector<Varied>& varied() const { return varied_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::vector<std::string> Values(size_t number) const;
  // Those that differ in one value, those whose value stands nearest in its list first.
  [[nodiscard]] std::vector<size_t> Neighbours(size_t number) const;
  // "TILE_M=64 STAGES=2"
  [[nodiscard]] std::string Text(size_t number) const;

 private:
  std::vector<Varied> varied_;
  size_t size_ = 1;
};

// The numbers of the combinations for which every --where holds, in their order; the default is the first.
// Throws UserError where it is none of them.
std::vector<size_t> AllowedCombinations(const Arguments& arguments, const CombinationSpace& space);

}  // namespace tilesim
